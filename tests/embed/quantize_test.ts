import assert from "node:assert/strict";
import {
  coarseOf,
  dequantizeVector,
  fineCosine,
  quantizeVector,
  remaindersOf,
  vectorBytes,
} from "../../lib/embed/mod.ts";
import { randomUnitVector, seededRandom } from "../helpers/random_vectors.ts";

/** Cosine of packed bytes and a query, as finely as they are packed. */
function cosineOf(bytes: Uint8Array, query: Float32Array): number {
  return fineCosine(coarseOf(bytes), remaindersOf(bytes), query);
}

const DIMS = 384;

/** Cosine of two vectors of unit length, in float64. */
function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? NaN), 0);
}

/** Numbers of the `count` greatest values, greatest first. */
function bestOf(values: readonly number[], count: number): number[] {
  return [...values.keys()]
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, count);
}

function randomVectors(seed: number, count: number): Float32Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => randomUnitVector(random, DIMS));
}

Deno.test("quantizeVector() and back stays within a thirtieth of a step on unit vectors", () => {
  for (const vector of randomVectors(11, 50)) {
    const bytes = quantizeVector(vector);
    assert.equal(bytes.length, vectorBytes(DIMS));
    const step = Math.max(...vector.map(Math.abs)) / 127;
    for (const [index, value] of dequantizeVector(bytes).entries()) {
      const error = Math.abs(value - (vector[index] ?? NaN));
      assert.ok(error <= step / 30, `${error} of a step of ${step}`);
    }
  }
});

Deno.test("fineCosine() is within a thousandth of float32 on random vectors", () => {
  const [query = new Float32Array(), ...vectors] = randomVectors(12, 301);
  for (const vector of vectors) {
    const error = cosineOf(quantizeVector(vector), query) -
      dot(vector, query);
    assert.ok(Math.abs(error) <= 1e-3, String(error));
  }
});

Deno.test("fineCosine() finds at least 99 of the 100 best that float32 finds", () => {
  const vectors = randomVectors(13, 1000);
  const packed = vectors.map(quantizeVector);
  let shared = 0;
  for (const query of randomVectors(14, 10)) {
    const exact = bestOf(vectors.map((vector) => dot(vector, query)), 10);
    const fine = bestOf(packed.map((bytes) => cosineOf(bytes, query)), 10);
    shared += exact.filter((index) => fine.includes(index)).length;
  }
  assert.ok(shared >= 99, `${shared} of 100`);
});

Deno.test.each([
  { rule: "no dimension", values: [] },
  { rule: "an odd number of dimensions", values: [0.6, 0.8, 0] },
  { rule: "NaN", values: [NaN, 1] },
  { rule: "an infinity", values: [1, Infinity] },
])("quantizeVector() refuses a vector with $rule", ({ values }) => {
  assert.throws(() => quantizeVector(Float32Array.from(values)), RangeError);
});

Deno.test("fineCosine() refuses a query of other dimensions", () => {
  const [vector = new Float32Array()] = randomVectors(15, 1);
  const bytes = quantizeVector(vector);
  assert.throws(() => cosineOf(bytes, vector.subarray(2)), RangeError);
});

Deno.test("dequantizeVector() refuses bytes that were cut off", () => {
  const [vector = new Float32Array()] = randomVectors(16, 1);
  const bytes = quantizeVector(vector);
  assert.throws(() => dequantizeVector(bytes.subarray(1)), RangeError);
});
