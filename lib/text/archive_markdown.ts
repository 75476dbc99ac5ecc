import { stringify } from "yaml";
import type { JsonObject } from "../core/mod.ts";
import { readFrontmatter } from "./frontmatter.ts";
import { normalizeText } from "./preprocess.ts";

/** A Markdown file with fields before the text and, at its end, what a person need not see. */
export interface ArchiveFile {
  /** The frontmatter. */
  readonly fields: JsonObject;
  /** The text. */
  readonly body: string;
  /** Kept in a comment behind the text; absent if there is none, or it cannot be read. */
  readonly hidden?: JsonObject;
}

const OPEN = "\n<!-- kbdb ";
const CLOSE = " -->\n";

/** Writes a Markdown file of which {@linkcode readArchiveFile} gives the same parts. */
export function writeArchiveFile(
  { fields, body, hidden }: ArchiveFile,
): string {
  const yaml = stringify(fields, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
  });
  // Two hyphens would end the comment for some readers.
  const comment = hidden === undefined
    ? ""
    : OPEN + JSON.stringify(hidden).replaceAll("--", "-\\u002d") + CLOSE;
  return `---\n${yaml}---\n${body}\n${comment}`;
}

/**
 * Reads a Markdown file.
 *
 * @returns `undefined` if it has no frontmatter that can be read.
 */
export function readArchiveFile(text: string): ArchiveFile | undefined {
  const normal = normalizeText(text);
  const { contentStart, metadata } = readFrontmatter(normal);
  if (contentStart === 0) return undefined;
  const rest = normal.slice(contentStart);
  const at = rest.lastIndexOf(OPEN);
  if (at === -1 || !rest.trimEnd().endsWith(CLOSE.trimEnd())) {
    return { fields: metadata, body: rest.replace(/\n$/, "") };
  }
  const body = rest.slice(0, at).replace(/\n$/, "");
  const json = rest.slice(at + OPEN.length, rest.lastIndexOf(CLOSE.trimEnd()));
  try {
    return { fields: metadata, body, hidden: JSON.parse(json) };
  } catch {
    return { fields: metadata, body };
  }
}
