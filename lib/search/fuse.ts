import type { ChunkId } from "../core/mod.ts";

/** What each retriever says of one chunk. */
export interface Candidate {
  /** Which chunk. */
  readonly chunkId: ChunkId;
  /** bm25 negated, > 0; absent when no word matched or it ranked too low. */
  readonly lexicalScore?: number;
  /** Rank by words, from 1. */
  readonly lexicalRank?: number;
  /** Cosine, -1 to 1; absent when the chunk has no vector. */
  readonly cosine?: number;
  /** Rank by meaning, from 1; absent below the candidates of the vector search. */
  readonly vectorRank?: number;
}

/** A candidate with its place in the answer. */
export interface FusedCandidate extends Candidate {
  /** 0 to 1, comparable within one answer only. */
  readonly score: number;
}

/** Share of the vector score in the sum; docs/decisions/0008-fusion.md has the measurements. */
export const VECTOR_WEIGHT = 0.96;

/** Options for {@linkcode fuseScores}. */
export interface FuseOptions {
  /** Share of the vector score, 0 to 1. Default {@linkcode VECTOR_WEIGHT}. */
  readonly vectorWeight?: number;
}

/**
 * Merges both retrievers' scores into one by a convex combination.
 *
 * `score = w * u / best u + (1 - w) * bm25 / best bm25`, where `u = (cosine + 1) / 2`. A chunk no
 * word of which matched has bm25 0; one without a vector counts as the lowest cosine seen. With one
 * leg only, that leg's order is the answer's. Cosines of one query lie close together while bm25
 * spreads, so a weight near 1 gives both about the same say.
 *
 * Pure. Ties break on the smaller `chunkId`.
 *
 * @param candidates Union of both retrievers' best, each chunk once.
 * @param options Weight.
 * @returns All candidates, best first.
 * @throws {RangeError} If `vectorWeight` is outside 0 to 1.
 *
 * @example A chunk both retrievers like comes first
 * ```ts
 * import assert from "node:assert/strict";
 * import type { ChunkId } from "../core/mod.ts";
 *
 * const id = (n: number) => n as ChunkId;
 * const fused = fuseScores([
 *   { chunkId: id(1), lexicalScore: 9, cosine: 0.4 },
 *   { chunkId: id(2), lexicalScore: 8, cosine: 0.8 },
 *   { chunkId: id(3), cosine: 0.7 },
 * ]);
 * assert.deepEqual(fused.map((c) => c.chunkId), [2, 3, 1]);
 * ```
 */
export function fuseScores(
  candidates: readonly Candidate[],
  options: FuseOptions = {},
): FusedCandidate[] {
  const { vectorWeight = VECTOR_WEIGHT } = options;
  if (!(vectorWeight >= 0 && vectorWeight <= 1)) {
    throw new RangeError(
      `Cannot fuse scores as vectorWeight must be 0 to 1: current value is ${vectorWeight}`,
    );
  }
  let bestLexical = 0;
  let bestUnit = 0;
  let lowestUnit = 1;
  for (const { lexicalScore, cosine } of candidates) {
    bestLexical = Math.max(bestLexical, lexicalScore ?? 0);
    if (cosine === undefined) continue;
    bestUnit = Math.max(bestUnit, toUnit(cosine));
    lowestUnit = Math.min(lowestUnit, toUnit(cosine));
  }
  const weight = bestUnit === 0 ? 0 : bestLexical === 0 ? 1 : vectorWeight;
  return candidates.map((candidate) => {
    const { lexicalScore = 0, cosine } = candidate;
    const unit = cosine === undefined ? lowestUnit : toUnit(cosine);
    // Each quotient before its weight: multiplied first, rounding could take the sum above 1.
    const vector = weight === 0 ? 0 : weight * (unit / bestUnit);
    const lexical = weight === 1 || bestLexical === 0
      ? 0
      : (1 - weight) * (lexicalScore / bestLexical);
    return { ...candidate, score: vector + lexical };
  }).sort((a, b) => b.score - a.score || a.chunkId - b.chunkId);
}

/** Brings a cosine into 0 to 1. */
function toUnit(cosine: number): number {
  return (cosine + 1) / 2;
}
