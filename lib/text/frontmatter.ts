import { parse as parseToml } from "smol-toml";
import { parseDocument } from "yaml";
import { type Json, type JsonObject, LIMITS } from "../core/mod.ts";

/** Longest frontmatter looked at, in UTF-16 units; a rule that far above another is a rule. */
const FRONTMATTER_CHARS = 64 * 1024;
/** Deepest nesting of metadata that is kept. */
const METADATA_DEPTH = 32;

/** The frontmatter of a text, and where the text after it begins. */
export interface Frontmatter {
  /** UTF-16 offset of the first line that is to be indexed; 0 unless the frontmatter was read. */
  readonly contentStart: number;
  /** UTF-16 offset from which block structure is read; behind the closing line even of a broken one. */
  readonly structureStart: number;
  /** From `title`; `null` if there is none. */
  readonly title: string | null;
  /** Without duplicates, in the order written. */
  readonly tags: readonly string[];
  /** ISO 8601 UTC, from `created` or `date`. */
  readonly createdAt?: string;
  /** ISO 8601 UTC, from `updated` or `modified`. */
  readonly updatedAt?: string;
  /** All fields, safe to write as JSON. */
  readonly metadata: JsonObject;
  /** Sentences about what could not be used. */
  readonly warnings: readonly string[];
}

/**
 * Reads the YAML (`---`) or TOML (`+++`) frontmatter of a text.
 *
 * @param text Text with LF line ends and without byte order mark.
 * @returns The fields. A frontmatter that is unclosed, malformed, has duplicate keys or is no map
 * gives empty fields, `contentStart` 0 and a warning; no frontmatter gives the same without one.
 */
export function readFrontmatter(text: string): Frontmatter {
  const fence = text.startsWith("---")
    ? "---"
    : text.startsWith("+++")
    ? "+++"
    : undefined;
  if (fence === undefined) return withoutFields(0, []);
  const firstLineEnd = text.indexOf("\n");
  const firstLine = firstLineEnd === -1 ? text : text.slice(0, firstLineEnd);
  if (firstLine.trimEnd() !== fence) return withoutFields(0, []);
  const language = fence === "---" ? "YAML" : "TOML";
  const close = findClosingLine(text, firstLineEnd, fence);
  if (close === undefined) {
    return withoutFields(0, [
      `${language} frontmatter is not closed by a "${fence}" line; it is indexed as text.`,
    ]);
  }
  const source = text.slice(firstLineEnd + 1, close.start);
  try {
    const fields = fence === "---"
      ? parseYamlFields(source)
      : toJson(parseToml(source, { integersAsBigInt: "asNeeded" }), []);
    if (fields === null) return interpret({}, close.end);
    if (isJsonObject(fields)) return interpret(fields, close.end);
    return withoutFields(0, [
      `${language} frontmatter is not a map; it is indexed as text.`,
    ]);
  } catch (error) {
    // Both parsers throw on input they reject, and deep nesting can exhaust the stack.
    const reason = error instanceof Error
      ? (error.message.split("\n", 1)[0] ?? "")
      : "";
    return withoutFields(close.end, [
      `${language} frontmatter is malformed and is indexed as text: ${reason}`,
    ]);
  }
}

/** A frontmatter that gave nothing, so that the whole text is content. */
function withoutFields(
  structureStart: number,
  warnings: readonly string[],
): Frontmatter {
  return {
    contentStart: 0,
    structureStart,
    title: null,
    tags: [],
    metadata: {},
    warnings,
  };
}

/** Finds the line that closes a frontmatter. */
function findClosingLine(
  text: string,
  firstLineEnd: number,
  fence: string,
): { start: number; end: number } | undefined {
  let start = firstLineEnd + 1;
  while (start > 0 && start < text.length && start <= FRONTMATTER_CHARS) {
    const lineEnd = text.indexOf("\n", start);
    const end = lineEnd === -1 ? text.length : lineEnd;
    const opener = text.slice(start, start + 3);
    if (opener === fence || (fence === "---" && opener === "...")) {
      if (text.slice(start, end).trimEnd().length === 3) {
        return { start, end: Math.min(end + 1, text.length) };
      }
    }
    start = end + 1;
  }
  return undefined;
}

