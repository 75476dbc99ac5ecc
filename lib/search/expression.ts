import { LIMITS } from "../core/mod.ts";
import { splitSegmented } from "../text/mod.ts";
import type { ParsedQuery, QueryTerm } from "./parse.ts";

/** English words so common that they only cost time; the index holds them nevertheless. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  ("a an and are as at be but by for if in into is it no not of on or such that the their then " +
    "there these they this to was will with").split(" "),
);

const WORD = /[\p{L}\p{M}\p{N}\p{Co}]+/gu;

function quote(tokens: readonly string[]): string {
  return `"${tokens.join(" ")}"`;
}

/** Splits a text as the index does: runs of letters, marks and digits, CJK and Thai by cluster. */
function toTokens(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap(splitSegmented);
}

/** Neighbours of a run without spaces, two by two: what stands for its words. */
function toPairs(clusters: readonly string[]): string[] {
  const pairs: string[] = [];
  for (let i = 0; i + 1 < clusters.length; i++) {
    pairs.push(quote(clusters.slice(i, i + 2)));
  }
  return pairs;
}

function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word.toLowerCase());
}

/**
 * Alternatives that stand for one term. A compound (`multi-agent`, `2026.4.10`, `成语接龙`) counts
 * as a whole and by its parts, so that the exact form ranks above what is only near.
 */
function toAlternatives(term: QueryTerm): string[] {
  const tokens = toTokens(term.text);
  if (tokens.length === 0) return [];
  if (term.kind === "prefix") return [`${quote(tokens)} *`];
  const whole = quote(tokens);
  if (term.kind === "phrase" || tokens.length === 1) return [whole];
  const parts: string[] = [];
  for (const word of term.text.match(WORD) ?? []) {
    const clusters = splitSegmented(word);
    if (clusters.length > 2) parts.push(...toPairs(clusters));
    else if (word.length > 1 && !isStopWord(word)) parts.push(quote(clusters));
  }
  return parts.length === 1 && parts[0] === whole ? [whole] : [whole, ...parts];
}

function any(alternatives: readonly string[]): string {
  return alternatives.length === 1
    ? alternatives[0] ?? ""
    : `(${alternatives.join(" OR ")})`;
}

/** Drops stop words unless nothing else is asked for. */
function withoutStopWords(words: readonly QueryTerm[]): readonly QueryTerm[] {
  const kept = words.filter(({ kind, text }) =>
    kind === "prefix" || !isStopWord(toTokens(text).join(" "))
  );
  return kept.length > 0 ? kept : words;
}

/** FTS5 text for one term; `undefined` when it holds no token. */
export function toTermExpression(term: QueryTerm): string | undefined {
  const alternatives = toAlternatives(term);
  return alternatives.length === 0 ? undefined : any(alternatives);
}

/** FTS5 text that matches a chunk with any of the terms; `undefined` when there is none. */
export function toAnyExpression(
  terms: readonly QueryTerm[],
): string | undefined {
  // Bounded, as a long run of CJK text becomes a phrase for each pair of its characters.
  const alternatives = terms.flatMap(toAlternatives)
    .slice(0, LIMITS.queryPhrases);
  return alternatives.length === 0 ? undefined : any(alternatives);
}

/** FTS5 text for the phrases a hit must have; `undefined` when there is none. */
export function toRequiredExpression(query: ParsedQuery): string | undefined {
  const phrases = query.terms.filter((term) => term.kind === "phrase")
    .flatMap(toAlternatives);
  return phrases.length === 0 ? undefined : phrases.join(" AND ");
}

/**
 * Writes a parsed query as an FTS5 MATCH text. Every word is quoted, so no user text is ever syntax.
 *
 * Phrases must all be there; of the other terms any may be, and each one found adds to the score.
 *
 * @returns `undefined` when the query holds no token the index could know.
 *
 * @example Words are alternatives, a phrase is a condition
 * ```ts
 * import assert from "node:assert/strict";
 * import { parseQuery } from "./parse.ts";
 *
 * assert.equal(toMatchExpression(parseQuery("the red fox")), '("red" OR "fox")');
 * assert.equal(toMatchExpression(parseQuery("?!")), undefined);
 * ```
 */
export function toMatchExpression(query: ParsedQuery): string | undefined {
  const words = withoutStopWords(
    query.terms.filter((term) => term.kind !== "phrase"),
  );
  const optional = toAnyExpression(words);
  const required = toRequiredExpression(query);
  let expression = required ?? optional;
  if (expression === undefined) return undefined;
  if (required !== undefined && optional !== undefined) {
    expression = `((${required}) OR (${required} AND ${optional}))`;
  }
  const excluded = toAnyExpression(query.excluded);
  return excluded === undefined
    ? expression
    : `(${expression}) NOT ${excluded}`;
}
