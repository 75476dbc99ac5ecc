import { type JsonObject, LIMITS } from "../core/mod.ts";
import {
  type Block,
  blockSyntaxOf,
  isBlankSpan,
  isSpace,
  keepPair,
  nextLine,
} from "./blocks.ts";
import { scanBlocks } from "./blocks.ts";
import { findCodeEdges } from "./code.ts";
import { cleanTitle, readFrontmatter } from "./frontmatter.ts";
import { countLines, outlineMarkdown, type OutlinePart } from "./markdown.ts";
import { normalizeText } from "./preprocess.ts";
import type { TextDocument, TextLink, TextSection } from "./types.ts";

/** How to cut a text into sections. */
export interface ToSectionsOptions {
  /** Media type as `detect()` gives it. */
  readonly mime: string;
  /** Longest section in UTF-16 units, at least 2; default `LIMITS.sectionChars`. */
  readonly maxSectionChars?: number;
}

/**
 * Cuts a text into the sections that are searched and cited.
 *
 * Markdown has one section per heading, source code one per group of blocks, JSON and plain text
 * one. Line numbers are those of the text as given, from 1. Nothing in the text makes it throw.
 *
 * @param text Decoded text of a whole file, any line ends.
 * @param options Media type, and the length above which a section is cut.
 * @returns The document; its sections together hold every line outside the frontmatter that is not
 * blank.
 * @throws {RangeError} If `maxSectionChars` is below 2.
 *
 * @example Headings make sections, frontmatter makes fields
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const { title, tags, sections } = toSections("---\ntags: a, b\n---\n# One\n## Two\nText.\n", {
 *   mime: "text/markdown",
 * });
 * assert.equal(title, "One");
 * assert.deepEqual(tags, ["a", "b"]);
 * assert.deepEqual(sections[1]?.headingPath, ["One", "Two"]);
 * assert.equal(sections[1]?.lineStart, 5);
 * ```
 */
export function toSections(
  text: string,
  options: ToSectionsOptions,
): TextDocument {
  const { mime, maxSectionChars = LIMITS.sectionChars } = options;
  if (!(maxSectionChars >= 2)) {
    throw new RangeError(
      `Cannot cut sections: maxSectionChars is ${maxSectionChars}, minimum 2`,
    );
  }
  const normal = normalizeText(text);
  if (mime === "text/markdown") {
    return markdownDocument(normal, maxSectionChars);
  }
  const warnings: string[] = [];
  let title: string | null = null;
  let edges: readonly number[] = [0];
  if (mime === "application/json") {
    title = readJsonTitle(normal, warnings);
  } else if (!PROSE.has(mime)) {
    edges = findCodeEdges(normal);
  }
  const parts = edges.map((start) => ({ ...UNTITLED, start }));
  const sections = toTextSections(normal, parts, { mime, maxSectionChars });
  return { title, tags: [], metadata: {}, sections, warnings };
}

/** Media types that are not cut at top-level definitions. */
const PROSE: ReadonlySet<string> = new Set([
  "text/plain",
  "text/x-rst",
  "text/asciidoc",
  "text/x-org",
  "text/x-tex",
  "message/rfc822",
  "application/mbox",
  "application/x-ipynb+json",
  "text/html",
  "text/csv",
  "text/tab-separated-values",
  "application/x-ndjson",
]);

/** A part from the start of a text, without heading. */
export const UNTITLED: OutlinePart = {
  start: 0,
  title: null,
  headingPath: [],
  level: 0,
  links: [],
};

/** Cuts a Markdown text. */
function markdownDocument(text: string, maxSectionChars: number): TextDocument {
  const front = readFrontmatter(text);
  const outline = outlineMarkdown(text, front);
  const sections = toTextSections(text, outline.parts, {
    mime: "text/markdown",
    maxSectionChars,
  });
  return {
    title: front.title ?? outline.title,
    tags: front.tags,
    metadata: front.metadata,
    ...(front.createdAt === undefined ? {} : { createdAt: front.createdAt }),
    ...(front.updatedAt === undefined ? {} : { updatedAt: front.updatedAt }),
    sections,
    warnings: front.warnings,
  };
}

/** Reads the title of a JSON text and warns if it is none. */
function readJsonTitle(text: string, warnings: string[]): string | null {
  if (isBlankSpan(text, 0, text.length)) return null;
  const { value, isValid } = tryParseJson(text);
  if (!isValid) warnings.push(INVALID_JSON);
  return titleOfJson(value);
}

/** What is said of a file that is named as JSON and is none. */
export const INVALID_JSON =
  "The file is not valid JSON; it is indexed as text.";

/** Reads JSON; a blank text has no value and no fault. */
export function tryParseJson(
  text: string,
): { value: unknown; isValid: boolean } {
  try {
    return { value: JSON.parse(text), isValid: true };
  } catch {
    return { value: undefined, isValid: text.trim() === "" };
  }
}

/** Title or name that an object says it has. */
export function titleOfJson(value: unknown): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return null;
  }
  const { title, name } = value as JsonObject;
  const found = typeof title === "string" ? title : name;
  return typeof found === "string" ? cleanTitle(found) : null;
}

/**
 * Makes sections of the parts of a text, cutting those that are too long.
 *
 * @param text Text with LF line ends.
 * @param parts In the order of the text; what stands before the first is left out.
 */
