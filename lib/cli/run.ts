import { CommanderError } from "commander";
import { KbError } from "../core/mod.ts";
import { EXIT_CODES, EXIT_INTERNAL, EXIT_USAGE } from "./exit_codes.ts";
import type { CliIo } from "./io.ts";
import { buildProgram } from "./program.ts";

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
  try {
    await program.parseAsync([...args], { from: "user" });
    return code;
  } catch (error) {
    return report(error, args, io);
  }
}

/** Says what went wrong and gives the exit code for it. */
function report(error: unknown, args: readonly string[], io: CliIo): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : EXIT_USAGE;
  }
  if (error instanceof KbError) {
    const { code, message, details } = error;
    io.err.write(
      wantsJson(args)
        ? JSON.stringify({ error: { code, message, details } }) + "\n"
        // What the engine's age comes to is told in words of its own.
        : "least" in details
        ? `${message}\n`
        : `kbdb: ${message}\n`,
    );
    return EXIT_CODES[code];
  }
  if (error instanceof RangeError) {
    io.err.write(`kbdb: ${error.message}\n`);
    return EXIT_USAGE;
  }
  const stack = error instanceof Error
    ? error.stack ?? error.message
    : String(error);
  io.err.write(`kbdb: this is a bug, please report it\n${stack}\n`);
  return EXIT_INTERNAL;
}

function wantsJson(args: readonly string[]): boolean {
  return args.includes("--format=json") ||
    args.some((arg, index) => arg === "--format" && args[index + 1] === "json");
}
