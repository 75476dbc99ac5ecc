import type { Command, Option } from "commander";
import { listInner } from "./declare/declaring.ts";

/** An option a shell can complete. */
export interface CompletedOption {
  /** Flags, long one first. */
  readonly flags: readonly string[];
  /** Whether a value follows. */
  readonly takesValue: boolean;
  /** Values it can have; `[]` if any. */
  readonly choices: readonly string[];
  /** One line on what it does. */
  readonly about: string;
}

/** A word a shell can complete, and what it stands for. */
export interface CompletedWord {
  /** The word. */
  readonly word: string;
  /** One line on it. */
  readonly about: string;
}

/** What can stand after some words of a command line. */
export interface CompletionNode {
  /** Names that lead to the command, separated by spaces; `""` is kbdb itself. */
  readonly where: string;
  /** Commands inside it, and values of its argument. */
  readonly words: readonly CompletedWord[];
  /** Its options and those of kbdb itself. */
  readonly options: readonly CompletedOption[];
}

/** Lists what can stand where on the command line, kbdb itself first. */
export function toCompletionNodes(program: Command): CompletionNode[] {
  const shared = [
    ...program.options.map(toOption),
    {
      flags: ["--help", "-h"],
      takesValue: false,
      choices: [],
      about: "print help",
    },
  ];
  const visit = (command: Command, where: string): CompletionNode[] => [
    {
      where,
      words: [
        ...listInner(command).map((inner) => ({
          word: inner.name(),
          about: toLine(inner.description()),
        })),
        ...command.registeredArguments.flatMap(({ argChoices = [] }) =>
          argChoices.map((word) => ({ word, about: "" }))
        ),
      ],
      options: command === program
        ? shared
        : [...command.options.map(toOption), ...shared],
    },
    ...listInner(command).flatMap((inner) =>
      visit(inner, `${where} ${inner.name()}`.trim())
    ),
  ];
  return visit(program, "");
}

function toOption(
  { long, short, required, optional, argChoices = [], description }: Option,
): CompletedOption {
  return {
    flags: [long, short].filter((flag) => flag !== undefined && flag !== null),
    takesValue: required || optional,
    choices: argChoices,
    about: toLine(description),
  };
}

/** The beginning of a description, as shells show one line. */
function toLine(text: string): string {
  return (text.split(/[;\n]/)[0] ?? "").slice(0, 100);
}
