import type { Env, Token } from "markdown-it";
import type { LinkType } from "../core/mod.ts";
import { joinText, parseInline } from "./parser.ts";
import type { TextLink } from "./types.ts";

/** Longest context of a link, in UTF-16 units. */
const SNIPPET_CHARS = 200;
/** Longest block whose inline structure is read at once, in UTF-16 units; it bounds the time taken. */
const INLINE_CHARS = 32 * 1024;
const KBDB_URI = /kbdb:\/\/[^\s<>"'()[\]{}|\\^`]+/g;
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

/** Says whether a block may hold a link, which most do not. */
export function mayHoldLink(content: string, hasDefinitions: boolean): boolean {
  if (content.includes("kbdb://")) return true;
  if (!content.includes("[")) return false;
  return hasDefinitions || content.includes("](") || content.includes("[[");
}

/**
 * Finds the references in one Markdown block; code is left out, and so are web addresses.
 *
 * @param content Text of the block, as markdown-it gives it.
 * @param options `env` of the document; `line` of the block's first line, from 1.
 * @returns Links in the order of the text.
 */
export function findLinks(
  content: string,
  options: { readonly env: Env; readonly line: number },
): TextLink[] {
  const links: TextLink[] = [];
  let line = options.line;
  let counted = 0;
  for (let base = 0; base < content.length;) {
    const end = pieceEnd(content, base);
    const piece = base === 0 && end === content.length
      ? content
      : content.slice(base, end);
    for (const found of collect(parseInline(piece, options.env))) {
      const at = base + found.at;
      for (; counted < at; counted++) {
        if (content.charCodeAt(counted) === 0x0a) line++;
      }
      const { type, target, label } = found;
      links.push({
        type,
        target,
        label,
        contextSnippet: snippetAround(content, at),
        line,
      });
    }
    base = end;
  }
  return links;
}

/** Where to cut a very long block: at a line end, else at a space. */
function pieceEnd(content: string, base: number): number {
  const limit = base + INLINE_CHARS;
  if (content.length <= limit) return content.length;
  const lineEnd = content.lastIndexOf("\n", limit);
  if (lineEnd > base) return lineEnd + 1;
  const space = content.lastIndexOf(" ", limit);
  return space > base ? space + 1 : limit;
}

interface FoundLink {
  readonly type: LinkType;
  readonly target: string;
  readonly label: string;
  readonly at: number;
}

/** Picks the references out of inline tokens. */
function collect(tokens: readonly Token[]): FoundLink[] {
  const found: FoundLink[] = [];
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i];
    if (token === undefined) continue;
    const at = typeof token.meta?.pos === "number" ? token.meta.pos : 0;
    if (token.type === "wikilink") {
      const type = token.meta?.isEmbed === true ? "embed" : "wikilink";
      found.push({
        type,
        target: String(token.meta?.target),
        label: token.content,
        at,
      });
    } else if (token.type === "image") {
      addLink(
        found,
        "image",
        token.attrGet("src"),
        joinText(token.children ?? []),
        at,
      );
    } else if (token.type === "link_open") {
      const close = findClose(tokens, i);
      const inner = tokens.slice(i + 1, close);
      addLink(found, "link", token.attrGet("href"), joinText(inner), at);
      // Images inside a link are references of their own; its text is its label.
      found.push(...collect(inner.filter((child) => child.type === "image")));
      i = close;
    } else if (token.type === "text" && token.content.includes("kbdb://")) {
      for (const match of token.content.matchAll(KBDB_URI)) {
        const target = match[0].replace(/[.,;:!?*_]+$/, "");
        found.push({ type: "link", target, label: "", at: at + match.index });
      }
    }
  }
  return found;
}

/** Finds the token that closes a link. */
function findClose(tokens: readonly Token[], open: number): number {
  let close = open + 1;
  while (close < tokens.length && tokens[close]?.type !== "link_close") close++;
  return close;
}

/** Adds a link unless it leads out of the base or nowhere. */
function addLink(
  found: FoundLink[],
  type: LinkType,
  target: string | number | null,
  label: string,
  at: number,
): void {
  if (
    typeof target !== "string" || target === "" || target === "#" ||
    target.startsWith("//")
  ) return;
  if (SCHEME.test(target) && !target.startsWith("kbdb://")) return;
  found.push({ type, target, label: label.trim(), at });
}

/** Cuts out the sentence around an offset, white space collapsed. */
function snippetAround(content: string, at: number): string {
  let start = at;
  const startMin = Math.max(0, at - SNIPPET_CHARS);
  while (start > startMin && !isSentenceEnd(content, start - 1)) start--;
  let end = at;
  const endMax = Math.min(content.length, start + 2 * SNIPPET_CHARS);
  while (end < endMax && !(end > at && isSentenceEnd(content, end - 1))) end++;
  const sentence = content.slice(start, end).toWellFormed().replace(/\s+/g, " ")
    .trim();
  if (sentence.length <= SNIPPET_CHARS) {
    return sentence.replaceAll("\ufffd", "");
  }
  // The link has to stay visible, so the window begins shortly before it if the sentence is long.
  const before =
    content.slice(start, at).replace(/\s+/g, " ").trimStart().length;
  const from = Math.max(
    0,
    Math.min(before - 60, sentence.length - SNIPPET_CHARS),
  );
  return trimToWellFormed(sentence.slice(from, from + SNIPPET_CHARS));
}

/** Takes a half surrogate pair off either end. */
function trimToWellFormed(text: string): string {
  return text.replace(/^[\udc00-\udfff]/, "").replace(/[\ud800-\udbff]$/, "")
    .trim();
}

/** Says whether a sentence ends with the code unit at an index. */
function isSentenceEnd(content: string, index: number): boolean {
  const unit = content.charCodeAt(index);
  if (unit === 0x3002 || unit === 0xff01 || unit === 0xff1f) return true;
  if (unit !== 0x2e && unit !== 0x21 && unit !== 0x3f) return false;
  const next = content.charCodeAt(index + 1);
  return Number.isNaN(next) || next === 0x20 || next === 0x0a;
}
