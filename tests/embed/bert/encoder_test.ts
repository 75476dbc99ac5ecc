import assert from "node:assert/strict";
import {
  bestBuild,
  type KernelBuild,
} from "../../../lib/embed/bert/bert_kernels.ts";
import { BertEncoder } from "../../../lib/embed/bert/encoder.ts";
import {
  makeSmallBert,
  runPlainly,
  SMALL_BERT,
} from "../../helpers/small_bert.ts";

const WINDOW = { windowTokens: 16 };
const BUILDS: readonly KernelBuild[] = bestBuild() === "relaxed"
  ? ["plain", "relaxed"]
  : ["plain"];

function makeIds(length: number, first = 3): Int32Array {
  return Int32Array.from(
    { length },
    (_, i) => (first + 7 * i) % SMALL_BERT.words,
  );
}

Deno.test.each(
  BUILDS.flatMap((build) =>
    [1, 2, 4, 5, 8, 11, 16].map((tokens) => ({ build, tokens }))
  ),
)(
  "run() computes what plain arithmetic does for $tokens tokens, $build",
  ({ build, tokens }) => {
    const bert = makeSmallBert();
    const encoder = new BertEncoder(bert, { ...WINDOW, build });
    const ids = makeIds(tokens);
    const actual = encoder.run(ids);
    const expected = runPlainly(bert, ids);
    assert.equal(actual.length, tokens * SMALL_BERT.dims);
    for (const [index, value] of expected.entries()) {
      const distance = Math.abs((actual[index] ?? NaN) - value);
      assert.ok(distance < 2e-3, `${actual[index]} instead of ${value}`);
    }
  },
);

Deno.test("run() gives the same bits with both builds", () => {
  const [first, ...others] = BUILDS.map((build) =>
    new BertEncoder(makeSmallBert(), { ...WINDOW, build }).run(makeIds(13))
  );
  for (const other of others) assert.deepEqual(other, first);
});

Deno.test("run() gives the first token's vector alone if only that is wanted", () => {
  const encoder = new BertEncoder(makeSmallBert(), WINDOW);
  for (const tokens of [1, 6, 16]) {
    const all = encoder.run(makeIds(tokens));
    assert.deepEqual(
      encoder.run(makeIds(tokens), { firstOnly: true }),
      all.slice(0, SMALL_BERT.dims),
    );
  }
});

Deno.test("run() forgets the text before", () => {
  const encoder = new BertEncoder(makeSmallBert(), WINDOW);
  const before = encoder.run(makeIds(3));
  encoder.run(makeIds(16, 1));
  assert.deepEqual(encoder.run(makeIds(3)), before);
});

Deno.test.each([
  { rule: "no token", ids: [] },
  { rule: "more tokens than the window", ids: Array(17).fill(1) },
  { rule: "an id behind the vocabulary", ids: [1, SMALL_BERT.words] },
  { rule: "a negative id", ids: [-1] },
])("run() refuses $rule", ({ ids }) => {
  const encoder = new BertEncoder(makeSmallBert(), WINDOW);
  assert.throws(() => encoder.run(Int32Array.from(ids)), RangeError);
});

Deno.test.each([
  { rule: "heads too small for the kernels", change: { heads: 8 } },
  { rule: "dimensions that are not whole lines", change: { dims: 24 } },
])("BertEncoder refuses $rule", ({ change }) => {
  assert.throws(
    () => new BertEncoder({ ...makeSmallBert(), ...change }, WINDOW),
    TypeError,
  );
});

Deno.test("BertEncoder refuses a window of more tokens than there are positions", () => {
  assert.throws(
    () => new BertEncoder(makeSmallBert(), { windowTokens: 17 }),
    TypeError,
  );
});
