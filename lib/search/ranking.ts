import type { ChunkId } from "../core/mod.ts";
import type { DocumentFilter, Store } from "../store/mod.ts";
import { type Candidate, type FusedCandidate, fuseScores } from "./fuse.ts";
import type { ParsedQuery } from "./parse.ts";
import { fullTextRetriever, matchVectors, toCandidates } from "./retrieve.ts";
import type { SearchOptions } from "./types.ts";
import type { VectorSearch } from "./vector_index.ts";

/** Chunks each retriever hands to the fusion: at first, and where those do not fill the page. */
const TIERS = [200, 1000] as const;

/** What a ranking is made of. */
export interface RankingOptions
  extends Pick<SearchOptions, "retriever" | "threshold" | "vectorWeight"> {
  /** Restricts both retrievers. */
  readonly filter: DocumentFilter;
  /** The query's vector against the base; `undefined` searches by word only. */
  readonly vectorSearch: VectorSearch | undefined;
}

/**
 * Candidates of both retrievers, best first, found as far as they are read.
 *
 * The order does not depend on how far: scores shift when more candidates are fused, so those of
 * the deeper tier follow the first tier's whatever their scores. That is what makes pages stable.
 */
export class Ranking implements Iterable<FusedCandidate> {
  readonly #store: Store;
  readonly #query: ParsedQuery;
  readonly #options: RankingOptions;
  /** Candidates read so far, best first. */
  readonly found: FusedCandidate[] = [];
  /** What the vector search found so far. */
  near: readonly Candidate[] = [];
  /** Time spent on finding chunks by word. */
  lexicalMs = 0;
  /** Time spent on finding chunks by vector. */
  vectorMs = 0;

  /** Prepares a ranking; nothing is looked for before it is read. */
  constructor(store: Store, query: ParsedQuery, options: RankingOptions) {
    this.#store = store;
    this.#query = query;
    this.#options = options;
  }

  /** Reads the ranking; meant to be read once, inside one {@linkcode Store.read}. */
  *[Symbol.iterator](): Iterator<FusedCandidate> {
    const { threshold = 0 } = this.#options;
    const seen = new Set<ChunkId>();
    let scoreMax = 1;
    for (const limit of TIERS) {
      const { candidates, exhausted } = this.#find(limit);
      const tier = fuseScores(candidates, this.#options)
        .filter(({ chunkId, score }) =>
          score >= threshold && !seen.has(chunkId)
        )
        .map((each) => ({ ...each, score: Math.min(each.score, scoreMax) }));
      this.found.push(...tier);
      yield* tier;
      if (exhausted) return;
      for (const { chunkId } of tier) seen.add(chunkId);
      scoreMax = tier.at(-1)?.score ?? scoreMax;
    }
  }

  /** Asks both retrievers for up to `limit` chunks, and says whether there are no more. */
  #find(limit: number): { candidates: Candidate[]; exhausted: boolean } {
    const { retriever, filter, vectorSearch } = this.#options;
    const { terms, excluded } = this.#query;
    const started = performance.now();
    const lexical = retriever === "vector"
      ? []
      : fullTextRetriever(this.#store)(this.#query, { limit, filter });
    const matched = performance.now();
    this.near = vectorSearch === undefined ? [] : matchVectors(
      this.#store,
      vectorSearch,
      this.#query,
      { limit, filter },
    );
    this.lexicalMs += matched - started;
    this.vectorMs += performance.now() - matched;
    // Exclusions and phrases thin out what the vector search found, so few may not be all.
    const thinned = vectorSearch !== undefined &&
      (excluded.length > 0 || terms.some(({ kind }) => kind === "phrase"));
    return {
      candidates: toCandidates(lexical, this.near, vectorSearch),
      exhausted: !thinned && lexical.length < limit && this.near.length < limit,
    };
  }
}
