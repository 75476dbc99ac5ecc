import { Command, InvalidArgumentError, Option } from "commander";
import { declareKeeping } from "./declare/keeping.ts";
import type { CliIo } from "./io.ts";
import { VERSION } from "./version.ts";

const EPILOG = `
The base is the one of --db, else KBDB_DIR, else the nearest .kbdb up the tree, else your personal one.
With --url or KB_ENGINE_URL it is that of a kbdb serve elsewhere.

Query syntax: words, "a phrase", -without, prefix*, tag:NAME, type:TYPE, in:COLLECTION,
after:2026-01-31, before:2026-02-28.

Examples:
  kbdb add notes docs/manual.md
  kbdb search "how do I restore a backup"
  kbdb search '"exit code" in:documents -draft' --format json`;

const GUIDE_EPILOG = `
Examples:
  kbdb guide
  kbdb guide > .claude/skills/kbdb/SKILL.md`;

/**
 * Declares every command. A command's code is loaded when it runs, so that help needs none of it.
 *
 * @param io Streams and environment, handed to the command.
 * @param done Takes the exit code.
 */
export function buildProgram(io: CliIo, done: (code: number) => void): Command {
  const program = new Command("kbdb")
    .description(
      "A knowledge base for people and their AI agents: add files and notes, find them by word and by meaning.",
    )
    .version(VERSION, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", EPILOG)
    .option("--db <dir>", "directory of the base")
    .addOption(
      new Option(
        "--url <url>",
        "engine that has the base, elsewhere; its key is KB_API_KEY",
      ).conflicts("db"),
    )
    .option("--no-daemon", "neither use nor start a daemon")
    .addOption(
      new Option("--format <format>", "how answers look").choices([
        "text",
        "json",
      ]).default("text"),
    )
    .showHelpAfterError("(see: kbdb --help)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
    });
  declareWriting(program, io, done);
  declareReading(program, io, done);
  declareUpkeep(program, io, done);
  declareKeeping(program, io, done, VERSION);
  return program;
}

function declareWriting(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
): void {
  program.command("init [folder]")
    .description("make an empty base in FOLDER/.kbdb")
    .action(
      async (folder: string | undefined, _: unknown, command: Command) => {
        const { init } = await import("./commands/init.ts");
        done(await init(io, folder, command.optsWithGlobals()));
      },
    );
  program.command("add <paths...>")
    .description(
      "add or update files and folders; documents whose files are gone from a folder are removed",
    )
    .addOption(tagOption("give every file this tag"))
    .option("-c, --collection <name>", "put the files in this collection")
    .option(
      "--archives",
      "take in the files in .zip, .tar and .gz archives too",
    )
    .option("--no-embed", "leave the vectors for later (kbdb embed)")
    .action(async (paths: string[], _: unknown, command: Command) => {
      const { add } = await import("./commands/add.ts");
      done(await add(io, paths, command.optsWithGlobals()));
    });
  program.command("addnote [text...]")
    .description("add a note, from the arguments or from standard input")
    .option("-t, --title <title>", "title of the note")
    .addOption(tagOption("give the note this tag"))
    .option("-c, --collection <name>", "put the note in this collection")
    .option("--docid <docid>", "text id of the note")
    .option("--no-embed", "leave the vector for later (kbdb embed)")
    .action(async (words: string[], _: unknown, command: Command) => {
      const { addnote } = await import("./commands/addnote.ts");
      done(await addnote(io, words, command.optsWithGlobals()));
    });
  program.command("rm <refs...>")
    .description(
      "remove documents by id, docid or path, or all under a folder; files on disk stay",
    )
    .action(async (refs: string[], _: unknown, command: Command) => {
      const { rm } = await import("./commands/documents.ts");
      done(await rm(io, refs, command.optsWithGlobals()));
    });
}

