import { KbError, LIMITS } from "../core/mod.ts";
import {
  countMatches,
  countMatchingDocuments,
  type DocumentFilter,
  listMatchingSections,
  listSectionsOfChunks,
  type Store,
} from "../store/mod.ts";
import {
  toAnyExpression,
  toMatchExpression,
  toTermExpression,
} from "./expression.ts";
import type { Candidate } from "./fuse.ts";
import { groupChunks, type GroupedChunk, hitMaker } from "./hits.ts";
import { type ParsedQuery, parseQuery } from "./parse.ts";
import { Ranking } from "./ranking.ts";
import type {
  Degradation,
  SearchAnswer,
  SearchOptions,
  SearchStats,
} from "./types.ts";
import type { VectorIndex, VectorSearch } from "./vector_index.ts";

/** What a search by meaning needs. */
export interface VectorSource {
  /** The vectors of the base. */
  readonly index: VectorIndex;
  /** Makes the vector of a query, of unit length. */
  readonly embedQuery: (
    text: string,
    signal?: AbortSignal,
  ) => Promise<Float32Array>;
}

/** What a search works on. */
export interface SearchContext {
  /** The base. */
  readonly store: Store;
  /** Absent when the base cannot be searched by meaning; a sentence says why. */
  readonly vectors: VectorSource | string;
  /** Chunks without a vector, to say so. */
  readonly pendingChunks: number;
}

const TOTAL_MAX = 1000;

/**
 * Searches a base by word and by meaning.
 *
 * @param context Store and vectors.
 * @param query As the user wrote it; see `parseQuery()` for the syntax.
 * @param options Retrievers, filters, paging.
 * @returns Hits, best first, and what the answer lacks.
 * @throws {RangeError} If `limit`, `offset` or `threshold` is out of range.
 * @throws {KbError} `invalid_query` if the query is too long or a date cannot be read;
 * `model_unavailable` if only vectors are asked for and there are none to be had.
 */
export async function search(
  context: SearchContext,
  query: string,
  options: SearchOptions = {},
): Promise<SearchAnswer> {
  checkRange(options);
  const { store } = context;
  const { retriever = "hybrid", groupBy = "section", limit = 10, offset = 0 } =
    options;
  const parsed = parseQuery(query);
  const filter = joinFilters(options, parsed.filter);
  const notes = [...parsed.notes];
  if (parsed.terms.length === 0) {
    notes.push("The query has no word to search for");
    return { hits: [], total: 0, degraded: [], notes };
  }
  const started = performance.now();
  const degraded: Degradation[] = [];
  const vectorSearch = retriever === "fts"
    ? undefined
    : await startVectorSearch(context, parsed, { ...options, degraded, notes });
  const embedded = performance.now();
  return store.read(() => {
    const ranking = new Ranking(store, parsed, {
      ...options,
      filter,
      vectorSearch,
    });
    const groups = take(
      groupChunks(store, ranking, groupBy, filter),
      offset,
      limit,
    );
    const toHit = hitMaker(store, parsed, options);
    const hits = groups.map((group, index) => toHit(group, offset + index + 1));
    const total = groupBy === "section"
      ? countSections(store, parsed, {
        near: ranking.near,
        lexical: retriever !== "vector",
        filter,
      })
      : [...groupChunks(store, ranking.found, groupBy, filter)].length;
    const { lexicalMs, vectorMs } = ranking;
    const timings = {
      embedMs: embedded - started,
      lexicalMs,
      vectorMs,
      fuseMs: performance.now() - embedded - lexicalMs - vectorMs,
    };
    return {
      hits,
      total: Math.max(total, hits.length === 0 ? 0 : offset + hits.length),
      degraded,
      notes,
      ...(options.explain === true ? { timings } : {}),
    };
  });
}

/**
 * Counts what the words of a query stand for, without ranking anything.
 *
 * @throws {KbError} `invalid_query` if the query is too long or a date cannot be read.
 */
export function readSearchStats(
  store: Store,
  query: string,
  options: DocumentFilter = {},
): SearchStats {
  const parsed = parseQuery(query);
  const expression = toAnyExpression(parsed.terms);
  const counts = expression === undefined
    ? { byType: {}, byCollection: {} }
    : countMatchingDocuments(
      store,
      expression,
      joinFilters(options, parsed.filter),
    );
  const terms = parsed.terms.map((term) => {
    const own = toTermExpression(term);
    return {
      term: term.text,
      chunks: own === undefined ? 0 : countMatches(store, own),
    };
  });
  return { terms, ...counts };
}

