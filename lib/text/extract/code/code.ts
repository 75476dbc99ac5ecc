import { cleanTitle } from "../../frontmatter.ts";
import type { OutlinePart } from "../../markdown.ts";
import { findCodeEdges } from "../../code.ts";
import { normalizeText } from "../../preprocess.ts";
import { toSections } from "../../sections.ts";
import { toOutlined } from "../outline.ts";
import type { Extracted, ExtractInput } from "../types.ts";
import { type Definition, findDefinitions } from "./definitions.ts";
import { readSyntax } from "./grammar.ts";
import { findLanguage } from "./languages.ts";

/** A longer text is cut at blank lines, as its tree would take much memory. */
const SYNTAX_CHARS = 4 * 1024 * 1024;
/** Text with longer lines on average was made by a tool that packs it. */
const LINE_CHARS = 400;

/**
 * Extracts source code: one section for each function, method and type, with the comment before it and
 * its qualified name; imports and what else stands between them in sections of their own. Where the
 * syntax cannot be read, sections end at blank lines.
 */
export async function extractCode(
  { text = "", mime, path }: ExtractInput,
): Promise<Extracted> {
  const normal = normalizeText(text);
  const language = findLanguage(mime, path);
  const warnings: string[] = [];
  if (language !== undefined && isReadable(normal)) {
    try {
      const definitions = await readSyntax(
        normal,
        language.grammar,
        (root) => findDefinitions(root, normal, language),
      );
      if (definitions === undefined) {
        warnings.push("The syntax took too long to read; cut at blank lines.");
      } else if (definitions.length > 0) {
        const parts = toParts(normal, definitions);
        return toOutlined(normal, parts, { mime, docType: "code" });
      }
    } catch (error) {
      warnings.push(
        `The syntax could not be read (${
          error instanceof Error ? error.message : String(error)
        }); cut at blank lines.`,
      );
    }
  }
  return { ...toSections(normal, { mime }), warnings, docType: "code" };
}

function isReadable(text: string): boolean {
  if (text.length > SYNTAX_CHARS) return false;
  let lines = 1;
  for (
    let at = text.indexOf("\n");
    at !== -1;
    at = text.indexOf("\n", at + 1)
  ) {
    lines++;
  }
  return text.length < LINE_CHARS * lines;
}

/** What stands between two offsets of a text. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Cuts a text at its definitions. */
function toParts(
  text: string,
  definitions: readonly Definition[],
): OutlinePart[] {
  const parts: OutlinePart[] = [];
  /**
   * Adds what a scope defines, and what else stands in it.
   *
   * @param owner Name of the scope; `undefined` for the file.
   * @param head Where the first part begins, if it has what is before it too.
   */
  function add(
    members: readonly Definition[],
    range: Range,
    owner?: string,
    head?: number,
  ): void {
    let reached = range.start;
    let first = head;
    for (const definition of members) {
      const start = startOfLine(text, definition.start);
      if (start < reached || !isWorthIt(text, definition)) continue;
      if (first === undefined) {
        parts.push(...toRest(text, { start: reached, end: start }, owner));
      }
      addOne(definition, first ?? start, owner);
      first = undefined;
      reached = endOfLine(text, definition.end);
    }
    parts.push(...toRest(text, { start: reached, end: range.end }, owner));
  }
  function addOne(
    { start, end, name, members }: Definition,
    from: number,
    owner: string | undefined,
  ): void {
    const inner = members.find((member) => isWorthIt(text, member));
    const innerStart = inner === undefined
      ? start
      : startOfLine(text, inner.start);
    if (innerStart <= start) {
      parts.push(toPart(from, name, owner === undefined ? 1 : 2));
      return;
    }
    // The line that opens a type says too little to stand alone.
    const isShort = !text.slice(from, innerStart).trim().includes("\n");
    if (!isShort) parts.push(toPart(from, name, owner === undefined ? 1 : 2));
    add(
      members,
      { start: innerStart, end },
      name,
      isShort ? from : innerStart,
    );
  }
  add(definitions, { start: 0, end: text.length });
  return parts;
}

/** What is said in one line without a comment stays with what is around it. */
function isWorthIt(text: string, { start, end }: Definition): boolean {
  return text.slice(start, end).includes("\n");
}

function toPart(
  start: number,
  name: string | undefined,
  level: number,
): OutlinePart {
  const title = name === undefined ? null : cleanTitle(name);
  return {
    start,
    title,
    headingPath: title === null ? [] : [title],
    level: title === null ? 0 : level,
    links: [],
  };
}

/** The start of a word that does more than end a block. */
const WORD = /(?<![\p{L}\p{N}_])(?!end(?:if)?\b)[\p{L}\p{N}_]/u;

/** Parts of what stands between definitions; none if that is only marks. */
function toRest(
  text: string,
  { start, end }: Range,
  owner: string | undefined,
): OutlinePart[] {
  const between = text.slice(start, end);
  const word = WORD.exec(between)?.index;
  if (word === undefined) return [];
  const from = Math.max(start, startOfLine(text, start + word));
  return findCodeEdges(text.slice(from, end)).map((edge) =>
    toPart(from + edge, owner, 2)
  );
}

/** Behind the line feed of a line: what follows a definition in its line stays with it. */
function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end === -1 ? text.length : end + 1;
}

function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
