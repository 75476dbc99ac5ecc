import assert from "node:assert/strict";
import fc from "fast-check";
import { BestHits, type VectorHit } from "../../lib/search/best_hits.ts";

/** What BestHits has to give: everything sorted, then cut. */
function bestOf(hits: readonly VectorHit[], limit: number): VectorHit[] {
  return hits.toSorted((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, limit);
}

function offerAll(hits: readonly VectorHit[], limit: number): BestHits {
  const best = new BestHits(limit);
  for (const { id, score } of hits) best.offer(id, score);
  return best;
}

/** Hits with distinct ids in any order, and few scores so that many tie. */
const anyHits = fc.uniqueArray(
  fc.tuple(fc.integer({ min: -50, max: 200 }), fc.integer({ min: -4, max: 4 }))
    .map(([id, quarters]): VectorHit => ({ id, score: quarters / 4 })),
  { selector: (hit) => hit.id, maxLength: 80 },
);

Deno.test("BestHits.take() gives what sorting everything gives", () => {
  fc.assert(
    fc.property(anyHits, fc.integer({ min: 1, max: 90 }), (hits, limit) => {
      assert.deepEqual(offerAll(hits, limit).take(), bestOf(hits, limit));
    }),
    { numRuns: 300 },
  );
});

Deno.test("BestHits.take() gives the same for every order of offers", () => {
  const hits = [3, 1, 2, 5, 4].map((id) => ({ id, score: id % 2 }));
  assert.deepEqual(
    offerAll(hits, 3).take(),
    offerAll(hits.toReversed(), 3).take(),
  );
});

Deno.test("BestHits.take() gives an empty list if nothing was offered", () => {
  assert.deepEqual(new BestHits(3).take(), []);
});

Deno.test("BestHits.offer() prefers the smaller id among equal scores", () => {
  const hits = [9, 4, 7, 2, 8].map((id) => ({ id, score: 0.5 }));
  assert.deepEqual(offerAll(hits, 2).take().map((hit) => hit.id), [2, 4]);
});

Deno.test("BestHits.offer() keeps the best one if the limit is 1", () => {
  const hits = [0.1, 0.9, 0.3].map((score, id) => ({ id, score }));
  assert.deepEqual(offerAll(hits, 1).take(), [{ id: 1, score: 0.9 }]);
});

Deno.test("BestHits.scoreMin is -Infinity until the limit is reached, then the worst held score", () => {
  const best = new BestHits(2);
  assert.equal(best.scoreMin, -Infinity);
  best.offer(1, 0.2);
  assert.equal(best.scoreMin, -Infinity);
  best.offer(2, 0.6);
  assert.equal(best.scoreMin, 0.2);
  best.offer(3, 0.4);
  assert.equal(best.scoreMin, 0.4);
  best.offer(4, 0.1);
  assert.equal(best.scoreMin, 0.4);
});

Deno.test("BestHits.scoreMin lets nothing better than the worst held hit be passed over", () => {
  fc.assert(
    fc.property(anyHits, fc.integer({ min: 1, max: 20 }), (hits, limit) => {
      const best = new BestHits(limit);
      for (const { id, score } of hits) {
        if (score >= best.scoreMin) best.offer(id, score);
      }
      assert.deepEqual(best.take(), bestOf(hits, limit));
    }),
  );
});