function checkRange(options: SearchOptions): void {
  const { limit = 10, offset = 0, threshold = 0, snippetChars = 1 } = options;
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= LIMITS.hits)) {
    throw new RangeError(
      `Cannot search: limit is ${limit}, must be 1 to ${LIMITS.hits}`,
    );
  }
  if (
    !(Number.isInteger(offset) && offset >= 0 && offset <= LIMITS.hitOffset)
  ) {
    throw new RangeError(
      `Cannot search: offset is ${offset}, must be 0 to ${LIMITS.hitOffset}`,
    );
  }
  if (!(snippetChars >= 1 && snippetChars <= LIMITS.snippetChars)) {
    throw new RangeError(
      `Cannot search: snippetChars is ${snippetChars}, must be 1 to ${LIMITS.snippetChars}`,
    );
  }
  if (!(threshold >= 0 && threshold <= 1)) {
    throw new RangeError(
      `Cannot search: threshold is ${threshold}, must be 0 to 1`,
    );
  }
}

/** Filters of the call and of the query; where both name one thing, the query's is meant. */
function joinFilters(
  options: DocumentFilter,
  written: DocumentFilter,
): DocumentFilter {
  const { docType, collection, after, before, sourcePath, metadata } = {
    ...options,
    ...written,
  };
  const tags = [...(options.tags ?? []), ...(written.tags ?? [])];
  return {
    ...(tags.length === 0 ? {} : { tags }),
    ...(docType === undefined ? {} : { docType }),
    ...(collection === undefined ? {} : { collection }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(sourcePath === undefined ? {} : { sourcePath }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Makes the query's vector, or says in `degraded` and `notes` why there is none. */
async function startVectorSearch(
  { vectors, pendingChunks }: SearchContext,
  parsed: ParsedQuery,
  options: SearchOptions & { degraded: Degradation[]; notes: string[] },
): Promise<VectorSearch | undefined> {
  const { retriever, signal, degraded, notes } = options;
  try {
    if (typeof vectors === "string") {
      throw new KbError("model_unavailable", vectors);
    }
    vectors.index.sync();
    if (vectors.index.size === 0) {
      degraded.push("no_vectors");
      if (pendingChunks > 0) {
        notes.push(`No text has a vector yet; run: kbdb embed`);
      }
      return undefined;
    }
    if (pendingChunks > 0) {
      degraded.push("vectors_pending");
      notes.push(
        `${pendingChunks} chunks have no vector yet and are found by word only; run: kbdb embed`,
      );
    }
    return vectors.index.search(
      await vectors.embedQuery(parsed.meaning, signal),
    );
  } catch (error) {
    const missing = error instanceof KbError &&
      error.code === "model_unavailable";
    if (!missing || retriever === "vector") throw error;
    degraded.push("no_vectors");
    notes.push(error.message);
    return undefined;
  }
}

/** Passes over `offset` items and takes up to `limit`. */
function take(
  groups: Iterable<GroupedChunk>,
  offset: number,
  limit: number,
): GroupedChunk[] {
  const taken: GroupedChunk[] = [];
  let index = 0;
  for (const group of groups) {
    if (index++ >= offset) taken.push(group);
    if (taken.length === limit) break;
  }
  return taken;
}

/** Counts distinct sections found by either retriever, up to a bound. */
function countSections(
  store: Store,
  parsed: ParsedQuery,
  found: {
    readonly near: readonly Candidate[];
    readonly lexical: boolean;
    readonly filter: DocumentFilter;
  },
): number {
  const expression = found.lexical ? toMatchExpression(parsed) : undefined;
  const sections = new Set(
    expression === undefined
      ? []
      : listMatchingSections(store, expression, TOTAL_MAX, found.filter),
  );
  if (sections.size < TOTAL_MAX) {
    const ids = found.near.map(({ chunkId }) => chunkId);
    for (const id of listSectionsOfChunks(store, ids)) sections.add(id);
  }
  return Math.min(TOTAL_MAX, sections.size);
}
