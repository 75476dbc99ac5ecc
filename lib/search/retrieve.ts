import type { ChunkId } from "../core/mod.ts";
import {
  type DocumentFilter,
  isRestricting,
  listAllowedChunks,
  listMatchingChunks,
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
  const filtered = isRestricting(filter)
    ? listAllowedChunks(store, filter)
    : undefined;
  const required = toRequiredExpression(query);
  const allow = required === undefined
    ? filtered
    : intersect(listMatchingChunks(store, required), filtered);
  const excluded = toAnyExpression(query.excluded);
  const denied = excluded === undefined
    ? new Set<ChunkId>()
    : listMatchingChunks(store, excluded);
  return search.top(limit + denied.size, allow)
    .filter(({ chunkId }) => !denied.has(chunkId))
    .slice(0, limit)
    .map(({ chunkId, cosine }, index) => ({
      chunkId,
      cosine,
      vectorRank: index + 1,
    }));
}

function intersect(
  ids: ReadonlySet<ChunkId>,
  others: ReadonlySet<ChunkId> | undefined,
): ReadonlySet<ChunkId> {
  return others === undefined
    ? ids
    : new Set([...ids].filter((id) => others.has(id)));
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
