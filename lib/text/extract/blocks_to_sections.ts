import { toSections } from "../sections.ts";
import type { TextSection } from "../types.ts";

/** A block of Markdown and where its words stand in the file. */
export interface SourceBlock {
  /** Markdown without blank lines around it. */
  readonly text: string;
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1, inclusive. */
  readonly lineEnd: number;
}

/** Sections of a text that was written anew as Markdown. */
export interface BlockSections {
  /** Text of the first heading of level 1, `null` if there is none. */
  readonly title: string | null;
  /** One a heading; lines and links are those of the file. */
  readonly sections: readonly TextSection[];
}

/** Joins blocks of Markdown, cuts them at their headings and gives each section its lines in the file. */
export function blocksToSections(
  blocks: readonly SourceBlock[],
): BlockSections {
  const texts: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  for (const { text, lineStart, lineEnd } of blocks) {
    texts.push(text);
    const count = text.split("\n").length;
    const isVerbatim = count === lineEnd - lineStart + 1;
    for (let line = 0; line < count; line++) {
      starts.push(isVerbatim ? lineStart + line : lineStart);
      ends.push(isVerbatim ? lineStart + line : lineEnd);
    }
    // The blank line that parts it from the next block.
    starts.push(lineEnd);
    ends.push(lineEnd);
  }
  const { title, sections } = toSections(texts.join("\n\n"), {
    mime: "text/markdown",
  });
  return {
    title,
    sections: sections.map((section) => {
      const from = section.lineStart - 1;
      const own = ends.slice(from, section.lineEnd);
      return {
        ...section,
        lineStart: starts[from] ?? 1,
        lineEnd: own.reduce((last, line) => Math.max(last, line), 1),
        links: section.links.map((link) => ({
          ...link,
          line: starts[link.line - 1] ?? 1,
        })),
      };
    }),
  };
}

/** What a line of Markdown must not begin with by accident. */
const MARKUP_AT_START =
  /^(?=#{1,6}(?:\s|$)|[-+*](?:\s|$)|>|```|~~~|<|={2,}\s*$|-{2,}\s*$|\+{3}\s*$|\|)/gm;

/** Keeps words at the start of a line from being read as the mark of a block. */
export function escapeLineStarts(text: string): string {
  return text.replace(MARKUP_AT_START, "\\");
}
