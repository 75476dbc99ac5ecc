import { Command, Option } from "commander";
import {
  checkCall,
  type Declaring,
  listCommands,
  toFullName,
} from "./declare/declaring.ts";
import { declareHelping } from "./declare/helping.ts";
import { declareJobs } from "./declare/jobs.ts";
import { declareKeeping } from "./declare/keeping.ts";
import { declareReading } from "./declare/reading.ts";
import { declareServing } from "./declare/serving.ts";
import { declareSkills } from "./declare/skills.ts";
import { declareSyncing } from "./declare/syncing.ts";
import { declareUpkeep } from "./declare/upkeep.ts";
import { declareWriting } from "./declare/writing.ts";
import { type CliIo, FORMATS } from "./io.ts";
import { VERSION } from "./version.ts";

/** Commands that belong together, in the order help shows them. */
const FAMILIES: readonly (readonly [
  title: string,
  declare: (declaring: Declaring) => void,
])[] = [
  ["Add and change", declareWriting],
  ["Keep in step", declareSyncing],
  ["Find and read", declareReading],
  ["Queue", declareJobs],
  ["Skills and agents", declareSkills],
  ["State and repair", declareUpkeep],
  ["Keep safe", declareKeeping],
  ["Serve", declareServing],
  ["Help", declareHelping],
];

/** Thrown while arguments are read, if they ask for the version. */
export class VersionWanted extends Error {}

const EPILOG = `
The base is the one of --db, else KBDB_DIR, else the nearest .kbdb up the tree, else your personal one.
With --url or KB_ENGINE_URL it is that of a kbdb serve elsewhere.

Query syntax: words, "a phrase", -without, prefix*, tag:NAME, type:TYPE, in:COLLECTION,
after:2026-01-31, before:2026-02-28.

Examples:
  kbdb add notes docs/manual.md
  kbdb search "how do I restore a backup"
  kbdb search '"exit code" in:documents -draft' --format json

More of them: kbdb examples, and kbdb COMMAND --help.`;

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
    .helpOption("-h, --help", "print this help")
    .addHelpText("after", EPILOG)
    .option("-V, --version", "print the version of kbdb and of what is inside")
    .on("option:version", () => {
      throw new VersionWanted();
    })
    .option("--db <dir>", "directory of the base")
    .addOption(
      new Option(
        "--url <url>",
        "engine that has the base, elsewhere; its key is KB_API_KEY",
      ).conflicts("db"),
    )
    .option("--no-daemon", "neither use nor start a daemon")
    .addOption(
      new Option(
        "--format <format>",
        "how answers look; jsonl, csv and md for those with rows",
      ).choices(FORMATS).default("text"),
    )
    .option("--json", "the same as --format json")
    .on("option:json", () => {
      program.setOptionValueWithSource("format", "json", "cli");
    })
    .showHelpAfterError("(see: kbdb --help)")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.out.write(text),
      writeErr: (text) => io.err.write(text),
    })
    .hook("preAction", (_, command) => checkCall(command));
  const declaring: Declaring = { program, io, done, version: VERSION };
  for (const [title, declare] of FAMILIES) {
    program.commandsGroup(`${title}:`);
    declare(declaring);
  }
  program.commandsGroup("Help:").helpCommand("help [command]", "print help");
  for (const command of listCommands(program)) {
    command.showHelpAfterError(`(see: ${toFullName(command)} --help)`);
    command.summary(command.description().split(";")[0] ?? "");
    // What is too much for it may be a mistyped command inside it, as checkCall says.
    if (command.commands.length > 0) command.allowExcessArguments();
  }
  return program;
}
