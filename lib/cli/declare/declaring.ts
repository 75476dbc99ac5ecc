import type { Command } from "commander";
import { KbError } from "../../core/mod.ts";
import type { CliIo, GlobalOptions } from "../io.ts";

/** What the declaration of a command needs. */
export interface Declaring {
  /** The whole command line. */
  readonly program: Command;
  /** Streams and environment, handed to the command. */
  readonly io: CliIo;
  /** Takes the exit code. */
  readonly done: (code: number) => void;
  /** Version of kbdb. */
  readonly version: string;
}

/** A command line and what it is for. */
export type Example = readonly [line: string, what: string];

const EXAMPLES = new WeakMap<Command, readonly Example[]>();
const LISTINGS = new WeakSet<Command>();
const DEFAULTS = new WeakSet<Command>();

/** Gives a command examples: its help ends with them, and so does its part of the reference. */
export function addExamples(
  command: Command,
  ...examples: readonly Example[]
): Command {
  EXAMPLES.set(command, examples);
  return command.addHelpText(
    "after",
    ["", "Examples:", ...toExampleLines(examples)].join("\n"),
  );
}

/** The examples of a command, `[]` if it has none. */
export function examplesOf(command: Command): readonly Example[] {
  return EXAMPLES.get(command) ?? [];
}

/** Sets each example above what it is for. */
export function toExampleLines(examples: readonly Example[]): string[] {
  return examples.flatMap(([line, what]) => [`  # ${what}`, `  ${line}`]);
}

/** Declares a command inside another that runs if none is named there. */
export function commandByDefault(above: Command, name: string): Command {
  const command = above.command(name, { isDefault: true });
  DEFAULTS.add(command);
  // What is too much for it may be a mistyped command beside it, as checkCall says.
  return command.allowExcessArguments();
}

/** Marks a command whose answer has rows or facts, so that it comes as jsonl, csv and md too. */
export function markListing(command: Command): Command {
  LISTINGS.add(command);
  return command;
}

/** Whether a command's answer has rows or facts. */
export function isListing(command: Command): boolean {
  return LISTINGS.has(command);
}

/** Name of a command with those above it, such as `kbdb key list`. */
export function toFullName(command: Command): string {
  return command.parent === null
    ? command.name()
    : `${toFullName(command.parent)} ${command.name()}`;
}

/**
 * Finds a command by the names that lead to it, such as `["key", "list"]`.
 *
 * @throws {KbError} `invalid_input` if there is none.
 */
export function findCommand(
  program: Command,
  names: readonly string[],
): Command {
  return names.reduce((above, name) => {
    const found = above.commands.find((command) => command.name() === name);
    if (found !== undefined) return found;
    throw new KbError(
      "invalid_input",
      `${toFullName(above)} has no command "${name}"; see: kbdb --help`,
    );
  }, program);
}

/** Every command people are told of, those inside others too. */
export function listCommands(program: Command): Command[] {
  return listInner(program).flatMap((command) => [
    command,
    ...listCommands(command),
  ]);
}

/** The commands inside another that people are told of. */
export function listInner(command: Command): readonly Command[] {
  const visible = new Set(command.createHelp().visibleCommands(command));
  return command.commands.filter((inner) => visible.has(inner));
}

/**
 * Refuses what a command line asks for and the command does not have, before it does anything.
 *
 * @throws {KbError} `invalid_input` for a format the command has not, or a command inside another that is none.
 */
export function checkCall(command: Command): void {
  const { format } = command.optsWithGlobals<GlobalOptions>();
  if (format !== "text" && format !== "json" && !isListing(command)) {
    throw new KbError(
      "invalid_input",
      `${toFullName(command)} answers as text or json only, not as ${format}`,
    );
  }
  const [extra] = command.args.slice(command.registeredArguments.length);
  if (extra === undefined) return;
  const { parent } = command;
  const group = DEFAULTS.has(command) && parent !== null ? parent : command;
  if (group.commands.length > 0) {
    const names = listInner(group).map((inner) => inner.name()).join(", ");
    throw new KbError(
      "invalid_input",
      `${toFullName(group)} has no command "${extra}"; there are: ${names}`,
    );
  }
}
