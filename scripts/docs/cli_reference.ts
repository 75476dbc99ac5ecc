/**
 * The usage of every command in docs/cli.md, written from what declares the commands.
 *
 * @module
 */
import type { Command, Option } from "commander";
import {
  examplesOf,
  isListing,
  listInner,
  toFullName,
} from "../../lib/cli/declare/declaring.ts";
import { declaredProgram } from "./program.ts";

/** Writes the part of each command, named `command NAME`, and that of the options they share. */
export function cliReference(): Map<string, string> {
  const program = declaredProgram();
  return new Map([
    ["options", toOptionTable(program.options)],
    ...program.commands.map((command): [string, string] => [
      `command ${command.name()}`,
      describeCommand(command),
    ]),
  ]);
}

/** Usage, what it does, options and examples; those of the commands inside it follow. */
function describeCommand(command: Command): string {
  const examples = examplesOf(command);
  const formats = isListing(command)
    ? "Answers as `text`, `json`, `jsonl`, `csv` and `md`."
    : "";
  const parts = [
    `\`${toUsage(command)}\``,
    toSentence(command.description()),
    toOptionTable(command.options),
    formats,
    examples.length === 0 ? "" : [
      "```sh",
      ...examples.flatMap(([line, what]) => [`# ${what}`, line]),
      "```",
    ].join("\n"),
    ...listInner(command).map((inner) =>
      `### ${toFullName(inner)}\n\n${describeCommand(inner)}`
    ),
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function toUsage(command: Command): string {
  const usage = command.usage().replace(/\[options\] ?/, "")
    .replace(/ ?\[command\]/, command.commands.length > 0 ? " [command]" : "");
  const options = command.options.length > 0 ? " [options]" : "";
  return `${toFullName(command)}${options} ${usage.trim()}`.trim();
}

function toSentence(text: string): string {
  return text.charAt(0).toUpperCase() + escape(text.slice(1)) + ".";
}

function toOptionTable(options: readonly Option[]): string {
  if (options.length === 0) return "";
  return [
    "| option | what it does |",
    "| --- | --- |",
    ...options.map((option) =>
      `| \`${option.flags}\` | ${escape(describeOption(option))} |`
    ),
  ].join("\n");
}

function describeOption(
  { description, argChoices, defaultValue, defaultValueDescription }: Option,
): string {
  const shown = defaultValueDescription ??
    (typeof defaultValue === "boolean" || defaultValue === undefined
      ? undefined
      : String(defaultValue));
  return [
    description,
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(", ")}`]),
    ...(shown === undefined ? [] : [`default ${shown}`]),
  ].join("; ");
}

function escape(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("*", "\\*").replaceAll(
    "<",
    "&lt;",
  );
}
