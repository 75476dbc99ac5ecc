/** How the edges of blocks are found: by Markdown's rules, or by blank lines alone. */
export type BlockSyntax = "markdown" | "plain";

/** A run of lines that belongs together; its end includes the blank lines behind it. */
export interface Block {
  /** UTF-16 offset, inclusive. */
  readonly start: number;
  /** UTF-16 offset, exclusive; the start of the next block. */
  readonly end: number;
  readonly kind: "heading" | "fence" | "list" | "table" | "text";
}

/** Says which block syntax a media type has. */
export function blockSyntaxOf(mime: string): BlockSyntax {
  return mime === "text/markdown" ? "markdown" : "plain";
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
const MARKS = /`{3}|~{3}/;
const LIST_FENCE = /^\s*(?:[-*+] +|\d{1,9}[.)] +)?(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const LIST_ITEM = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const INDENTED = /^(?: {2}|\t)/;
const TABLE_ROW = /^ {0,3}\|/;

/** The longest line the patterns for Markdown are tried on, in UTF-16 units. */
const PATTERN_CHARS = 1000;

/**
 * Splits a text into blocks by looking at each line once.
 *
 * @param text Text with LF line ends.
 * @param syntax `markdown` knows fences, lists, tables and headings; `plain` only blank lines.
 * @returns Blocks that follow each other without a gap and cover the text; `[]` for `""`. White
 * space before the first block belongs to it.
 */
export function scanBlocks(text: string, syntax: BlockSyntax): Block[] {
  return scan(text, syntax).blocks;
}

/** A fence that is not closed. */
interface OpenFence {
  /** Offset of the line that opens it. */
  readonly start: number;
  /** Its marks, such as three back quotes. */
  readonly marks: string;
}

function scan(
  text: string,
  syntax: BlockSyntax,
): { readonly blocks: Block[]; readonly open: OpenFence | undefined } {
  const blocks: Block[] = [];
  let fenceStart = 0;
  let start = 0;
  let kind: Block["kind"] = "text";
  let hasText = false;
  let afterBlank = false;
  let fence = "";
  for (let lineStart = 0; lineStart < text.length;) {
    const lineEnd = nextLine(text, lineStart);
    const isBlank = isBlankSpan(text, lineStart, lineEnd);
    if (fence !== "") {
      if (!isBlank && closesFence(text, lineStart, lineEnd, fence)) {
        fence = "";
        // What follows the fence of a list item may still belong to the list.
        afterBlank = true;
      }
    } else if (isBlank) {
      afterBlank = true;
    } else {
      const line: LineTraits | undefined = syntax === "plain"
        ? undefined
        : describeLine(text, lineStart, lineEnd, hasText ? kind : "text");
      const nextKind: Block["kind"] = line?.kind ?? "text";
      const isInList = hasText && kind === "list" &&
        (nextKind === "list" || line?.isIndented === true);
      const isNew = isInList
        ? false
        : afterBlank || nextKind === "heading" || nextKind === "fence" ||
          (kind === "heading" && hasText);
      if (isNew && hasText) {
        blocks.push({ start, end: lineStart, kind });
        start = lineStart;
        hasText = false;
      }
      if (!hasText) kind = nextKind;
      fence = line?.fence ?? "";
      if (fence !== "") fenceStart = lineStart;
      hasText = true;
      afterBlank = false;
    }
    lineStart = lineEnd;
  }
  if (text.length > start) blocks.push({ start, end: text.length, kind });
  const open = fence === "" ? undefined : { start: fenceStart, marks: fence };
  return { blocks, open };
}

/**
 * Opens and closes the fences that a cut went through, so that a part of a text can be read on its own.
 *
 * @param part Part of a Markdown text.
 * @param before The text before it.
 * @returns The part; where it begins in a fence, below the marks and the language of that, and where it
 * ends in one, above its marks.
 *
 * @example A part of a shell script
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(
 *   mendFences("# list\nls", "Run this:\n\n~~~sh\ncd /tmp\n"),
 *   "~~~sh\n# list\nls\n~~~",
 * );
 * ```
 */
export function mendFences(part: string, before: string): string {
  // Most texts have no fence, and to see that is fast.
  const open = MARKS.test(before) ? scan(before, "markdown").open : undefined;
  if (open === undefined && !MARKS.test(part)) return part;
  let whole = part;
  if (open !== undefined) {
    const line = before.slice(open.start, nextLine(before, open.start));
    const opening = line.slice(line.indexOf(open.marks)).trimEnd();
    whole = `${opening}\n${part.replace(/^\n+/, "")}`;
  }
  const end = scan(whole, "markdown").open;
  return end === undefined ? whole : `${whole.trimEnd()}\n${end.marks}`;
}

interface LineTraits {
  readonly kind: Block["kind"];
  readonly isIndented: boolean;
  /** The marks of a fence that opens here, else `""`. */
  readonly fence: string;
}

/** Says what a Markdown line begins; `inside` is the kind of the block before it. */
function describeLine(
  text: string,
  lineStart: number,
  lineEnd: number,
  inside: Block["kind"],
): LineTraits {
  const first = text.charCodeAt(lineStart);
  // A line that begins with a letter, as most do, is plain text.
  if ((first >= 0x41 && first <= 0x5a) || (first >= 0x61 && first <= 0x7a)) {
    return PLAIN_LINE;
  }
  const line = text.slice(
    lineStart,
    Math.min(lineEnd, lineStart + PATTERN_CHARS),
  ).trimEnd();
  const isIndented = INDENTED.test(line);
  const isItem = LIST_ITEM.test(line);
  const isInList = isItem || (inside === "list" && isIndented);
  const fence = (isInList ? LIST_FENCE : FENCE).exec(line)?.[1] ?? "";
  if (isItem) return { kind: "list", isIndented, fence };
  if (fence !== "") return { kind: "fence", isIndented, fence };
  if (HEADING.test(line)) return { kind: "heading", isIndented, fence };
  return { kind: TABLE_ROW.test(line) ? "table" : "text", isIndented, fence };
}

const PLAIN_LINE: LineTraits = { kind: "text", isIndented: false, fence: "" };

/** Says whether a line closes a fence: the same mark, at least as many, nothing behind. */
function closesFence(
  text: string,
  lineStart: number,
  lineEnd: number,
  fence: string,
): boolean {
  if (lineEnd - lineStart > PATTERN_CHARS) return false;
  const line = text.slice(lineStart, lineEnd).trim();
  return line.startsWith(fence) && line.replaceAll(fence.charAt(0), "") === "";
}

/**
 * Finds the start of the line after the one that holds an offset.
 *
 * @returns The offset behind the next line feed, or the length of the text.
 */
export function nextLine(text: string, offset: number): number {
  const lineFeed = text.indexOf("\n", offset);
  return lineFeed === -1 ? text.length : lineFeed + 1;
}

/** Says whether a code unit is white space the way `trim()` takes it. */
export function isSpace(unit: number): boolean {
  if (unit <= 0x20) return unit === 0x20 || (unit >= 0x09 && unit <= 0x0d);
  if (unit < 0xa0) return false;
  return unit === 0xa0 || unit === 0x1680 ||
    (unit >= 0x2000 && unit <= 0x200a) ||
    unit === 0x2028 || unit === 0x2029 || unit === 0x202f || unit === 0x205f ||
    unit === 0x3000 || unit === 0xfeff;
}

/** Says whether a span holds only white space. */
export function isBlankSpan(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (!isSpace(text.charCodeAt(i))) return false;
  }
  return true;
}

/** Moves an offset back by one if it would split a surrogate pair. */
export function keepPair(text: string, offset: number): number {
  if (offset <= 0 || offset >= text.length) return offset;
  const isSplit = (text.charCodeAt(offset) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(offset - 1) & 0xfc00) === 0xd800;
  return isSplit ? offset - 1 : offset;
}
