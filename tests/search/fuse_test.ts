import assert from "node:assert/strict";
import fc from "fast-check";
import type { ChunkId } from "../../lib/core/mod.ts";
import {
  type Candidate,
  fuseScores,
  VECTOR_WEIGHT,
} from "../../lib/search/fuse.ts";

const id = (n: number) => n as ChunkId;

/** Scores by chunk, in the order of the answer. */
function scoresOf(
  candidates: readonly Candidate[],
  vectorWeight?: number,
): [number, number][] {
  const options = vectorWeight === undefined ? {} : { vectorWeight };
  return fuseScores(candidates, options).map((c) => [c.chunkId, c.score]);
}

/** Candidates as the retrievers give them, the extremes of both scores included. */
function anyCandidates(
  lexicalScore: fc.Arbitrary<number | undefined>,
  cosine: fc.Arbitrary<number | undefined>,
): fc.Arbitrary<Candidate[]> {
  return fc.uniqueArray(
    fc.tuple(fc.integer({ min: 1, max: 999 }), lexicalScore, cosine).map(
      ([n, words, meaning]): Candidate => ({
        chunkId: id(n),
        ...(words === undefined ? {} : { lexicalScore: words }),
        ...(meaning === undefined ? {} : { cosine: meaning }),
      }),
    ),
    { selector: (candidate) => candidate.chunkId, maxLength: 30 },
  );
}

/** Steps coarse enough that (cosine + 1) / 2 keeps them apart. */
const cosine = fc.integer({ min: -1000, max: 1000 }).map((n) => n / 1000);
const lexicalScore = fc.integer({ min: 0, max: 40_000 }).map((n) => n / 1000);
const absent = fc.constant(undefined);
const bothLegs = anyCandidates(
  fc.oneof(
    absent,
    lexicalScore,
    fc.double({ min: 0, max: 1e6, noNaN: true }),
  ),
  fc.oneof(
    absent,
    cosine,
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.constantFrom(-1, 1),
  ),
);
const weight = fc.double({ min: 0, max: 1, noNaN: true });

