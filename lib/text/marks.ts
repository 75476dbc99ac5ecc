import { nextLine } from "./blocks.ts";
import { cleanTitle, readFrontmatter } from "./frontmatter.ts";
import { parseBlocks, toPlainText } from "./parser.ts";

/** A heading at the top level of a Markdown text. */
export interface HeadingMark {
  /** UTF-16 offset of its first line. */
  readonly start: number;
  /** UTF-16 offset of its end, the last line feed not included. */
  readonly end: number;
  /** 1 to 6. */
  readonly level: number;
  /** As plain text; `null` if it is blank. */
  readonly title: string | null;
  /** As written, without the marks that make it a heading, on one line. */
  readonly source: string;
}

/** A line that holds nothing but `![[target]]`. */
export interface EmbedMark {
  /** UTF-16 offset of the line. */
  readonly start: number;
  /** UTF-16 offset of its end, the line feed not included. */
  readonly end: number;
  /** What is embedded, as written; the alias is left out. */
  readonly target: string;
}

/** What a composer has to change in a Markdown text. */
export interface MarkdownMarks {
  /** In the order of the text. */
  readonly headings: readonly HeadingMark[];
  /** In the order of the text. */
  readonly embeds: readonly EmbedMark[];
}

const MAY_BE_HEADING = /^ {0,3}(?:#{1,6}(?:[ \t]|$)|(?:=+|-+)[ \t]*$)/gm;
const EMBED_LINE = /^ {0,3}!\[\[([^[\]\n|]+)(?:\|[^[\]\n]*)?\]\][ \t]*$/;

/**
 * Finds the headings and the embedding lines of a Markdown text that stand at its top level.
 *
 * Neither is taken from code, lists or quotes. The parser is left out where a text can have no
 * heading but the one it begins with, as with most sections.
 *
 * @param text Text with LF line ends; a frontmatter that could not be read is passed over.
 * @returns Both in the order of the text.
 *
 * @example What stands in a fence is no heading
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const { headings } = findMarks("# One\n\n~~~\n# not\n~~~\n\nTwo\n---\n");
 * assert.deepEqual(headings.map(({ level, title }) => [level, title]), [[1, "One"], [2, "Two"]]);
 * ```
 */
export function findMarks(text: string): MarkdownMarks {
  const hasEmbed = text.includes("![[");
  MAY_BE_HEADING.lastIndex = 0;
  const first = MAY_BE_HEADING.exec(text);
  if (first === null && !hasEmbed) return { headings: [], embeds: [] };
  if (
    first?.index === 0 && text.startsWith("#") && !hasEmbed &&
    MAY_BE_HEADING.exec(text) === null
  ) {
    return { headings: [firstHeading(text)], embeds: [] };
  }
  return parseMarks(text);
}

/** Reads the heading a text begins with. */
function firstHeading(text: string): HeadingMark {
  const lineFeed = text.indexOf("\n");
  const end = lineFeed === -1 ? text.length : lineFeed;
  const level = /^#+/.exec(text)?.[0].length ?? 1;
  const source = text.slice(level, end).trim().replace(/(?:^|[ \t]+)#+$/, "");
  return {
    start: 0,
    end,
    level,
    title: cleanTitle(toPlainText(source, {})),
    source,
  };
}

/** Finds the marks with the parser. */
function parseMarks(text: string): MarkdownMarks {
  const base = readFrontmatter(text).structureStart;
  const { tokens, env } = parseBlocks(base === 0 ? text : text.slice(base));
  const headings: HeadingMark[] = [];
  const embeds: EmbedMark[] = [];
  const lines = lineFinder(text, base);
  for (const [index, token] of tokens.entries()) {
    const inner = tokens[index + 1];
    if (token.level !== 0 || token.map === null || inner === undefined) {
      continue;
    }
    const [firstLine, endLine] = token.map;
    if (token.type === "heading_open") {
      const start = lines(firstLine);
      headings.push({
        start,
        end: trimLineFeed(text, start, lines(endLine)),
        level: Number(token.tag.slice(1)),
        title: cleanTitle(toPlainText(inner.content, env)),
        source: inner.content.replace(/\s*\n\s*/g, " "),
      });
    } else if (
      token.type === "paragraph_open" && inner.content.includes("![[")
    ) {
      for (let line = firstLine; line < endLine; line++) {
        const start = lines(line);
        const end = trimLineFeed(text, start, nextLine(text, start));
        const target = EMBED_LINE.exec(text.slice(start, end))?.[1]?.trim();
        if (target !== undefined && target !== "") {
          embeds.push({ start, end, target });
        }
      }
    }
  }
  return { headings, embeds };
}

/** Makes a function that gives the offsets of rising lines, counted from an offset. */
function lineFinder(text: string, base: number): (line: number) => number {
  let offset = base;
  let at = 0;
  return (line) => {
    for (; at < line; at++) offset = nextLine(text, offset);
    return offset;
  };
}

/** Takes blank lines and the line feed off the end of a span. */
function trimLineFeed(text: string, start: number, end: number): number {
  let last = end;
  while (last > start && text.charCodeAt(last - 1) === 0x0a) last--;
  return last;
}

/**
 * Takes a frontmatter that can be read off a Markdown text.
 *
 * @returns The text behind it, without blank lines before; the text itself if there is none.
 */
export function withoutFrontmatter(text: string): string {
  const { contentStart } = readFrontmatter(text);
  return contentStart === 0
    ? text
    : text.slice(contentStart).replace(/^\s*\n/, "");
}

/**
 * Makes the anchor of a heading the way GitHub does, without the number of a repeated one.
 *
 * @param title Plain text of the heading.
 * @returns Lower case, letters, digits, `-` and `_` only, spaces as `-`.
 */
export function toAnchor(title: string): string {
  return title.trim().toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * Makes a function that gives the anchors of a document's headings in turn; a repeated one gets
 * `-1`, `-2`, …
 */
export function anchorMaker(): (title: string) => string {
  const used = new Map<string, number>();
  return (title) => {
    const anchor = toAnchor(title);
    let number = used.get(anchor) ?? -1;
    let unique = anchor;
    do {
      number++;
      unique = number === 0 ? anchor : `${anchor}-${number}`;
    } while (number > 0 && used.has(unique));
    used.set(anchor, number);
    if (unique !== anchor) used.set(unique, 0);
    return unique;
  };
}
