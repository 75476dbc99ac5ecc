import { splitIdentifier } from "../core/mod.ts";
import { splitSegmented } from "../text/mod.ts";
import type { QueryTerm } from "./parse.ts";

/** English words so common, in texts or in questions, that they tell nothing; the index holds them nevertheless. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a an and are as at be but by for if in into is it no not of on or such that the their then " +
    "there these they this to was will with can could did do does how i my should we what when " +
    "where which who why would you").split(" "),
);

/** What the index takes for a word. */
const WORD = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

/** Tokens that stand next to each other. */
export interface Phrase {
  /** In order, at least one. */
  readonly tokens: readonly string[];
  /** Whether the last one is the start of a word. */
  readonly prefix: boolean;
}

/** A token and where it stands in its text, in UTF-16 units. */
export interface PlacedToken {
  /** As written. */
  readonly token: string;
  /** First unit. */
  readonly start: number;
  /** Behind its last unit. */
  readonly end: number;
}

/** Splits a text as the index does: runs of letters, marks and digits, CJK and Thai by cluster. */
export function placeTokens(text: string): PlacedToken[] {
  const placed: PlacedToken[] = [];
  for (const { 0: word, index } of text.matchAll(WORD)) {
    let start = index;
    for (const token of splitSegmented(word)) {
      placed.push({ token, start, end: start + token.length });
      start += token.length;
    }
  }
  return placed;
}

/** Same as {@linkcode placeTokens}, without the places. */
export function toTokens(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap(splitSegmented);
}

function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase());
}

/** Drops stop words unless nothing else is asked for. */
export function withoutStopWords(
  terms: readonly QueryTerm[],
): readonly QueryTerm[] {
  const kept = terms.filter(({ kind, text }) =>
    kind !== "word" || !isStopWord(toTokens(text).join(" "))
  );
  return kept.length > 0 ? kept : terms;
}

/**
 * Phrases any of which stands for a term. A compound (`multi-agent`, `2026.4.10`, `成语接龙`) counts
 * as a whole and by its parts, so that the exact form ranks above what is only near; an identifier
 * (`getUserName`) as a whole and by its parts next to each other (`get_user_name`).
 */
export function toPhrases(term: QueryTerm): Phrase[] {
  const tokens = toTokens(term.text);
  if (tokens.length === 0) return [];
  const whole = { tokens, prefix: term.kind === "prefix" };
  if (term.kind !== "word") return [whole];
  const words = term.text.match(WORD) ?? [];
  // Of an identifier the parts count only together: each alone is too common.
  const parts: Phrase[] = words.flatMap((word) => {
    const inner = splitIdentifier(word);
    return inner === undefined ? [] : [{ tokens: inner, prefix: false }];
  });
  if (tokens.length === 1) return [whole, ...parts];
  for (const word of words) {
    const clusters = splitSegmented(word);
    if (clusters.length > 2) parts.push(...toPairs(clusters));
    else if (word.length > 1 && !isStopWord(word)) {
      parts.push({ tokens: clusters, prefix: false });
    }
  }
  const isWhole = parts.length === 1 &&
    parts[0]?.tokens.length === tokens.length;
  return isWhole ? [whole] : [whole, ...parts];
}

/** Neighbours of a run without spaces, two by two: what stands for its words. */
function toPairs(clusters: readonly string[]): Phrase[] {
  return clusters.slice(1).map((cluster, index) => ({
    tokens: [clusters[index] ?? "", cluster],
    prefix: false,
  }));
}

/** Counts the distinct words of texts, upper and lower case alike. */
export function countWords(texts: readonly string[]): number {
  return new Set(
    texts.flatMap((text) => toTokens(text.toLowerCase())),
  ).size;
}
