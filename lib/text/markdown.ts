import type { Env, Token } from "markdown-it";
import { nextLine } from "./blocks.ts";
import { cleanTitle, type Frontmatter } from "./frontmatter.ts";
import { findLinks, mayHoldLink } from "./links.ts";
import { parseBlocks, toPlainText } from "./parser.ts";
import type { TextLink } from "./types.ts";

/** A part of a text before it is cut to size: from its start to the start of the next. */
export interface OutlinePart {
  /** UTF-16 offset into the text. */
  readonly start: number;
  readonly title: string | null;
  readonly headingPath: readonly string[];
  /** 1 to 6; 0 before the first heading. */
  readonly level: number;
  readonly links: readonly TextLink[];
}

/** The parts of a Markdown text. */
export interface Outline {
  /** Title of the first level 1 heading, `null` if there is none. */
  readonly title: string | null;
  /** The part before the first heading, which may be blank, then one per heading. */
  readonly parts: readonly OutlinePart[];
}

/**
 * Finds the headings of a Markdown text that stand at its top level, and the links.
 *
 * @param text Whole text with LF line ends.
 * @param front Where content and block structure begin behind the frontmatter.
 * @returns At least one part; lines of links count from the start of `text`.
 */
export function outlineMarkdown(
  text: string,
  front: Pick<Frontmatter, "contentStart" | "structureStart">,
): Outline {
  const body = front.structureStart === 0
    ? text
    : text.slice(front.structureStart);
  const { tokens, env, hasDefinitions } = parseBlocks(body);
  const lineBase = countLines(text, front.structureStart) + 1;
  const parts: (OutlinePart & { readonly links: TextLink[] })[] = [
    {
      start: front.contentStart,
      title: null,
      headingPath: [],
      level: 0,
      links: [],
    },
  ];
  const ancestors: { readonly level: number; readonly title: string }[] = [];
  let title: string | null = null;
  let offset = front.structureStart;
  let offsetLine = 0;
  let lastLine = 0;
  for (const [index, token] of tokens.entries()) {
    if (token.map !== null) lastLine = token.map[0];
    if (token.type === "heading_open" && token.level === 0) {
      for (; offsetLine < lastLine; offsetLine++) {
        offset = nextLine(text, offset);
      }
      const level = Number(token.tag.slice(1));
      const own = headingTitle(tokens[index + 1], env);
      if (level === 1) title ??= own;
      while ((ancestors.at(-1)?.level ?? 0) >= level) ancestors.pop();
      if (own !== null) ancestors.push({ level, title: own });
      const headingPath = ancestors.map((heading) => heading.title);
      parts.push({ start: offset, title: own, headingPath, level, links: [] });
    } else if (
      token.type === "inline" && mayHoldLink(token.content, hasDefinitions)
    ) {
      const found = findLinks(token.content, {
        env,
        line: lineBase + lastLine,
      });
      // One by one: a call cannot take as many arguments as a block can hold links.
      for (const link of found) parts.at(-1)?.links.push(link);
    }
  }
  return { title, parts };
}

/** Plain text of a heading, from the inline token behind its opening. */
function headingTitle(token: Token | undefined, env: Env): string | null {
  return token === undefined
    ? null
    : cleanTitle(toPlainText(token.content, env));
}

/** Counts the line feeds before an offset, from another on. */
export function countLines(text: string, offset: number, from = 0): number {
  let lines = 0;
  for (
    let at = text.indexOf("\n", from);
    at !== -1 && at < offset;
    at = text.indexOf("\n", at + 1)
  ) {
    lines++;
  }
  return lines;
}