Deno.test("fuseScores() gives scores of 0 to 1, best first, ties on the smaller chunkId", () => {
  fc.assert(
    fc.property(bothLegs, weight, (candidates, vectorWeight) => {
      const fused = fuseScores(candidates, { vectorWeight });
      for (const [index, { score, chunkId }] of fused.entries()) {
        assert.ok(score >= 0 && score <= 1, String(score));
        const next = fused[index + 1];
        if (next === undefined) continue;
        assert.ok(
          score > next.score ||
            (score === next.score && chunkId < next.chunkId),
        );
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("fuseScores() gives every candidate once, with what the retrievers said of it", () => {
  fc.assert(fc.property(bothLegs, (candidates) => {
    const back = fuseScores(candidates).map(({ score: _, ...rest }) => rest);
    const byId = (a: Candidate, b: Candidate) => a.chunkId - b.chunkId;
    assert.deepEqual(back.toSorted(byId), candidates.toSorted(byId));
  }));
});

Deno.test("fuseScores() is pure: the order of candidates does not matter and none is changed", () => {
  fc.assert(fc.property(bothLegs, weight, (candidates, vectorWeight) => {
    const before = structuredClone(candidates);
    const fused = fuseScores(candidates, { vectorWeight });
    assert.deepEqual(candidates, before);
    assert.deepEqual(
      fuseScores(candidates.toReversed(), { vectorWeight }),
      fused,
    );
  }));
});

Deno.test("fuseScores() keeps the order of the words when no candidate has a vector", () => {
  fc.assert(
    fc.property(anyCandidates(lexicalScore, absent), weight, (found, w) => {
      const best = Math.max(0, ...found.map((c) => c.lexicalScore ?? 0));
      const expected = found
        .toSorted((a, b) =>
          (b.lexicalScore ?? 0) - (a.lexicalScore ?? 0) || a.chunkId - b.chunkId
        )
        .map((c) => [c.chunkId, best === 0 ? 0 : (c.lexicalScore ?? 0) / best]);
      assert.deepEqual(scoresOf(found, w), expected);
    }),
  );
});

Deno.test("fuseScores() keeps the order of the vectors when no candidate has a matched word", () => {
  fc.assert(fc.property(anyCandidates(absent, cosine), weight, (found, w) => {
    const unit = (c: Candidate) => ((c.cosine ?? NaN) + 1) / 2;
    const best = Math.max(0, ...found.map(unit));
    const expected = found
      .toSorted((a, b) => unit(b) - unit(a) || a.chunkId - b.chunkId)
      .map((c) => [c.chunkId, best === 0 ? 0 : unit(c) / best]);
    assert.deepEqual(scoresOf(found, w), expected);
  }));
});

Deno.test("fuseScores() adds the weighted shares of the best of each leg", () => {
  const candidates = [
    { chunkId: id(1), lexicalScore: 10, cosine: 0 },
    { chunkId: id(2), lexicalScore: 5, cosine: 1 },
  ];
  assert.deepEqual(scoresOf(candidates, 0.5), [[1, 0.75], [2, 0.75]]);
  assert.deepEqual(scoresOf(candidates, 0.25), [[1, 0.875], [2, 0.625]]);
});

Deno.test("fuseScores() weighs the vectors with VECTOR_WEIGHT unless told otherwise", () => {
  const candidates = [
    { chunkId: id(1), lexicalScore: 3, cosine: 0.2 },
    { chunkId: id(2), cosine: 0.9 },
  ];
  assert.equal(VECTOR_WEIGHT, 0.96);
  assert.deepEqual(scoresOf(candidates), scoresOf(candidates, VECTOR_WEIGHT));
});

Deno.test("fuseScores() counts a missing bm25 as 0", () => {
  assert.deepEqual(
    scoresOf([
      { chunkId: id(1), cosine: 1 },
      { chunkId: id(2), lexicalScore: 7, cosine: 1 },
    ], 0.75),
    [[2, 1], [1, 0.75]],
  );
});

Deno.test("fuseScores() counts a missing vector as the lowest cosine seen", () => {
  assert.deepEqual(
    scoresOf([
      { chunkId: id(1), cosine: 1 },
      { chunkId: id(2), cosine: 0 },
      { chunkId: id(3), lexicalScore: 2 },
    ], 0.75),
    [[1, 0.75], [3, 0.625], [2, 0.375]],
  );
});

Deno.test("fuseScores() with a weight of 1 or 0 ranks by one leg alone", () => {
  const candidates = [
    { chunkId: id(1), lexicalScore: 10, cosine: 0 },
    { chunkId: id(2), lexicalScore: 5, cosine: 1 },
  ];
  assert.deepEqual(scoresOf(candidates, 1), [[2, 1], [1, 0.5]]);
  assert.deepEqual(scoresOf(candidates, 0), [[1, 1], [2, 0.5]]);
});

Deno.test.each<{ rule: string; candidates: Candidate[]; scores: number[] }>([
  { rule: "an empty list for no candidates", candidates: [], scores: [] },
  {
    rule: "0 for a candidate neither leg scored",
    candidates: [{ chunkId: id(1) }],
    scores: [0],
  },
  {
    rule: "the words' score when every cosine is -1",
    candidates: [
      { chunkId: id(1), cosine: -1, lexicalScore: 4 },
      { chunkId: id(2), cosine: -1, lexicalScore: 1 },
    ],
    scores: [1, 0.25],
  },
  {
    rule: "0 when every cosine is -1 and every bm25 0",
    candidates: [{ chunkId: id(1), cosine: -1, lexicalScore: 0 }],
    scores: [0],
  },
  {
    rule: "the vectors' score when every bm25 is 0",
    candidates: [
      { chunkId: id(1), cosine: 1, lexicalScore: 0 },
      { chunkId: id(2), cosine: 0, lexicalScore: 0 },
    ],
    scores: [1, 0.5],
  },
])("fuseScores() gives $rule", ({ candidates, scores }) => {
  assert.deepEqual(fuseScores(candidates).map((c) => c.score), scores);
});

Deno.test.each([
  { vectorWeight: -0.01 },
  { vectorWeight: 1.01 },
  { vectorWeight: NaN },
  { vectorWeight: Infinity },
])("fuseScores() refuses a weight of $vectorWeight", ({ vectorWeight }) => {
  assert.throws(() => fuseScores([], { vectorWeight }), RangeError);
});