export function toTextSections(
  text: string,
  parts: readonly OutlinePart[],
  options: { readonly mime: string; readonly maxSectionChars: number },
): TextSection[] {
  const { mime, maxSectionChars } = options;
  const sections: TextSection[] = [];
  let line = 1;
  // Kept from one offset to the next, as a long line may have many.
  let lineFeed = text.indexOf("\n");
  /** Line of an offset; offsets only grow. */
  function lineAt(offset: number): number {
    for (; lineFeed !== -1 && lineFeed < offset; line++) {
      lineFeed = text.indexOf("\n", lineFeed + 1);
    }
    return line;
  }
  for (const [index, part] of parts.entries()) {
    const limit = parts[index + 1]?.start ?? text.length;
    const span = trimSpan(text, part.start, limit);
    let links = part.links;
    for (const piece of cutSpan(text, span, { mime, maxSectionChars })) {
      const lineStart = lineAt(piece.start);
      const lineEnd = lineAt(piece.end);
      const isLast = piece.end >= span.end;
      const own: readonly TextLink[] = isLast
        ? links
        : links.filter((it) => it.line <= lineEnd);
      links = links.slice(own.length);
      const { title, headingPath, level } = part;
      const content = text.slice(piece.start, piece.end);
      sections.push({
        title,
        headingPath,
        level,
        content,
        mime,
        lineStart,
        lineEnd,
        links: own,
      });
    }
  }
  return sections;
}

/**
 * Brings sections that an extractor made into the form all have: text preprocessed, none blank, none
 * longer than the limit.
 *
 * @param sections As made; a section of an image is kept as it is.
 * @param maxSectionChars Longest section, in UTF-16 units.
 */
export function cutLongSections(
  sections: readonly TextSection[],
  maxSectionChars: number,
): TextSection[] {
  return sections.flatMap((section) => {
    if (section.image !== undefined) return [section];
    // No text of a file has a NUL; what a library makes of one may.
    const content = normalizeText(section.content).replaceAll("\0", " ");
    const isVerbatim = hasOwnLines(section);
    const span = trimSpan(content, 0, content.length);
    const pieces = cutSpan(content, span, {
      mime: section.mime,
      maxSectionChars,
    });
    let links = section.links;
    let last = section.lineStart;
    let counted = 0;
    return pieces.map((piece, index): TextSection => {
      const first = last + countLines(content, piece.start, counted);
      last = first + countLines(content, piece.end, piece.start);
      counted = piece.end;
      const lines = isVerbatim
        ? { lineStart: first, lineEnd: last }
        : { lineStart: section.lineStart, lineEnd: section.lineEnd };
      const isLast = index === pieces.length - 1;
      const own = isLast
        ? links
        : links.filter(({ line }) => line <= lines.lineEnd);
      links = links.slice(own.length);
      return {
        ...section,
        ...lines,
        content: content.slice(piece.start, piece.end),
        links: own,
      };
    });
  });
}

/** Says whether each line of a section is one line of the file. */
export function hasOwnLines(
  { content, lineStart, lineEnd }: Pick<
    TextSection,
    "content" | "lineStart" | "lineEnd"
  >,
): boolean {
  return countLines(content, content.length) === lineEnd - lineStart;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Takes the white space off both ends of a span. */
function trimSpan(text: string, start: number, end: number): Span {
  let first = start;
  while (first < end && isSpace(text.charCodeAt(first))) first++;
  let last = end;
  while (last > first && isSpace(text.charCodeAt(last - 1))) last--;
  return { start: first, end: last };
}

/** Cuts a trimmed span into trimmed spans of bounded length, none of them blank. */
function cutSpan(
  text: string,
  span: Span,
  options: { readonly mime: string; readonly maxSectionChars: number },
): Span[] {
  const { mime, maxSectionChars } = options;
  if (span.start === span.end) return [];
  if (span.end - span.start <= maxSectionChars) return [span];
  const content = text.slice(span.start, span.end);
  const ends: number[] = [];
  let start = 0;
  let reached = 0;
  for (const block of scanBlocks(content, blockSyntaxOf(mime))) {
    if (block.end - start > maxSectionChars && reached > start) {
      ends.push(reached);
      start = reached;
    }
    if (block.end - start > maxSectionChars) {
      start = cutBlock(content, block, maxSectionChars, ends);
    }
    reached = block.end;
  }
  ends.push(content.length);
  const spans: Span[] = [];
  let from = span.start;
  for (const end of ends) {
    const piece = trimSpan(text, from, span.start + end);
    if (piece.end > piece.start) spans.push(piece);
    from = span.start + end;
  }
  return spans;
}

/** Cuts a block that is too long by lines, or by characters; returns where the rest begins. */
function cutBlock(
  content: string,
  block: Block,
  maxChars: number,
  ends: number[],
): number {
  let { start } = block;
  while (block.end - start > maxChars) {
    const lineFeed = content.lastIndexOf("\n", start + maxChars - 1);
    const limit = lineFeed > start
      ? lineFeed + 1
      : keepPair(content, start + maxChars);
    ends.push(limit);
    start = limit;
    // A line feed just behind a cut line belongs to the piece before it.
    if (content.charCodeAt(start) === 0x0a) start = nextLine(content, start);
  }
  return start;
}