/** Parses YAML by the core schema, so that dates stay strings; throws on the first error. */
function parseYamlFields(source: string): Json {
  const simple = parseSimpleYaml(source);
  if (simple !== undefined) return simple;
  const document = parseDocument(source, {
    uniqueKeys: true,
    prettyErrors: true,
    logLevel: "error",
  });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  return toJson(document.toJS({ maxAliasCount: 100 }), []);
}

/** A line `key: value` whose value every YAML parser takes as the same plain string. */
const SIMPLE_LINE =
  /^([A-Za-z_][A-Za-z0-9_.-]*):(?:[ ]+([A-Za-z0-9/][^:#\n\t"'\\]*))?$/;
/** Plain values that YAML may read as something other than a string. */
const NOT_A_STRING =
  /^(?:[\d.+-][\w.+-]*|true|false|null|yes|no|on|off|y|n|~|\.inf|\.nan)$/i;

/** Reads frontmatter of plain `key: value` lines without the full parser, which is much slower. */
function parseSimpleYaml(source: string): JsonObject | undefined {
  const fields = new Map<string, Json>();
  const lines = source.endsWith("\n")
    ? source.slice(0, -1).split("\n")
    : source.split("\n");
  for (const line of lines) {
    const match = SIMPLE_LINE.exec(line);
    const key = match?.[1];
    const value = match?.[2]?.trimEnd();
    if (key === undefined || value === undefined || fields.has(key)) {
      return undefined;
    }
    if (NOT_A_STRING.test(key)) return undefined;
    if (NOT_A_STRING.test(value) && !/^\d{4}-\d\d-\d\d$/.test(value)) {
      return undefined;
    }
    fields.set(key, value);
  }
  return Object.fromEntries(fields);
}

/** Makes any parsed value safe for JSON; `parents` stops a value that contains itself. */
function toJson(value: unknown, parents: readonly object[]): Json {
  if (value === null || typeof value === "boolean") return value;
  if (typeof value === "string") return toIsoIfTimestamp(value);
  if (typeof value === "number") {
    return Number.isFinite(value) ? value : String(value);
  }
  if (typeof value === "bigint") return value.toString();
  if (typeof value !== "object") return null;
  if (value instanceof Date) {
    return Number.isNaN(value.getTime())
      ? null
      : toIsoIfTimestamp(value.toISOString());
  }
  if (parents.includes(value) || parents.length >= METADATA_DEPTH) return null;
  const inner = [...parents, value];
  if (Array.isArray(value)) return value.map((item) => toJson(item, inner));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, toJson(item, inner)]),
  );
}

/** Says whether a JSON value is an object. */
function isJsonObject(value: Json): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const DATE =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]|\s+)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(Z|z|[+-]\d{1,2}(?::?\d\d)?)?)?$/;

/** Writes a time with its hour as ISO 8601 UTC and leaves every other text as it is. */
function toIsoIfTimestamp(text: string): string {
  if (text.length < 14 || text.length > 40 || !text.includes(":")) return text;
  return parseDate(text) ?? text;
}

/** Reads a date or time, UTC unless it names a zone, as ISO 8601 UTC. */
function parseDate(text: string): string | undefined {
  const match = DATE.exec(text.trim());
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((
    part,
  ) => part === undefined ? 0 : Number(part));
  const millisecond = Math.floor(Number(`0.${match[7] ?? "0"}`) * 1000);
  const time = new Date(0);
  time.setUTCFullYear(year ?? 0, (month ?? 1) - 1, day);
  time.setUTCHours(hour ?? 0, minute, second, millisecond);
  // A day 31 of a 30-day month or an hour 25 rolls over and is then not what was written.
  if (
    time.getUTCMonth() + 1 !== month || time.getUTCDate() !== day ||
    minute === undefined
  ) {
    return undefined;
  }
  if (time.getUTCHours() !== hour || minute > 59 || (second ?? 0) > 59) {
    return undefined;
  }
  return new Date(time.getTime() - zoneMs(match[8])).toISOString();
}

