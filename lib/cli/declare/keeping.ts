import { type Command, Option } from "commander";
import type { CliIo } from "../io.ts";
import {
  addExamples,
  commandByDefault,
  type Declaring,
  type Example,
  findCommand,
  markListing,
} from "./declaring.ts";

const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  "backup": [["kbdb backup ~/backups/2026-01-31", "to a new folder"]],
  "restore": [
    ["kbdb restore ~/backups/2026-01-31 --db new/.kbdb", "to another place"],
    ["kbdb restore ~/backups/2026-01-31 --replace", "over what is there"],
  ],
  "doctor": [["kbdb doctor", "when something does not work"]],
  "export": [
    ["kbdb export ~/notes-export", "as a folder of Markdown files"],
    ["kbdb export memory.jsonl --collection memory", "as one file"],
  ],
  "import": [
    ["kbdb import ~/notes-export", "an export"],
    ["kbdb import ~/obsidian --collection vault", "Markdown from elsewhere"],
  ],
  "collections": [["kbdb collections", "every collection"]],
  "collections rename": [
    ["kbdb collections rename drafts documents --merge", "into another one"],
  ],
  "collections rm": [
    ["kbdb collections rm drafts --yes", "without a question"],
  ],
  "key create": [[
    "kbdb key create laptop --scope write",
    "one that may write",
  ]],
  "key list": [["kbdb key list", "which are used"]],
  "key revoke": [["kbdb key revoke laptop", "for good"]],
};

/** Declares the commands that keep a base safe. */
export function declareKeeping(
  { program, io, done, version }: Declaring,
): void {
  program.command("backup <target>")
    .description(
      "save the base to a new folder and check what was written; others may go on writing meanwhile",
    )
    .action(async (target: string, _: unknown, command: Command) => {
      const { backup } = await import("../commands/backup.ts");
      done(await backup(io, target, version, command.optsWithGlobals()));
    });
  program.command("restore <backup>")
    .description(
      "make a base of a backup; a damaged one is refused and says what is wrong",
    )
    .option("--replace", "put the base that is there aside")
    .option("-y, --yes", "do not ask")
    .action(async (backup: string, _: unknown, command: Command) => {
      const { restore } = await import("../commands/backup.ts");
      done(await restore(io, backup, command.optsWithGlobals()));
    });
  program.command("doctor")
    .description(
      "check the installation, the settings, the model and the base, and say what to do about what is wrong",
    )
    .action(async (_: unknown, command: Command) => {
      const { doctor } = await import("../commands/doctor.ts");
      done(await doctor(io, command.optsWithGlobals()));
    });
  declareExchange(program, io, done);
  declareCollections(program, io, done);
  declareKeys(program, io, done);
  for (const [name, examples] of Object.entries(EXAMPLES)) {
    addExamples(findCommand(program, name.split(" ")), ...examples);
  }
  markListing(findCommand(program, ["collections"]));
  markListing(findCommand(program, ["key", "list"]));
}

function declareExchange(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
): void {
  program.command("export <target>")
    .description(
      "write the base to a new folder of Markdown files, or to one file if TARGET ends in .jsonl",
    )
    .option("-c, --collection <name>", "only documents of this collection")
    .option("--type <type>", "only documents of this type")
    .action(async (target: string, _: unknown, command: Command) => {
      const { exportTo } = await import("../commands/exchange.ts");
      done(await exportTo(io, target, command.optsWithGlobals()));
    });
  program.command("import <source>")
    .description(
      "take in an export, or a folder of Markdown files from elsewhere; importing again changes nothing",
    )
    .option(
      "-c, --collection <name>",
      "put files that are not of an export in this collection",
    )
    .option(
      "--overwrite",
      "replace documents that changed later in the base too",
    )
    .option("--no-embed", "leave the vectors for later (kbdb embed)")
    .action(async (source: string, _: unknown, command: Command) => {
      const { importFrom } = await import("../commands/exchange.ts");
      done(await importFrom(io, source, command.optsWithGlobals()));
    });
}

function declareCollections(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
): void {
  const collections = program.command("collections")
    .description("list the collections and what is in them")
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/collections.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  collections.command("rename <from> <to>")
    .description("give a collection another name")
    .option("--merge", "join a collection that has the new name already")
    .action(
      async (from: string, to: string, _: unknown, command: Command) => {
        const { rename } = await import("../commands/collections.ts");
        done(await rename(io, from, to, command.optsWithGlobals()));
      },
    );
  collections.command("rm <name>")
    .description(
      "remove a collection with all its documents; files on disk stay",
    )
    .option("-y, --yes", "do not ask")
    .action(async (name: string, _: unknown, command: Command) => {
      const { rm } = await import("../commands/collections.ts");
      done(await rm(io, name, command.optsWithGlobals()));
    });
}

function declareKeys(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
): void {
  const key = program.command("key").description(
    "named keys of kbdb serve, kept in the base as digests",
  );
  key.command("create <name>")
    .description("make a key and print it, this once")
    .addOption(
      new Option("--scope <scope>", "what it may do").choices([
        "read",
        "write",
        "admin",
      ]).default("read"),
    )
    .action(async (name: string, _: unknown, command: Command) => {
      const { create } = await import("../commands/key.ts");
      done(await create(io, name, command.optsWithGlobals()));
    });
  commandByDefault(key, "list")
    .description("list the keys: what each may do, when it was used last")
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/key.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  key.command("revoke <name>")
    .description("make a key worthless, for servers that run too")
    .action(async (name: string, _: unknown, command: Command) => {
      const { revoke } = await import("../commands/key.ts");
      done(await revoke(io, name, command.optsWithGlobals()));
    });
}
