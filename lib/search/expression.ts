import { LIMITS } from "../core/mod.ts";
import type { ParsedQuery, QueryTerm } from "./parse.ts";
import { toPhrases, withoutStopWords } from "./words.ts";

/** FTS5 text for each of the phrases that stand for a term. Words hold no quotes, so none is escaped. */
function toAlternatives(term: QueryTerm): string[] {
  return toPhrases(term).map(({ tokens, prefix }) =>
    `"${tokens.join(" ")}"${prefix ? " *" : ""}`
  );
}

function any(alternatives: readonly string[]): string {
  return alternatives.length === 1
    ? alternatives[0] ?? ""
    : `(${alternatives.join(" OR ")})`;
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