/** Offset of a zone like `+02:00` from UTC in milliseconds. */
function zoneMs(zone: string | undefined): number {
  if (zone === undefined || zone === "Z" || zone === "z") return 0;
  const digits = zone.slice(1).replace(":", "");
  const hours = Number(digits.slice(0, digits.length > 2 ? -2 : undefined));
  const minutes = digits.length > 2 ? Number(digits.slice(-2)) : 0;
  return (zone.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Takes title, tags and dates out of the fields. */
function interpret(metadata: JsonObject, contentStart: number): Frontmatter {
  const warnings: string[] = [];
  const fields = new Map<string, Json>();
  for (const [key, value] of Object.entries(metadata)) {
    const name = key.toLowerCase();
    if (!fields.has(name)) fields.set(name, value);
  }
  const createdAt = readDate(fields, ["created", "date"], warnings);
  const updatedAt = readDate(fields, ["updated", "modified"], warnings);
  return {
    contentStart,
    structureStart: contentStart,
    title: readTitle(fields.get("title"), warnings),
    tags: readTags(fields.get("tags") ?? fields.get("tag"), warnings),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    metadata,
    warnings,
  };
}

/** Reads a title, which may be a number. */
function readTitle(value: Json | undefined, warnings: string[]): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value === "object") {
    warnings.push("Frontmatter field title is not a text; it is ignored.");
    return null;
  }
  return cleanTitle(String(value));
}

/**
 * Makes a text fit to be a title.
 *
 * @param text Any string.
 * @returns One line of at most `LIMITS.titleChars` without control characters; `null` if blank.
 */
export function cleanTitle(text: string): string | null {
  const line = text.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (line === "") return null;
  if (line.length <= LIMITS.titleChars) return line.toWellFormed();
  return line.slice(0, LIMITS.titleChars).replace(/[\ud800-\udbff]$/, "")
    .toWellFormed();
}

/** Reads tags from a list, or from a text with commas. */
function readTags(value: Json | undefined, warnings: string[]): string[] {
  if (value === undefined || value === null) return [];
  const items = typeof value === "string"
    ? value.split(",")
    : Array.isArray(value)
    ? value
    : typeof value === "object"
    ? undefined
    : [value];
  if (items === undefined) {
    warnings.push(
      "Frontmatter field tags is a map, not a list; it is ignored.",
    );
    return [];
  }
  const tags = new Set<string>();
  for (const item of items) {
    if (item === null) continue;
    if (typeof item === "object") {
      warnings.push(
        "Frontmatter field tags holds an entry that is not a text; it is ignored.",
      );
      continue;
    }
    const tag = String(item).trim();
    if (tag === "") continue;
    if (tag.length > LIMITS.tagChars) {
      warnings.push(
        `A tag is longer than ${LIMITS.tagChars} characters; it is ignored.`,
      );
    } else tags.add(tag);
  }
  if (tags.size > LIMITS.documentTags) {
    warnings.push(
      `There are ${tags.size} tags; the first ${LIMITS.documentTags} are kept.`,
    );
  }
  return [...tags].slice(0, LIMITS.documentTags);
}

/** Reads the first of several fields that holds a date. */
function readDate(
  fields: ReadonlyMap<string, Json>,
  names: readonly string[],
  warnings: string[],
): string | undefined {
  for (const name of names) {
    const value = fields.get(name);
    if (value === undefined || value === null || value === "") continue;
    const text = typeof value === "number" ? `${value}-01-01` : value;
    const date = typeof text === "string" ? parseDate(text) : undefined;
    if (date !== undefined) return date;
    warnings.push(
      `Frontmatter field ${name} is not a date like 2026-04-05; it is ignored.`,
    );
  }
  return undefined;
}
