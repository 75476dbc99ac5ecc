import assert from "node:assert/strict";
import { rotateVector } from "../../lib/embed/mod.ts";
import { unrotateVector } from "../../lib/embed/rotate.ts";
import { randomUnitVector, seededRandom } from "../helpers/random_vectors.ts";

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? NaN), 0);
}

const SIZES = [1, 2, 3, 16, 48, 384, 1000, 1024].map((dims) => ({ dims }));

Deno.test.each(SIZES)(
  "rotateVector() keeps lengths and cosines of $dims dimensions",
  ({ dims }) => {
    const random = seededRandom(dims);
    const a = randomUnitVector(random, dims);
    const b = randomUnitVector(random, dims);
    const [turnedA, turnedB] = [rotateVector(a), rotateVector(b)];
    assert.ok(Math.abs(dot(turnedA, turnedA) - 1) < 1e-5);
    assert.ok(Math.abs(dot(turnedA, turnedB) - dot(a, b)) < 1e-5);
  },
);

Deno.test.each(SIZES)(
  "unrotateVector() undoes rotateVector() of $dims dimensions",
  ({ dims }) => {
    const vector = randomUnitVector(seededRandom(dims), dims);
    const back = unrotateVector(rotateVector(vector));
    for (const [at, value] of back.entries()) {
      assert.ok(Math.abs(value - (vector[at] ?? NaN)) < 1e-6);
    }
  },
);

Deno.test("rotateVector() leaves no value large that stands alone", () => {
  for (let at = 0; at < 384; at++) {
    const vector = new Float32Array(384).fill(1, at, at + 1);
    const largest = Math.max(...rotateVector(vector).map(Math.abs));
    assert.ok(largest < 0.15, `${largest} for dimension ${at}`);
  }
});

Deno.test("rotateVector() leaves its argument as it was, and nothing of nothing", () => {
  const vector = Float32Array.of(1, 2, 3);
  rotateVector(vector);
  assert.deepEqual(vector, Float32Array.of(1, 2, 3));
  assert.deepEqual(rotateVector(new Float32Array()), new Float32Array());
});
