import assert from "node:assert/strict";
import fc from "fast-check";
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

function maxAbs(vector: Float32Array): number {
  return vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0);
}

/** Vectors of 2 to 64 values, an even number of them, up to about what float32 can hold. */
const anyVector = fc.array(
  fc.float({ noNaN: true, min: -(2 ** 127), max: 2 ** 127 }),
  { minLength: 1, maxLength: 32 },
).map((half) => Float32Array.from([...half, ...half.toReversed()]));

/** Two vectors of one length, with values of everyday size. */
const pair = fc.integer({ min: 1, max: 24 }).chain((half) => {
  const vector = fc.array(fc.float({ min: -4, max: 4, noNaN: true }), {
    minLength: 2 * half,
    maxLength: 2 * half,
  }).map((values) => Float32Array.from(values));
  return fc.tuple(vector, vector);
});

Deno.test("vectorBytes() counts a byte and a half a dimension and the scale", () => {
  assert.equal(vectorBytes(2), 7);
  assert.equal(vectorBytes(384), 580);
});

Deno.test("quantizeVector() writes coarse values, remainders low half first, then the scale", () => {
  // The scale is 1, so the values are the steps.
  const bytes = quantizeVector(Float32Array.of(127, -127, 3.25, -3.25));
  assert.equal(bytes.length, vectorBytes(4));
  assert.deepEqual([...new Int8Array(bytes.buffer, 0, 4)], [127, -127, 3, -3]);
  // Remainders 0, 0, 0.25, -0.25: levels 8, 8, 12, 4.
  assert.deepEqual([...bytes.subarray(4, 6)], [0x88, 0x4c]);
  assert.equal(new DataView(bytes.buffer).getFloat32(6, true), 1);
});

Deno.test("quantizeVector() keeps every value within a thirty-second of a step", () => {
  fc.assert(fc.property(anyVector, (vector) => {
    const scale = maxAbs(vector) / 127;
    // Near the smallest float32 the scale itself cannot be written well.
    fc.pre(scale === 0 || scale > 1e-36);
    const back = dequantizeVector(quantizeVector(vector));
    assert.equal(back.length, vector.length);
    for (const [index, value] of vector.entries()) {
      const error = Math.abs((back[index] ?? NaN) - value);
      assert.ok(error <= scale * (1 / 32 + 1e-4), `${value} off by ${error}`);
    }
  }));
});

Deno.test("quantizeVector() gives finite values whether the vector is tiny or huge", () => {
  fc.assert(fc.property(anyVector, (vector) => {
    const bytes = quantizeVector(vector);
    const coarse = new Int8Array(bytes.buffer, 0, vector.length);
    assert.ok(coarse.every((value) => value >= -127));
    assert.ok(dequantizeVector(bytes).every(Number.isFinite));
    const score = cosineOf(bytes, vector);
    assert.ok(score >= -1 && score <= 1, String(score));
  }));
});

Deno.test("quantizeVector() leaves its argument as it was", () => {
  const vector = Float32Array.of(0.5, -0.25);
  quantizeVector(vector);
  assert.deepEqual(vector, Float32Array.of(0.5, -0.25));
});

Deno.test.each([
  { rule: "no value", values: [] },
  { rule: "an odd number of values", values: [1, 2, 3] },
  { rule: "NaN", values: [1, NaN] },
  { rule: "an infinity", values: [-Infinity, 1] },
])("quantizeVector() refuses $rule", ({ values }) => {
  assert.throws(() => quantizeVector(Float32Array.from(values)), RangeError);
});

Deno.test("dequantizeVector() gives zeros for a zero vector", () => {
  const bytes = quantizeVector(new Float32Array(6));
  assert.deepEqual(dequantizeVector(bytes), new Float32Array(6));
});

Deno.test("dequantizeVector() and fineCosine() read bytes that begin anywhere in a buffer", () => {
  const vector = Float32Array.of(0.1, -0.7, 0.3, 0.9);
  const bytes = quantizeVector(vector);
  const shifted = new Uint8Array(bytes.length + 5);
  shifted.set(bytes, 3);
  const part = shifted.subarray(3, 3 + bytes.length);
  assert.deepEqual(dequantizeVector(part), dequantizeVector(bytes));
  assert.equal(cosineOf(part, vector), cosineOf(bytes, vector));
});

