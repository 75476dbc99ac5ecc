import { cleanTitle } from "../frontmatter.ts";
import type { OutlinePart } from "../markdown.ts";
import { normalizeText } from "../preprocess.ts";
import { INVALID_JSON, titleOfJson, tryParseJson } from "../sections.ts";
import {
  GROUP_CHARS,
  groupMembers,
  linesOf,
  type Member,
  toOutlined,
  toWhole,
} from "./outline.ts";
import type { Extracted, ExtractInput } from "./types.ts";

/** Longest JSON that is one section, in UTF-16 units. */
const WHOLE_CHARS = 4_000;
/** A member that is longer is cut at its own members. */
const LONG_CHARS = 4 * GROUP_CHARS;
/** How deep members are cut. */
const DEPTH = 6;

/**
 * Extracts JSON: a short one whole, a long one by the members of its objects and lists, short ones
 * together. The text stays as it stands.
 */
export function extractJson(
  { text = "", mime, path }: ExtractInput,
): Promise<Extracted> {
  const normal = normalizeText(text);
  const { value, isValid } = tryParseJson(normal);
  const mayHaveComments = /\.(?:jsonc|json5)$/i.test(path);
  const facts = {
    mime,
    docType: "json",
    title: titleOfJson(value),
    warnings: isValid || mayHaveComments ? [] : [INVALID_JSON],
  } as const;
  const isWhole = normal.length <= WHOLE_CHARS ||
    !(isValid || mayHaveComments);
  return Promise.resolve(
    isWhole ? toWhole(normal, facts) : toOutlined(
      normal,
      cut(normal, { start: 0, end: normal.length }, []),
      facts,
    ),
  );
}

/** Cuts an object or list at its members, and long members at theirs. */
function cut(
  text: string,
  span: Pick<Member, "start" | "end">,
  path: readonly string[],
  depth = 0,
): OutlinePart[] {
  const parts: OutlinePart[] = [];
  let short: Member[] = [];
  function flush(): void {
    parts.push(...groupMembers(short, path));
    short = [];
  }
  for (const member of membersOf(text, span)) {
    const isLong = member.end - member.start > LONG_CHARS;
    if (!isLong || depth >= DEPTH) {
      short.push(member);
      // What is grouped already need not be kept.
      if (short.length >= 1_000) flush();
      continue;
    }
    flush();
    const title = cleanTitle(member.title);
    const own = title === null ? path : [...path, title];
    const inner = cut(text, member, own, depth + 1);
    const [first, ...others] = inner;
    parts.push(
      ...(first === undefined
        ? groupMembers([member], path)
        : [{ ...first, start: member.start }, ...others]),
    );
  }
  flush();
  return parts;
}

/** Members of the first object or list in a span. */
function* membersOf(
  text: string,
  { start, end }: Pick<Member, "start" | "end">,
): Generator<Member> {
  let depth = 0;
  let from = -1;
  let key = "";
  let isObject = false;
  for (let at = start; at < end;) {
    const next = skipToken(text, at);
    const char = text.charCodeAt(at);
    if (char === CLOSE_BRACE || char === CLOSE_BRACKET) {
      if (--depth <= 0) break;
    } else if (depth === 1 && char === COMMA && from !== -1) {
      yield { start: from, end: next, title: key || nameIn(text, from, at) };
      from = -1;
    } else if (depth === 1 && from === -1 && isValueStart(text, at)) {
      from = at;
      key = isObject && char === QUOTE ? unquote(text.slice(at, next)) : "";
    }
    if (char === OPEN_BRACE || char === OPEN_BRACKET) {
      if (++depth === 1) isObject = char === OPEN_BRACE;
    }
    at = next;
  }
  if (from !== -1) {
    yield { start: from, end, title: key || nameIn(text, from, end) };
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Says whether a value or key begins at an offset, rather than white space or a comment. */
function isValueStart(text: string, at: number): boolean {
  const char = text.charCodeAt(at);
  return char > 0x20 && char !== SLASH && char !== COMMA;
}

/** Passes over a string, a comment or one character; gives the offset behind it. */
function skipToken(text: string, at: number): number {
  const char = text.charCodeAt(at);
  if (char === QUOTE) {
    for (let end = text.indexOf('"', at + 1); end !== -1;) {
      let slashes = 0;
      while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
      if (slashes % 2 === 0) return end + 1;
      end = text.indexOf('"', end + 1);
    }
    return text.length;
  }
  if (char === SLASH && text[at + 1] === "/") {
    return text.indexOf("\n", at) >>> 0;
  }
  if (char === SLASH && text[at + 1] === "*") {
    const end = text.indexOf("*/", at + 2);
    return end === -1 ? text.length : end + 2;
  }
  return at + 1;
}

/** The text of a key. */
function unquote(text: string): string {
  const { value } = tryParseJson(text);
  return typeof value === "string" ? value : "";
}

/** Part of an item in which its name is looked for. */
const NAME_CHARS = 2_000;

/** Title or name that an item of a list says it has. */
function nameIn(text: string, start: number, end: number): string {
  const head = text.slice(start, Math.min(end, start + NAME_CHARS));
  return /"(?:title|name)"\s*:\s*"([^"\\]{1,200})"/.exec(head)?.[1] ?? "";
}

/** Extracts lines of JSON: records together up to the length of a section, none of them cut. */
export function extractJsonLines(
  { text = "", mime }: ExtractInput,
): Promise<Extracted> {
  const normal = normalizeText(text);
  let invalid = 0;
  let firstInvalid = 0;
  const members: Member[] = [];
  let number = 0;
  for (const { start, end } of linesOf(normal)) {
    number++;
    const record = normal.slice(start, end);
    if (record.trim() === "") continue;
    if (!tryParseJson(record).isValid && ++invalid === 1) firstInvalid = number;
    members.push({ start, end, title: nameIn(normal, start, end) });
  }
  return Promise.resolve(toOutlined(normal, groupMembers(members, []), {
    mime,
    docType: "json",
    warnings: invalid === 0 ? [] : [
      `${invalid} of ${members.length} lines are not valid JSON, the first is line ${firstInvalid}.`,
    ],
  }));
}
