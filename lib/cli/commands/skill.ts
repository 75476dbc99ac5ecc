import { isKbid, KbError } from "../../core/mod.ts";
import {
  type Engine,
  fillPlaceholders,
  type SkillArgument,
  type SkillDefinition,
} from "../../kb/mod.ts";
import { confirm } from "../confirm.ts";
import { toPair } from "../filter.ts";
import { toPrintable } from "../format.ts";
import { readText } from "../input.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { writeListing } from "../output/write.ts";
import { openForReading, openForWriting } from "../session.ts";
import type { AskingOptions } from "./rm.ts";

/** Options of `kbdb skill add`. */
export interface AddSkillOptions extends GlobalOptions {
  /** What the skill does. */
  readonly description: string;
  /** File of the template. */
  readonly file?: string;
  /** Placeholders, each `NAME=DESCRIPTION` or `NAME?=DESCRIPTION`. */
  readonly arg?: readonly string[];
}

/** Lists the skills. */
export async function list(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeListing(io, options, {
    rows: await kb.listSkills(),
    columns: [
      { name: "name", value: ({ name }) => name },
      { name: "kbid", value: ({ kbid }) => kbid },
      {
        name: "arguments",
        value: (skill) => skill.arguments.map(({ name }) => name),
      },
      { name: "description", value: ({ description }) => description },
    ],
    empty: "There are no skills yet; keep one with: kbdb skill add",
  });
  return 0;
}

/** Shows a skill with its template. */
export async function show(
  io: CliIo,
  ref: string,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const skill = await getSkill(kb, ref);
  if (options.format === "json") {
    writeJson(io, skill);
    return 0;
  }
  writeLines(io.out, [
    `${toPrintable(skill.name)}  ${skill.kbid}`,
    toPrintable(skill.description),
    ...skill.arguments.map(describeArgument),
    "",
    ...skill.body.split("\n").map(toPrintable),
  ]);
  return 0;
}

function describeArgument(
  { name, description = "", required }: SkillArgument,
): string {
  const about = required === true ? description : `(optional) ${description}`;
  return toPrintable(`  ${name}  ${about}`).trimEnd();
}

/** A skill by name, or by kbid. */
export async function getSkill(
  kb: Engine,
  ref: string,
): Promise<SkillDefinition> {
  return await kb.getSkill(isKbid(ref) ? { kbid: ref } : { name: ref });
}

/** Keeps a skill. */
export async function add(
  io: CliIo,
  name: string,
  words: readonly string[],
  options: AddSkillOptions,
): Promise<number> {
  const body = await readText(io, words, {
    usage: 'kbdb skill add NAME --description TEXT "TEMPLATE"',
    ...(options.file === undefined ? {} : { file: options.file }),
  });
  await using kb = await openForWriting(io, options);
  const { skill, created } = await kb.learnSkill({
    name,
    description: options.description,
    body,
    arguments: (options.arg ?? []).map(toArgument),
  });
  if (options.format === "json") writeJson(io, { ...skill, created });
  else {
    io.out.write(
      created
        ? `Kept the skill ${skill.name} as ${skill.kbid}\n`
        : `The skill ${skill.name} is there already, as ${skill.kbid}\n`,
    );
  }
  return 0;
}

function toArgument(text: string): SkillArgument {
  const [name, description] = text.includes("=") ? toPair(text) : [text];
  const isOptional = name.endsWith("?");
  return {
    name: isOptional ? name.slice(0, -1) : name,
    required: !isOptional,
    ...(description === undefined || description === "" ? {} : { description }),
  };
}

/** Prints the template of a skill with its placeholders filled. */
export async function render(
  io: CliIo,
  ref: string,
  pairs: readonly string[],
  options: GlobalOptions,
): Promise<number> {
  const values = Object.fromEntries(pairs.map(toPair));
  await using kb = await openForReading(io, options);
  const skill = await getSkill(kb, ref);
  checkValues(skill, values);
  const text = fillPlaceholders(skill.body, values);
  if (options.format === "json") writeJson(io, { name: skill.name, text });
  else io.out.write(text + "\n");
  return 0;
}

function checkValues(
  skill: SkillDefinition,
  values: Readonly<Record<string, string>>,
): void {
  const known = skill.arguments.map(({ name }) => name);
  const unknown = Object.keys(values).filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new KbError(
      "invalid_input",
      `The skill ${skill.name} has no placeholder ${
        unknown.join(", ")
      }; it has: ${known.join(", ") || "none"}`,
    );
  }
  const missing = skill.arguments.filter(({ name, required }) =>
    required === true && !Object.hasOwn(values, name)
  );
  if (missing.length > 0) {
    throw new KbError(
      "invalid_input",
      `The skill ${skill.name} needs ${
        missing.map(({ name }) => `${name}=…`).join(" ")
      }`,
    );
  }
}

/** Removes a skill. */
export async function rm(
  io: CliIo,
  ref: string,
  options: AskingOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const { kbid, name } = await getSkill(kb, ref);
  await confirm(
    io,
    `Remove the skill ${name} (${kbid})? Agents that refer to it keep the reference.`,
    options.yes,
  );
  await kb.removeSkill(kbid);
  if (options.format === "json") writeJson(io, { removed: kbid });
  else io.out.write(`Removed the skill ${name}\n`);
  return 0;
}
