import { type Command, CommanderError } from "commander";
import { KbError } from "../core/mod.ts";
import { findCommand, listCommands } from "./declare/declaring.ts";
import { EXIT_CODES, EXIT_INTERNAL, EXIT_USAGE } from "./exit_codes.ts";
import type { CliIo } from "./io.ts";
import { toSystemError } from "./system_errors.ts";
import { buildProgram, VersionWanted } from "./program.ts";
import { VERSION } from "./version.ts";

/**
 * Runs one command line.
 *
 * @param args Arguments without program and script name.
 * @param io Streams, environment, working directory.
 * @returns The exit code: 0 done, 2 wrong usage or input, 3 every item failed, 4 not found,
 * 5 conflict, 65 damaged base, 69 no model or no engine, 70 a bug, 75 busy, 77 not allowed, 130 stopped; 1 an
 * engine that is too old.
 */
export async function run(args: readonly string[], io: CliIo): Promise<number> {
  let code = 0;
  const program = buildProgram(io, (result) => {
    code = result;
  });
  if (wantsJson(args)) silence(program);
  try {
    const [first, ...names] = args.filter((arg) => !arg.startsWith("-"));
    if (first === "help" && args[0] === first && names.length > 0) {
      findCommand(program, names).outputHelp();
      return 0;
    }
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof VersionWanted) return await showVersion(args, io);
    return report(error, args, io);
  }
}

async function showVersion(
  args: readonly string[],
  io: CliIo,
): Promise<number> {
  const { showVersion } = await import("./commands/version.ts");
  const format = wantsJson(args) ? "json" : "text";
  return await showVersion(io, VERSION, { format });
}

/** Says what went wrong and gives the exit code for it. */
function report(error: unknown, args: readonly string[], io: CliIo): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    if (error.code === "commander.help") return EXIT_USAGE;
    if (wantsJson(args)) {
      const message = error.message.replace(/^error: /, "").trim();
      writeError(io, { code: "invalid_input", message, details: {} });
    } else if (
      error.code === "commander.unknownOption" && !args.includes("--")
    ) {
      hintAtDashes(error.message, args, io);
    }
    return EXIT_USAGE;
  }
  const known = error instanceof KbError ? error : toSystemError(error);
  if (known !== undefined) {
    const { code, message, details } = known;
    if (wantsJson(args)) writeError(io, { code, message, details });
    // What the engine's age comes to is told in words of its own.
    else {io.err.write(
        "least" in details ? `${message}\n` : `kbdb: ${message}\n`,
      );}
    return EXIT_CODES[code];
  }
  if (error instanceof RangeError) {
    const { message } = error;
    if (wantsJson(args)) {
      writeError(io, { code: "invalid_input", message, details: {} });
    } else io.err.write(`kbdb: ${message}\n`);
    return EXIT_USAGE;
  }
  const stack = error instanceof Error
    ? error.stack ?? error.message
    : String(error);
  io.err.write(`kbdb: this is a bug, please report it\n${stack}\n`);
  return EXIT_INTERNAL;
}

/** Keeps commander from writing errors as text, as they are written as JSON. */
function silence(program: Command): void {
  for (const command of [program, ...listCommands(program)]) {
    command.showHelpAfterError(false).configureOutput({ outputError() {} });
  }
}

/** Writes an error as one line of JSON. */
function writeError(
  io: CliIo,
  error: Pick<KbError, "code" | "message" | "details">,
): void {
  io.err.write(JSON.stringify({ error }) + "\n");
}

/** Commands whose arguments are text, which may begin with a dash. */
const TEXT_COMMANDS: ReadonlySet<string> = new Set([
  "search",
  "addnote",
  "updatenote",
  "learn",
]);

/** Says how text is told from options, as a query such as `-v` looks like one. */
function hintAtDashes(
  message: string,
  args: readonly string[],
  io: CliIo,
): void {
  const command = args.find((arg) => TEXT_COMMANDS.has(arg));
  const [, option] = /'(-[^']*)'/.exec(message) ?? [];
  if (command === undefined || option === undefined) return;
  io.err.write(
    `If "${option}" is text, put -- before it: kbdb ${command} -- "${option}"\n`,
  );
}

function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf("--");
  return (end === -1 ? args : args.slice(0, end)).some((arg, index) =>
    arg === "--json" || /^--format=jsonl?$/.test(arg) ||
    (arg === "--format" && /^jsonl?$/.test(args[index + 1] ?? ""))
  );
}
