import type { Command } from "commander";
import {
  addExamples,
  commandByDefault,
  type Declaring,
  markListing,
} from "./declaring.ts";
import { addTagOptions, listOption, yesOption } from "./options.ts";

/** Declares the commands that keep a base in step with folders. */
export function declareSyncing({ program, io, done }: Declaring): void {
  const sync = program.command("sync [folders...]")
    .description(
      "make the base hold what folders hold, and remember them; without a folder, all that were synced before",
    )
    .option("-n, --dry-run", "say what would be done, and do nothing");
  addRuleOptions(sync)
    .option("--no-embed", "leave the vectors for later (kbdb embed)")
    .action(async (folders: string[], _: unknown, command: Command) => {
      const { sync } = await import("../commands/sync.ts");
      done(await sync(io, folders, command.optsWithGlobals()));
    });
  addExamples(
    sync,
    ["kbdb sync ~/notes -c notes", "the first time"],
    ["kbdb sync", "all folders, as they were synced before"],
    ["kbdb sync src --include '*.ts' --exclude '*_test.ts'", "some files only"],
    ["kbdb sync ~/notes --dry-run", "what would change"],
  );
  declareRoots({ program, io, done });
  const watch = program.command("watch [folders...]")
    .description(
      "sync folders now and whenever something in them changes, until Ctrl-C; without a folder, all that were synced before",
    );
  addRuleOptions(watch)
    .option("--no-embed", "leave the vectors for later (kbdb embed)")
    .action(async (folders: string[], _: unknown, command: Command) => {
      const { watch } = await import("../commands/watch.ts");
      done(await watch(io, folders, command.optsWithGlobals()));
    });
  addExamples(
    watch,
    ["kbdb watch ~/notes", "find what you write as soon as it is saved"],
    ["kbdb watch", "all folders that were synced before"],
  );
}

function declareRoots(
  { program, io, done }: Omit<Declaring, "version">,
): void {
  const roots = program.command("roots")
    .description("the folders that are synced");
  const list = commandByDefault(roots, "list")
    .description("list them, with the options they are synced with")
    .action(async (_: unknown, command: Command) => {
      const { list } = await import("../commands/sync.ts");
      done(await list(io, command.optsWithGlobals()));
    });
  addExamples(markListing(list), [
    "kbdb roots list",
    "what a bare kbdb sync syncs",
  ]);
  const forget = roots.command("forget <folder>")
    .description("sync a folder no more; its documents stay")
    .option("--documents", "remove its documents too")
    .addOption(yesOption())
    .action(async (folder: string, _: unknown, command: Command) => {
      const { forget } = await import("../commands/sync.ts");
      done(await forget(io, folder, command.optsWithGlobals()));
    });
  addExamples(
    forget,
    ["kbdb roots forget ~/notes", "keep what is in the base"],
    ["kbdb roots forget ~/old --documents --yes", "and remove it"],
  );
}

/** Adds what says which files are taken in, and what they get. */
export function addRuleOptions(command: Command): Command {
  return addTagOptions(command, "give every file this tag")
    .option("-c, --collection <name>", "put the files in this collection")
    .addOption(
      listOption(
        "--include <pattern>",
        "take only files this matches, written as in a .gitignore",
      ),
    )
    .addOption(
      listOption(
        "--exclude <pattern>",
        "take no files or folders this matches, written as in a .gitignore",
      ),
    )
    .option("--no-ignore", "do not read .gitignore and .kbdbignore files")
    .option(
      "--archives",
      "take in the files in .zip, .tar and .gz archives too",
    );
}
