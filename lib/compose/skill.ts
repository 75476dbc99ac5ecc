import type { Json, JsonObject } from "../core/mod.ts";
import { findMarks } from "../text/mod.ts";
import { shiftHeading, toFence, toHeading } from "./markdown.ts";

/** A skill as its section holds it. */
export interface ParsedSkill {
  /** Name; `""` if the section holds none. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** What can be filled in. */
  readonly arguments: readonly JsonObject[];
  /** Template. */
  readonly body: string;
}

/** Says whether a JSON value is an object. */
export function isJsonObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads a text out of a JSON object; `""` if there is none. */
export function textOf(object: JsonObject, key: string): string {
  const value = object[key];
  return typeof value === "string" ? value.trim() : "";
}

/** Reads the canonical JSON of a skill section; `undefined` if it is none. */
export function parseSkill(content: string): ParsedSkill | undefined {
  let value: Json;
  try {
    value = JSON.parse(content);
  } catch {
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  const list = value["arguments"];
  return {
    name: textOf(value, "name"),
    description: textOf(value, "description"),
    arguments: Array.isArray(list) ? list.filter(isJsonObject) : [],
    body: textOf(value, "body"),
  };
}

/** Writes a skill: name, description, arguments, body. */
export function* toSkillBlocks(
  content: string,
  title: string | null,
  level: number,
): Generator<string> {
  const skill = parseSkill(content);
  if (skill === undefined) return yield toFence(content, "json");
  const name = skill.name === "" ? title ?? "Skill" : skill.name;
  yield toHeading(level, name);
  if (skill.description !== "") yield skill.description;
  if (skill.arguments.length > 0) {
    yield toHeading(level + 1, "Arguments");
    yield skill.arguments.map(toArgument).join("\n");
  }
  if (skill.body !== "") {
    yield toHeading(level + 1, "Body");
    yield toLower(skill.body, level + 2);
  }
}

function toArgument(argument: JsonObject): string {
  const required = argument["required"] === true ? " (required)" : "";
  const description = textOf(argument, "description").replace(/\s+/g, " ");
  const end = description === "" ? "" : `: ${description}`;
  return `- \`${textOf(argument, "name")}\`${required}${end}`;
}

/** Shifts the headings of a text so that the highest stands at a level. */
export function toLower(text: string, level: number): string {
  const { headings } = findMarks(text);
  if (headings.length === 0) return text;
  const top = headings.reduce((least, it) => Math.min(least, it.level), 6);
  const parts: string[] = [];
  let at = 0;
  for (const heading of headings) {
    const { start, end } = heading;
    parts.push(
      text.slice(at, start),
      shiftHeading(text.slice(start, end), heading, level - top),
    );
    at = end;
  }
  return parts.join("") + text.slice(at);
}