Deno.test.each([{ length: 0 }, { length: 4 }, { length: 8 }, { length: 579 }])(
  "dequantizeVector() and fineCosine() refuse $length bytes",
  ({ length }) => {
    const bytes = new Uint8Array(length);
    assert.throws(() => dequantizeVector(bytes), RangeError);
    assert.throws(() => cosineOf(bytes, new Float32Array(2)), RangeError);
  },
);

Deno.test("fineCosine() is the cosine of the unpacked vector and the query", () => {
  fc.assert(fc.property(pair, ([vector, query]) => {
    fc.pre(maxAbs(vector) > 1e-6 && maxAbs(query) > 1e-6);
    const bytes = quantizeVector(vector);
    const expected = cosine(dequantizeVector(bytes), query);
    assert.ok(Math.abs(cosineOf(bytes, query) - expected) < 1e-6);
  }));
});

Deno.test("fineCosine() does not depend on the length of the vector or the query", () => {
  const random = seededRandom(1);
  const vector = randomUnitVector(random, 32);
  const query = randomUnitVector(random, 32);
  const expected = cosineOf(quantizeVector(vector), query);
  const longVector = quantizeVector(vector.map((value) => 8 * value));
  const longQuery = query.map((value) => 1024 * value);
  assert.ok(Math.abs(cosineOf(longVector, longQuery) - expected) < 1e-9);
});

Deno.test("fineCosine() is 0 if the vector or the query is zero", () => {
  const zero = new Float32Array(4);
  const vector = Float32Array.of(1, 2, 3, 4);
  assert.equal(cosineOf(quantizeVector(zero), vector), 0);
  assert.equal(cosineOf(quantizeVector(vector), zero), 0);
  assert.equal(cosineOf(quantizeVector(zero), zero), 0);
});

Deno.test("fineCosine() stays in -1 to 1 for a vector with itself and its opposite", () => {
  const random = seededRandom(2);
  for (let i = 0; i < 50; i++) {
    const vector = randomUnitVector(random, 16);
    const bytes = quantizeVector(vector);
    const own = dequantizeVector(bytes);
    assert.ok(cosineOf(bytes, own) <= 1);
    assert.ok(cosineOf(bytes, own.map((value) => -value)) >= -1);
    assert.ok(cosineOf(bytes, vector) > 0.9999);
  }
});

Deno.test("fineCosine() refuses a query of other dimensions", () => {
  const bytes = quantizeVector(new Float32Array(4));
  assert.throws(() => cosineOf(bytes, new Float32Array(6)), RangeError);
});

Deno.test("fineCosine() comes ten times closer to float32 than the coarse values", () => {
  const random = seededRandom(3);
  const query = randomUnitVector(random, 384);
  let fine = 0;
  let coarse = 0;
  for (let i = 0; i < 200; i++) {
    const vector = randomUnitVector(random, 384);
    const bytes = quantizeVector(vector);
    const exact = cosine(vector, query);
    const rounded = Float32Array.from(new Int8Array(bytes.buffer, 0, 384));
    fine += Math.abs(cosineOf(bytes, query) - exact);
    coarse += Math.abs(cosine(rounded, query) - exact);
  }
  assert.ok(fine < coarse / 10, `fine ${fine}, coarse ${coarse}`);
});

/** Numbers of the `count` greatest values, greatest first. */
function bestOf(values: readonly number[], count: number): number[] {
  return [...values.keys()]
    .sort((a, b) => (values[b] ?? 0) - (values[a] ?? 0)).slice(0, count);
}

function randomVectors(seed: number, count: number): Float32Array[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => randomUnitVector(random, 384));
}

Deno.test("fineCosine() finds at least 99 of the 100 best that float32 finds", () => {
  const vectors = randomVectors(13, 1000);
  const packed = vectors.map(quantizeVector);
  let shared = 0;
  for (const query of randomVectors(14, 10)) {
    const exact = bestOf(vectors.map((vector) => cosine(vector, query)), 10);
    const fine = bestOf(packed.map((bytes) => cosineOf(bytes, query)), 10);
    shared += exact.filter((index) => fine.includes(index)).length;
  }
  assert.ok(shared >= 99, `${shared} of 100`);
});
