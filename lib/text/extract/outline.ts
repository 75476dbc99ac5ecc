import { LIMITS } from "../../core/mod.ts";
import { cleanTitle } from "../frontmatter.ts";
import type { OutlinePart } from "../markdown.ts";
import { toTextSections, UNTITLED } from "../sections.ts";
import type { DocType, TextSection } from "../types.ts";
import type { Extracted } from "./types.ts";

/** Longest part of a line that is looked at for marks, in UTF-16 units. */
const LINE_CHARS = 1_000;

/** A line of a text. */
export interface Line {
  /** UTF-16 offset of its first character. */
  readonly start: number;
  /** Offset of its line feed, or of the end of the text. */
  readonly end: number;
  /** Its beginning, without its line feed. */
  readonly text: string;
}

/** Goes through the lines of a text with LF line ends. */
export function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length;) {
    const found = text.indexOf("\n", start);
    const end = found === -1 ? text.length : found;
    yield {
      start,
      end,
      text: text.slice(start, Math.min(end, start + LINE_CHARS)),
    };
    start = end + 1;
  }
}

/** A heading in a text. */
export interface Heading {
  /** Offset of the line at which its section begins. */
  readonly start: number;
  /** From 1; the smallest of a text is the outermost. */
  readonly level: number;
  /** Plain text; `""` begins a section without a title of its own. */
  readonly title: string;
}

/** Gives each heading the path of those above it. */
export function toParts(headings: readonly Heading[]): OutlinePart[] {
  const above: Heading[] = [];
  return headings.map((heading) => {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    const title = cleanTitle(heading.title);
    if (title !== null) above.push({ ...heading, title });
    return {
      start: heading.start,
      title,
      headingPath: above.map((one) => one.title),
      level: Math.min(6, above.length),
      links: [],
    };
  });
}

/** What is known of a text besides its headings. */
export interface OutlineFacts
  extends Partial<Omit<Extracted, "sections" | "docType">> {
  /** Media type of the text. */
  readonly mime: string;
  /** What it is for filters. */
  readonly docType: DocType;
}

/** Makes a document of a text as it stands, cut at the starts of its parts. */
export function toOutlined(
  text: string,
  parts: readonly OutlinePart[],
  { mime, ...facts }: OutlineFacts,
): Extracted {
  const all = parts[0]?.start === 0 ? parts : [UNTITLED, ...parts];
  return {
    title: null,
    tags: [],
    metadata: {},
    warnings: [],
    ...facts,
    sections: toTextSections(text, all, {
      mime,
      maxSectionChars: LIMITS.sectionChars,
    }),
  };
}

/** Section of records and settings: about this long, so that most fit into one or two chunks. */
export const GROUP_CHARS = 1_500;

/** A member of a list or object: where it begins and ends, and its name. */
export interface Member {
  readonly start: number;
  readonly end: number;
  readonly title: string;
}

/** Joins neighbours that are short; a group of one has its title, one of several that above them. */
export function groupMembers(
  members: Iterable<Member>,
  path: readonly string[],
): OutlinePart[] {
  const parts: OutlinePart[] = [];
  let group: Member[] = [];
  function flush(): void {
    const [first] = group;
    if (first === undefined) return;
    const title = group.length === 1 ? cleanTitle(first.title) : null;
    const headingPath = title === null ? path : [...path, title];
    parts.push({
      start: first.start,
      title: title ?? path.at(-1) ?? null,
      headingPath,
      level: Math.min(6, headingPath.length),
      links: [],
    });
    group = [];
  }
  for (const member of members) {
    const start = group[0]?.start ?? member.start;
    if (group.length > 0 && member.end - start > GROUP_CHARS) flush();
    group.push(member);
  }
  flush();
  return parts;
}

/** The sections of a text that is one, however long. */
export function toWhole(
  text: string,
  facts: OutlineFacts,
): Extracted & { readonly sections: readonly TextSection[] } {
  return toOutlined(text, [UNTITLED], facts);
}
