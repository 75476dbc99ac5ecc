import assert from "node:assert/strict";
import { scoreRankings } from "../../scripts/eval_set.ts";

function setOf(grades: Record<string, Record<string, number>>) {
  return {
    queries: new Map(Object.keys(grades).map((id) => [id, id])),
    grades: new Map(
      Object.entries(grades).map((
        [id, own],
      ) => [id, new Map(Object.entries(own))]),
    ),
  };
}

Deno.test("scoreRankings() gives 1 for a perfect ranking and 0 for an empty one", () => {
  const set = setOf({ q: { a: 1, b: 1 } });
  assert.deepEqual(scoreRankings(set, new Map([["q", ["a", "b", "x"]]])), {
    ndcg10: 1,
    recall100: 1,
    mrr10: 1,
  });
  assert.deepEqual(scoreRankings(set, new Map()), {
    ndcg10: 0,
    recall100: 0,
    mrr10: 0,
  });
});

Deno.test("scoreRankings() discounts by rank", () => {
  const quality = scoreRankings(
    setOf({ q: { a: 1 } }),
    new Map([["q", ["x", "x2", "a"]]]),
  );
  assert.equal(quality.ndcg10, 1 / Math.log2(4));
  assert.equal(quality.mrr10, 1 / 3);
});
