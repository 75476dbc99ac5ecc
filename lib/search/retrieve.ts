import type { ChunkId } from "../core/mod.ts";
import {
  chunkMatches,
  type DocumentFilter,
  isRestricting,
  listAllowedChunks,
  matchChunks,
  type RankedChunk,
  type Store,
} from "../store/mod.ts";
import {
  toAnyExpression,
  toMatchExpression,
  toRequiredExpression,
} from "./expression.ts";
import type { Candidate } from "./fuse.ts";
import type { ParsedQuery } from "./parse.ts";
import type { VectorSearch } from "./vector_index.ts";

/** Finds the chunks that hold words of a query. Any index of words can stand behind it. */
export type LexicalRetriever = (
  query: ParsedQuery,
  options: { readonly limit: number; readonly filter: DocumentFilter },
) => RankedChunk[];

/** The retriever over the store's FTS5 index. */
export function fullTextRetriever(store: Store): LexicalRetriever {
  return (query, options) => {
    const expression = toMatchExpression(query);
    return expression === undefined
      ? []
      : matchChunks(store, expression, options);
  };
}

/** Finds the chunks nearest to a query's vector that meet its conditions. */
export function matchVectors(
  store: Store,
  search: VectorSearch,
  query: ParsedQuery,
  options: { readonly limit: number; readonly filter: DocumentFilter },
): Candidate[] {
  const { limit, filter } = options;
  const allow = isRestricting(filter)
    ? listAllowedChunks(store, filter)
    : undefined;
  const meets = toCondition(store, query);
  return search.top(limit, allow)
    .filter(({ chunkId }) => meets(chunkId))
    .map(({ chunkId, cosine }, index) => ({
      chunkId,
      cosine,
      vectorRank: index + 1,
    }));
}

/** What a chunk found by its vector must also meet: phrases it has, words it has not. */
function toCondition(
  store: Store,
  query: ParsedQuery,
): (chunkId: ChunkId) => boolean {
  const required = toRequiredExpression(query);
  const excluded = toAnyExpression(query.excluded);
  return (chunkId) =>
    (required === undefined || chunkMatches(store, chunkId, required)) &&
    (excluded === undefined || !chunkMatches(store, chunkId, excluded));
}

/** Joins what both retrievers found, each chunk once, with its cosine wherever it has a vector. */
export function toCandidates(
  lexical: readonly RankedChunk[],
  vector: readonly Candidate[],
  search: VectorSearch | undefined,
): Candidate[] {
  const byId = new Map(vector.map((found) => [found.chunkId, found]));
  for (const [index, { chunkId, score }] of lexical.entries()) {
    const found = byId.get(chunkId);
    const cosine = found?.cosine ?? search?.score(chunkId);
    byId.set(chunkId, {
      ...(found ?? { chunkId }),
      ...(cosine === undefined ? {} : { cosine }),
      lexicalScore: score,
      lexicalRank: index + 1,
    });
  }
  return [...byId.values()];
}
