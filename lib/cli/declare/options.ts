import { type Command, InvalidArgumentError, Option } from "commander";
import { toBytes } from "../settings/kinds.ts";

/** An option that takes a whole number in a range. */
export function countOption(
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

/** An option that takes a size in a range, in bytes or with a unit. */
export function bytesOption(
  flags: string,
  description: string,
  { min, max }: { readonly min: number; readonly max: number },
): Option {
  return new Option(
    flags,
    `${description}, in bytes or with a unit: kB, MB, GB, KiB, MiB, GiB`,
  ).argParser((text: string) => {
    const bytes = toBytes(text);
    if (Number.isInteger(bytes) && bytes >= min && bytes <= max) return bytes;
    throw new InvalidArgumentError(
      `Must be ${min} to ${max} bytes; a unit may follow, such as 100MB or 64MiB.`,
    );
  });
}

/** An option that may be given several times. */
export function listOption(flags: string, description: string): Option {
  return new Option(flags, `${description} (may be repeated)`).argParser(
    (text: string, before: readonly string[] | undefined) => [
      ...(before ?? []),
      text,
    ],
  );
}

/** Chooses the tools of MCP. */
export function toolsOption(fallback: string): Option {
  return new Option(
    "--tools <set>",
    "MCP tools: the 18 of kbdb, the nine kb_ ones, or all",
  ).choices(["kbdb", "kb", "all"]).default(undefined, fallback);
}

/** Answers a question before it is asked. */
export function yesOption(): Option {
  return new Option("-y, --yes", "do not ask");
}

/** Reads a share of 1. */
export function toShare(text: string): number {
  const share = text.trim() === "" ? NaN : Number(text);
  if (share >= 0 && share <= 1) return share;
  throw new InvalidArgumentError("Must be a number from 0 to 1.");
}

/** Adds `--tag TAG`, and `--tags A,B` as other tools of the kind call it. */
export function addTagOptions(command: Command, description: string): Command {
  return addListed(
    command.addOption(listOption("-t, --tag <tag>", description)),
    "--tags <tags>",
    "tag",
  );
}

/** Adds a second name of a list option, which takes several values between commas. */
export function addListed(
  command: Command,
  flags: string,
  of: string,
): Command {
  const option = new Option(flags, `--${of} for each, separated by commas`);
  command.addOption(option);
  return command.on(`option:${option.name()}`, (text: string) => {
    const before: readonly string[] = command.getOptionValue(of) ?? [];
    const values = text.split(",").map((value) => value.trim())
      .filter((value) => value !== "");
    command.setOptionValueWithSource(of, [...before, ...values], "cli");
  });
}

/** Adds a second name of an option. */
export function addAlias(command: Command, flags: string, of: string): Command {
  const target = command.options.find((one) => one.attributeName() === of);
  const option = new Option(flags, `the same as ${target?.long}`);
  if (target?.parseArg !== undefined) option.argParser(target.parseArg);
  command.addOption(option);
  return command.on(`option:${option.name()}`, () => {
    const value = command.getOptionValue(option.attributeName());
    command.setOptionValueWithSource(of, value, "cli");
  });
}

/** Adds the options that restrict documents. */
export function addFilters(command: Command): Command {
  return addTagOptions(command, "only documents with this tag")
    .option(
      "--type <type>",
      "only documents of this type, such as note, markdown, html, code, image",
    )
    .option("-c, --collection <name>", "only documents of this collection")
    .option(
      "--after <date>",
      "only documents changed at or after this date, such as 2026-01-31",
      toDate,
    )
    .option("--before <date>", "only documents changed before it", toDate)
    .option("--path <path>", "only the document of this file")
    .addOption(
      listOption(
        "--meta <key=value>",
        "only documents whose metadata has this value",
      ),
    );
}

function toDate(text: string): string {
  const isDate = /^\d{4}(-\d\d(-\d\d(T[\d:.]+(Z|[+-]\d\d:?\d\d)?)?)?)?$/.test(
    text,
  );
  const time = Date.parse(text);
  // Times of the base are UTC, and compared as text.
  if (isDate && !Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    "Must be a date, such as 2026-01-31 or 2026-01-31T12:00Z.",
  );
}