function declareReading(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
): void {
  program.command("search <query...>")
    .description("find passages by word and by meaning")
    .addOption(
      countOption("-n, --limit <count>", "most hits", { min: 1, max: 100 })
        .default(10),
    )
    .addOption(
      countOption("--offset <count>", "hits to pass over", {
        min: 0,
        max: 1000,
      }).default(0),
    )
    .addOption(tagOption("only documents with this tag"))
    .option(
      "--type <type>",
      "only documents of this type: note, markdown, html, code, image, …",
    )
    .option("-c, --collection <name>", "only documents of this collection")
    .option("--after <date>", "only documents changed at or after this date")
    .option("--before <date>", "only documents changed before this date")
    .addOption(new Option("--fts-only", "by word only").conflicts("vecOnly"))
    .addOption(new Option("--vec-only", "by meaning only"))
    .option("--threshold <score>", "least score, 0 to 1", toShare)
    .option("--documents", "one hit a document")
    .option("--stats", "count matches by term, type and collection instead")
    .option("--explain", "show ranks, scores and times")
    .action(async (words: string[], _: unknown, command: Command) => {
      const { search } = await import("./commands/search.ts");
      done(await search(io, words, command.optsWithGlobals()));
    });
  program.command("list")
    .description("list documents")
    .addOption(
      countOption("-n, --limit <count>", "most documents", {
        min: 1,
        max: 10_000,
      }).default(100),
    )
    .addOption(
      countOption("--offset <count>", "documents to pass over", { min: 0 })
        .default(0),
    )
    .addOption(tagOption("only documents with this tag"))
    .option("--type <type>", "only documents of this type")
    .option("-c, --collection <name>", "only documents of this collection")
    .addOption(
      new Option("--sort <order>", "order").choices(["recent", "title", "path"])
        .default("recent"),
    )
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("./commands/documents.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  program.command("info <ref>")
    .description("show what is known of a document, by id, docid or path")
    .action(async (ref: string, _: unknown, command: Command) => {
      const { info } = await import("./commands/documents.ts");
      done(await info(io, ref, command.optsWithGlobals()));
    });
  program.command("get <ref>")
    .description(
      "print the text of a document, by id, docid or path, or of a section, by kbid",
    )
    .action(async (ref: string, _: unknown, command: Command) => {
      const { get } = await import("./commands/documents.ts");
      done(await get(io, ref, command.optsWithGlobals()));
    });
  program.command("extract <file>")
    .description(
      "print what would be indexed of a file, section by section; needs no base",
    )
    .action(async (file: string, _: unknown, command: Command) => {
      const { extract } = await import("./commands/extract.ts");
      done(await extract(io, file, command.optsWithGlobals()));
    });
  program.command("tags")
    .description("list tags and how many documents have each")
    .action(async (_: unknown, command: Command) => {
      const { tags } = await import("./commands/documents.ts");
      done(await tags(io, command.optsWithGlobals()));
    });
}

function declareUpkeep(
  program: Command,
  io: CliIo,
  done: (code: number) => void,
): void {
  program.command("status")
    .description("show what the base holds and whether vectors are missing")
    .action(async (_: unknown, command: Command) => {
      const { status } = await import("./commands/status.ts");
      done(await status(io, command.optsWithGlobals()));
    });
  const daemon = program.command("daemon").description(
    "the process that keeps the model loaded for other commands; they start it when they need it",
  );
  daemon.command("start")
    .description("start it, unless it runs")
    .action(async (_: unknown, command: Command) => {
      const { start } = await import("./commands/daemon.ts");
      done(await start(io, command.optsWithGlobals()));
    });
  daemon.command("status")
    .description("say whether it runs")
    .action(async (_: unknown, command: Command) => {
      const { status } = await import("./commands/daemon.ts");
      done(await status(io, command.optsWithGlobals()));
    });
  daemon.command("stop")
    .description("stop it and wait until it has ended")
    .action(async (_: unknown, command: Command) => {
      const { stop } = await import("./commands/daemon.ts");
      done(await stop(io, command.optsWithGlobals()));
    });
  daemon.command("run", { hidden: true })
    .description("be it, in this process")
    .action(async (_: unknown, command: Command) => {
      const { serveDaemon } = await import("./commands/daemon.ts");
      done(await serveDaemon(io, command.optsWithGlobals()));
    });
  program.command("config")
    .description("show every setting, its value and where that comes from")
    .action(async (_: unknown, command: Command) => {
      const { config } = await import("./commands/config.ts");
      done(await config(io, command.optsWithGlobals()));
    });
  program.command("embed")
    .description("make the vectors that are missing")
    .action(async (_: unknown, command: Command) => {
      const { embed } = await import("./commands/status.ts");
      done(await embed(io, command.optsWithGlobals()));
    });
  program.command("mcp")
    .description(
      "serve the base to an AI agent by the Model Context Protocol on standard input and output",
    )
    .addOption(toolsOption("kbdb"))
    .action(async (_: unknown, command: Command) => {
      const { mcp } = await import("./commands/mcp.ts");
      done(await mcp(io, VERSION, command.optsWithGlobals()));
    });
  program.command("guide")
    .description(
      "print how an agent uses the base well, in the form of a skill file",
    )
    .addHelpText("after", GUIDE_EPILOG)
    .action(async (_: unknown, command: Command) => {
      const { guide } = await import("./commands/guide.ts");
      done(guide(io, command.optsWithGlobals()));
    });
  program.command("serve")
    .description("serve the base over HTTP: the REST API, and MCP at /mcp")
    .addOption(
      new Option("--host <address>", "address to listen on").default(
        undefined,
        "127.0.0.1",
      ),
    )
    .addOption(
      countOption("--port <port>", "port to listen on; 0 takes any", {
        min: 0,
        max: 65_535,
      }).default(undefined, "8000"),
    )
    .addOption(
      countOption(
        "--mcp-port <port>",
        "a port at which only MCP is answered, besides the other; 0 takes any",
        { min: 0, max: 65_535 },
      ),
    )
    .option("--read-only", "refuse everything that writes")
    .addOption(toolsOption("kb"))
    .option("--no-log", "do not log requests")
    .action(async (_: unknown, command: Command) => {
      const { serve } = await import("./commands/serve.ts");
      done(await serve(io, VERSION, command.optsWithGlobals()));
    });
  const model = program.command("model").description("the embedding models");
  model.command("list")
    .description("list the models kbdb knows")
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("./commands/model.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  model.command("pull <name>")
    .description("download a model and check it; one that broke off goes on")
    .action(async (name: string, _: unknown, command: Command) => {
      const { pull } = await import("./commands/model.ts");
      done(await pull(io, name, command.optsWithGlobals()));
    });
  model.command("use <name>")
    .description(
      "make a model, by name or folder, that of the base, and say what is left to do",
    )
    .action(async (name: string, _: unknown, command: Command) => {
      const { use } = await import("./commands/model.ts");
      done(await use(io, name, command.optsWithGlobals()));
    });
  model.command("check")
    .description(
      "compare the files of the model in use with their pinned SHA-256",
    )
    .action(async (_: unknown, command: Command) => {
      const { check } = await import("./commands/model.ts");
      done(await check(io, command.optsWithGlobals()));
    });
}

/** Chooses the tools of MCP. */
function toolsOption(fallback: string): Option {
  return new Option(
    "--tools <set>",
    "MCP tools: the 18 of kbdb, the nine kb_ ones, or all",
  ).choices(["kbdb", "kb", "all"]).default(fallback);
}

function tagOption(description: string): Option {
  return new Option("--tag <tag>", `${description} (may be repeated)`)
    .argParser((
      tag: string,
      before: string[] | undefined,
    ) => [...(before ?? []), tag]);
}

/** An option that takes a whole number in a range. */
function countOption(
  flags: string,
  description: string,
  { min, max = Number.MAX_SAFE_INTEGER }: {
    readonly min: number;
    readonly max?: number;
  },
): Option {
  return new Option(flags, description).argParser((text: string) => {
    const count = /^\d+$/.test(text) ? Number(text) : NaN;
    if (count >= min && count <= max) return count;
    const range = max === Number.MAX_SAFE_INTEGER
      ? `${min} or more`
      : `${min} to ${max}`;
    throw new InvalidArgumentError(`Must be a whole number, ${range}.`);
  });
}

function toShare(text: string): number {
  const share = text.trim() === "" ? NaN : Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError("Must be a number from 0 to 1.");
}
