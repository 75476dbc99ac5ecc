import { KbError, type Kbid, LIMITS, toKbid } from "../core/mod.ts";
import { insertChunks, putSection, type Store } from "../store/mod.ts";
import { cutSection } from "./cut_section.ts";
import type { Measure } from "./types.ts";

/** An argument of a skill's template. */
export interface SkillArgument {
  /** Name of the `{{placeholder}}`. */
  readonly name: string;
  /** What to give. */
  readonly description?: string;
  /** Whether the skill is of no use without it. */
  readonly required?: boolean;
}

/** A skill: a template an agent fills in. */
export interface SkillInput {
  /** Kebab-case name. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** Text with `{{name}}` placeholders. */
  readonly body: string;
  /** What is known of its arguments; further placeholders of `body` are added as required ones. */
  readonly arguments?: readonly SkillArgument[];
}

/** A skill as stored. */
export interface SkillDefinition extends Required<SkillInput> {
  /** Name of its section. */
  readonly kbid: Kbid;
}

const PLACEHOLDER = /\{\{\s*([A-Za-z_][\w-]*)\s*\}\}/g;

/** Lists the placeholders of a template, each once, in order. */
export function listPlaceholders(body: string): string[] {
  return [
    ...new Set([...body.matchAll(PLACEHOLDER)].map(([, name = ""]) => name)),
  ];
}

/**
 * Fills in the placeholders of a template. A placeholder without a value is left out, and nothing
 * in a value is taken for a placeholder.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(
 *   fillPlaceholders("{{a}} and {{ b }}{{c}}", { a: "{{b}}", b: "$&" }),
 *   "{{b}} and $&",
 * );
 * ```
 */
export function fillPlaceholders(
  body: string,
  values: Readonly<Record<string, string>>,
): string {
  return body.replaceAll(
    PLACEHOLDER,
    (_, name: string) => Object.hasOwn(values, name) ? values[name] ?? "" : "",
  );
}

/**
 * Stores a skill as a section named by its canonical JSON; the same skill again changes nothing.
 *
 * @throws {KbError} `invalid_input` if its name is not in kebab case, its body is blank, or a part
 * is too long.
 */
export function storeSkill(
  store: Store,
  input: SkillInput,
  measure: Measure,
): { skill: SkillDefinition; created: boolean } {
  const definition = toDefinition(input);
  const content = JSON.stringify(definition);
  const { name, description } = definition;
  const section = {
    sectionType: "skill",
    title: name,
    description,
    context: "",
    content,
    standalone: true,
  };
  return store.write(() => {
    const { id, created } = putSection(store, section);
    const chunks = created ? cutSection(section, measure) : [];
    insertChunks(store, [{ sectionId: id, chunks }]);
    return { skill: { kbid: toKbid(content), ...definition }, created };
  });
}

/** Reads a skill back from its section's text. */
export function readSkill(kbid: Kbid, content: string): SkillDefinition {
  return { kbid, ...JSON.parse(content) };
}

/** Brings a skill into its one form, keys in one order. */
function toDefinition(input: SkillInput): Required<SkillInput> {
  const name = input.name.trim();
  checkName("skill", name);
  const body = input.body.trim();
  if (body === "") {
    throw new KbError("invalid_input", "skill body must not be empty");
  }
  checkLength("skill body", body, LIMITS.noteChars);
  const description = input.description.trim();
  checkLength("skill description", description, LIMITS.descriptionChars);
  const declared = (input.arguments ?? []).map(toArgument);
  const known = new Set(declared.map((argument) => argument.name));
  if (known.size < declared.length) {
    throw new KbError(
      "invalid_input",
      "Two arguments of the skill have one name",
    );
  }
  const found = listPlaceholders(body).filter((placeholder) =>
    !known.has(placeholder)
  )
    .map((placeholder) => ({ name: placeholder, required: true }));
  const all = [...declared, ...found];
  if (all.length > LIMITS.skillArguments) {
    throw new KbError(
      "invalid_input",
      `The skill has ${all.length} arguments, the limit is ${LIMITS.skillArguments}`,
    );
  }
  return { name, description, arguments: all, body };
}

function toArgument(
  { name, description, required }: SkillArgument,
): SkillArgument {
  if (!/^[A-Za-z_][\w-]*$/.test(name)) {
    throw new KbError(
      "invalid_input",
      `Cannot use "${name}" as the name of an argument: a letter or _, then letters, digits, _ or -`,
    );
  }
  return {
    name,
    ...(description === undefined ? {} : { description }),
    required: required ?? false,
  };
}

/**
 * Checks the name of a skill or agent.
 *
 * @throws {KbError} `invalid_input` with a name that would do.
 */
export function checkName(what: "skill" | "agent", name: string): void {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= LIMITS.tagChars) {
    return;
  }
  const better = name.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(
    /^-+|-+$/g,
    "",
  ).slice(0, LIMITS.tagChars);
  throw new KbError(
    "invalid_input",
    `Cannot use "${name.slice(0, 80).toWellFormed()}" as the name of ${
      what === "agent" ? "an" : "a"
    } ${what}: kebab case is expected, ` +
      `such as "${better === "" ? `my-${what}` : better}"`,
  );
}

/** Refuses a text that is too long. */
export function checkLength(what: string, text: string, max: number): void {
  if (text.length > max) {
    throw new KbError(
      "invalid_input",
      `The ${what} has ${text.length} characters, the limit is ${max}`,
    );
  }
}
