import assert from "node:assert/strict";
import fc from "fast-check";
import {
  dequantizeVector,
  quantizeVector,
  rotateVector,
  vectorBytes,
} from "../../lib/embed/mod.ts";
import { randomUnitVector, seededRandom } from "../helpers/random_vectors.ts";

/** Cosine in float64, the yardstick. */
function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0, left = 0, right = 0;
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? NaN;
    dot += x * y;
    left += x * x;
    right += y * y;
  }
  return left === 0 || right === 0 ? 0 : dot / Math.sqrt(left * right);
}

/** Cosine of packed bytes and a query. */
function cosineOf(bytes: Uint8Array, query: Float32Array): number {
  return cosine(dequantizeVector(bytes), query);
}

/** Vectors of 1 to 64 values, up to what float32 can hold. */
const anyVector = fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), {
  minLength: 1,
  maxLength: 64,
}).map((values) => Float32Array.from(values));

Deno.test("vectorBytes() counts a byte a dimension", () => {
  assert.equal(vectorBytes(2), 2);
  assert.equal(vectorBytes(384), 384);
});

Deno.test("quantizeVector() writes the rotated values, the largest as 127", () => {
  const vector = randomUnitVector(seededRandom(4), 48);
  const rotated = rotateVector(vector);
  const largest = Math.max(...rotated.map(Math.abs));
  const bytes = quantizeVector(vector);
  assert.equal(bytes.length, vectorBytes(48));
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  for (const [index, value] of values.entries()) {
    const exact = (rotated[index] ?? NaN) / largest * 127;
    assert.ok(Math.abs(value - exact) < 0.501, `${value}, exactly ${exact}`);
  }
  assert.equal(Math.max(...values.map(Math.abs)), 127);
});

Deno.test("quantizeVector() gives the bytes that are stored for a vector, for ever", () => {
  assert.deepEqual(
    [...quantizeVector(Float32Array.of(0.5, -0.25, 0.125, 1, 0, 0.75))],
    [248, 87, 185, 224, 24, 129],
  );
});

Deno.test("quantizeVector() keeps the direction, whether the vector is tiny or huge", () => {
  fc.assert(fc.property(anyVector, (vector) => {
    const bytes = quantizeVector(vector);
    const values = new Int8Array(bytes.buffer, 0, vector.length);
    assert.ok(values.every((value) => value >= -127));
    const largest = Math.max(...vector.map(Math.abs));
    if (largest === 0) assert.ok(values.every((value) => value === 0));
    else {
      const score = cosineOf(bytes, vector.map((value) => value / largest));
      assert.ok(score > 0.999, String(score));
    }
  }));
});

Deno.test("quantizeVector() does not depend on the length of the vector", () => {
  const vector = randomUnitVector(seededRandom(1), 32);
  assert.deepEqual(
    quantizeVector(vector.map((value) => 8 * value)),
    quantizeVector(vector),
  );
});

Deno.test("quantizeVector() leaves its argument as it was", () => {
  const vector = Float32Array.of(0.5, -0.25);
  quantizeVector(vector);
  assert.deepEqual(vector, Float32Array.of(0.5, -0.25));
});

Deno.test.each([
  { rule: "no value", values: [] },
  { rule: "NaN", values: [1, NaN] },
  { rule: "an infinity", values: [-Infinity, 1] },
])("quantizeVector() refuses $rule", ({ values }) => {
  assert.throws(() => quantizeVector(Float32Array.from(values)), RangeError);
});

Deno.test("dequantizeVector() gives zeros for a zero vector", () => {
  const bytes = quantizeVector(new Float32Array(6));
  assert.ok(dequantizeVector(bytes).every((value) => value === 0));
});

Deno.test("dequantizeVector() gives a vector of length 1 from bytes that begin anywhere", () => {
  const bytes = quantizeVector(Float32Array.of(1, -7, 3, 9, 2));
  const shifted = new Uint8Array(bytes.length + 5);
  shifted.set(bytes, 3);
  const part = shifted.subarray(3, 3 + bytes.length);
  assert.deepEqual(dequantizeVector(part), dequantizeVector(bytes));
  assert.ok(Math.abs(Math.hypot(...dequantizeVector(part)) - 1) < 1e-6);
});

Deno.test("dequantizeVector() refuses no bytes", () => {
  assert.throws(() => dequantizeVector(new Uint8Array()), RangeError);
});

/** Numbers of the `count` greatest values, greatest first. */
function bestOf(values: readonly number[], count: number): number[] {
  return [...values.keys()]
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, count);
}

/** Vectors as embedding models make them: a few dimensions are large in all of them. */
function lopsidedVectors(seed: number, count: number): Float32Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => {
    const vector = randomUnitVector(random, 384);
    for (const at of [5, 77, 190, 301]) {
      vector[at] = 0.3 + (vector[at] ?? 0);
    }
    return vector;
  });
}

Deno.test("quantizeVector() leaves at least 98 of the 100 best that float32 finds", () => {
  const vectors = lopsidedVectors(13, 1000);
  const unpacked = vectors.map((vector) =>
    dequantizeVector(quantizeVector(vector))
  );
  let shared = 0;
  for (const query of lopsidedVectors(14, 10)) {
    const exact = bestOf(vectors.map((vector) => cosine(vector, query)), 10);
    const found = bestOf(unpacked.map((vector) => cosine(vector, query)), 10);
    shared += exact.filter((index) => found.includes(index)).length;
  }
  assert.ok(shared >= 98, `${shared} of 100`);
});
