import assert from "node:assert/strict";
import fc from "fast-check";
import { quantizeVector, vectorBytes } from "../../lib/embed/mod.ts";
import { quantizeQuery } from "../../lib/search/query_vector.ts";
import { VectorBlock, type VectorHit } from "../../lib/search/vector_block.ts";
import { randomUnitVector, seededRandom } from "../helpers/random_vectors.ts";

type Rows = Map<number, Uint8Array>;

/** Scores one row in the steps of the kernel, each rounded to float32, so that equal is equal. */
function scoreOf(bytes: Uint8Array, query: Float32Array): number {
  const { values, factor } = quantizeQuery(query);
  let dot = 0;
  let squares = 0;
  for (const [index, value] of values.entries()) {
    const stored = ((bytes[index] ?? 0) << 24) >> 24;
    dot += stored * value;
    squares += stored * stored;
  }
  const rowFactor = squares === 0 ? 0 : Math.fround(1 / Math.sqrt(squares));
  const score = Math.fround(
    Math.fround(Math.fround(dot) * rowFactor) * Math.fround(factor),
  );
  return Math.max(-1, Math.min(1, score));
}

/** What `top()` has to give: everything scored, sorted, then cut. */
function bestOf(
  rows: Rows,
  query: Float32Array,
  limit: number,
  allow?: ReadonlySet<number>,
): VectorHit[] {
  return [...rows]
    .filter(([id]) => allow === undefined || allow.has(id))
    .map(([id, bytes]) => ({ id, score: scoreOf(bytes, query) }))
    .sort((a, b) => b.score - a.score || a.id - b.id)
    .slice(0, limit);
}

/** A block and the same rows in a map. */
class Pair {
  readonly block: VectorBlock;
  readonly rows: Rows = new Map();
  readonly #random: () => number;

  constructor(dims: number, seed: number) {
    this.block = new VectorBlock(dims);
    this.#random = seededRandom(seed);
  }

  query(): Float32Array {
    return randomUnitVector(this.#random, this.block.dims);
  }

  set(id: number, bytes = quantizeVector(this.query())): void {
    this.block.set(id, bytes);
    this.rows.set(id, bytes);
  }

  fill(from: number, to: number): this {
    for (let id = from; id < to; id++) this.set(id);
    return this;
  }

  delete(id: number): void {
    assert.equal(this.block.delete(id), this.rows.delete(id));
  }

  /** Compares the ranking of every row, and of the best few, with the map's. */
  assertSame(allow?: ReadonlySet<number>): void {
    const query = this.query();
    const scan = this.block.scan(query);
    const all = bestOf(this.rows, query, Infinity, allow);
    assert.equal(this.block.size, this.rows.size);
    assert.deepEqual(scan.top(this.rows.size + 1, allow), all);
    assert.deepEqual(scan.top(7, allow), all.slice(0, 7));
    for (const { id, score } of all.slice(0, 20)) {
      assert.equal(scan.score(id), score);
      assert.ok(this.block.has(id));
    }
  }
}

Deno.test.each([{ dims: 16 }, { dims: 48 }, { dims: 384 }, { dims: 8192 }])(
  "VectorBlock.top() ranks exactly with $dims dimensions",
  ({ dims }) => new Pair(dims, dims).fill(0, 40).assertSame(),
);

Deno.test("VectorBlock.top() ranks exactly whether or not four rows at a time come out even", () => {
  const pair = new Pair(48, 9);
  pair.assertSame();
  for (let rows = 0; rows < 13; rows++) pair.fill(rows, rows + 1).assertSame();
});

Deno.test("VectorBlock.top() ranks exactly after each growth", () => {
  const pair = new Pair(32, 1);
  const { block } = pair;
  // 256, 512, 1024 and 2048 rows are the first capacities.
  for (let rows = 0; rows < 2100; rows += 150) {
    pair.fill(rows, rows + 150).assertSame();
  }
  const bytesBefore = block.bytes;
  pair.assertSame();
  assert.equal(block.bytes, bytesBefore);
});

Deno.test("VectorBlock.top() ranks exactly when rows were deleted", () => {
  const pair = new Pair(32, 2).fill(0, 600);
  for (let id = 0; id < 600; id += 3) pair.delete(id);
  pair.delete(599);
  pair.delete(599);
  pair.assertSame();
  pair.fill(1000, 1300).assertSame();
});

Deno.test("VectorBlock.top() ranks exactly when rows were replaced", () => {
  const pair = new Pair(32, 3).fill(0, 300);
  for (let id = 0; id < 300; id += 2) pair.set(id);
  pair.assertSame();
});

Deno.test("VectorBlock.top() ranks exactly after clear(), which keeps the memory", () => {
  const pair = new Pair(32, 4).fill(0, 700);
  const { block, rows } = pair;
  const bytesBefore = block.bytes;
  block.clear();
  rows.clear();
  assert.equal(block.size, 0);
  assert.equal(block.has(1), false);
  pair.assertSame();
  pair.fill(100, 800).assertSame();
  assert.equal(block.bytes, bytesBefore);
});

Deno.test.each([
  { rule: "one row", step: 997 },
  { rule: "a few rows", step: 100 },
  { rule: "just below a quarter of the rows", step: 5 },
  { rule: "a quarter of the rows", step: 4 },
  { rule: "half of the rows", step: 2 },
  { rule: "every row", step: 1 },
])("VectorBlock.top() ranks exactly when $rule may be chosen", ({ step }) => {
  const pair = new Pair(16, 5).fill(0, 1000);
  const allow = new Set<number>();
  for (let id = 0; id < 1000; id += step) allow.add(id);
  pair.assertSame(allow);
  // Ids it does not have are passed over.
  pair.assertSame(new Set([...allow, -1, 5000, 1.5]));
});

Deno.test("VectorBlock.top() gives an empty list if no row may be chosen", () => {
  const { block } = new Pair(16, 6).fill(0, 10);
  const scan = block.scan(new Float32Array(16).fill(1));
  assert.deepEqual(scan.top(5, new Set()), []);
  assert.deepEqual(scan.top(5, new Set([77])), []);
  assert.deepEqual(new VectorBlock(16).scan(new Float32Array(16)).top(5), []);
});

Deno.test("VectorBlock.top() breaks ties on the smaller id, however rows are chosen", () => {
  const { block } = new Pair(16, 7);
  const bytes = quantizeVector(new Float32Array(16).fill(0.25));
  const ids = Array.from({ length: 50 }, (_, index) => 7 * index % 50);
  for (const id of ids) block.set(id, bytes);
  const scan = block.scan(new Float32Array(16).fill(1));
  const best = (limit: number, allow?: ReadonlySet<number>) =>
    scan.top(limit, allow).map((hit) => hit.id);
  assert.deepEqual(best(4), [0, 1, 2, 3]);
  assert.deepEqual(best(2, new Set([30, 9, 5])), [5, 9]);
  assert.deepEqual(best(2, new Set(ids.filter((id) => id > 9))), [10, 11]);
});

Deno.test("VectorBlock.top() does what a plain map does, whatever is set, deleted and cleared", () => {
  const id = fc.integer({ min: -3, max: 12 });
  // Few values, so that vectors tie and are zero now and then.
  const vector = fc.array(fc.constantFrom(0, 0, 0, 1, -1, 0.5), {
    minLength: 16,
    maxLength: 16,
  });
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ set: id, vector }) },
    { weight: 3, arbitrary: fc.record({ delete: id }) },
    { weight: 1, arbitrary: fc.constant("clear" as const) },
  );
  const steps = fc.array(step, { maxLength: 40 });
  fc.assert(fc.property(steps, vector, (steps, values) => {
    const pair = new Pair(16, 8);
    for (const step of steps) {
      if (step === "clear") {
        pair.block.clear();
        pair.rows.clear();
      } else if ("set" in step) {
        pair.set(step.set, quantizeVector(Float32Array.from(step.vector)));
      } else pair.delete(step.delete);
    }
    const query = Float32Array.from(values);
    const scan = pair.block.scan(query);
    for (
      const allow of [undefined, new Set([0, 1]), new Set(pair.rows.keys())]
    ) {
      assert.deepEqual(scan.top(5, allow), bestOf(pair.rows, query, 5, allow));
    }
  }));
});

Deno.test("VectorBlock.scan() sees what changed after it was made", () => {
  const pair = new Pair(32, 9).fill(0, 100);
  const query = pair.query();
  const scan = pair.block.scan(query);
  scan.top(1);
  pair.block.scan(pair.query()).top(1);
  pair.fill(100, 900);
  pair.delete(3);
  assert.deepEqual(scan.top(20), bestOf(pair.rows, query, 20));
});

Deno.test("VectorBlock.scan() copies the query", () => {
  const { block } = new Pair(16, 10).fill(0, 20);
  const query = new Float32Array(16).fill(1);
  const scan = block.scan(query);
  const before = scan.top(5);
  query.fill(-1);
  assert.deepEqual(scan.top(5), before);
});

Deno.test("VectorBlock.score() is near the cosine in float32, whatever the lengths", () => {
  const random = seededRandom(11);
  const block = new VectorBlock(384);
  const vector = randomUnitVector(random, 384);
  const query = randomUnitVector(random, 384);
  let cosine = 0;
  for (const [index, x] of vector.entries()) cosine += x * (query[index] ?? 0);
  block.set(1, quantizeVector(vector));
  block.set(2, quantizeVector(vector.map((value) => 1000 * value)));
  for (const length of [1, 1e-30, 1e30]) {
    const scan = block.scan(query.map((value) => length * value));
    assert.ok(Math.abs((scan.score(1) ?? NaN) - cosine) < 0.005);
    assert.equal(scan.score(1), scan.score(2));
  }
});

Deno.test("VectorBlock.score() stays in -1 to 1 where every value is as large as can be", () => {
  for (const dims of [16, 384, 8192]) {
    const block = new VectorBlock(dims);
    const ones = new Float32Array(dims).fill(1);
    block.set(1, quantizeVector(ones));
    block.set(2, quantizeVector(ones.map((value) => -value)));
    const scan = block.scan(ones);
    assert.ok((scan.score(1) ?? NaN) > 0.9999 && (scan.score(1) ?? NaN) <= 1);
    assert.ok((scan.score(2) ?? NaN) < -0.9999);
    assert.ok((scan.score(2) ?? NaN) >= -1);
  }
});

Deno.test("VectorBlock.score() keeps to int32 where every stored value is as large as can be", () => {
  for (const dims of [16, 384, 8192]) {
    const block = new VectorBlock(dims);
    block.set(1, new Uint8Array(vectorBytes(dims)).fill(0x80));
    // All of it on one value, so that the rotated query is as large as can be everywhere too.
    const query = new Float32Array(dims).fill(1, 0, 1);
    const score = block.scan(query).score(1) ?? NaN;
    const expected = scoreOf(new Uint8Array(dims).fill(0x80), query);
    assert.equal(score, expected);
  }
});

Deno.test("VectorBlock.score() is 0 for a zero vector and for a zero query", () => {
  const block = new VectorBlock(16);
  const ones = new Float32Array(16).fill(1);
  block.set(1, quantizeVector(new Float32Array(16)));
  block.set(2, quantizeVector(ones));
  assert.equal(block.scan(ones).score(1), 0);
  assert.deepEqual(block.scan(new Float32Array(16)).top(2), [
    { id: 1, score: 0 },
    { id: 2, score: 0 },
  ]);
  // A zero vector in the place of another leaves nothing of it.
  block.set(2, quantizeVector(new Float32Array(16)));
  assert.equal(block.scan(ones).score(2), 0);
});

Deno.test("VectorBlock.score() gives undefined for an id the block does not have", () => {
  const { block } = new Pair(16, 12).fill(0, 3);
  const scan = block.scan(new Float32Array(16).fill(1));
  assert.equal(scan.score(3), undefined);
  block.delete(1);
  assert.equal(scan.score(1), undefined);
});

Deno.test("VectorBlock.set() copies the vector", () => {
  const block = new VectorBlock(16);
  const bytes = quantizeVector(new Float32Array(16).fill(0.5));
  block.set(1, bytes);
  const scan = block.scan(new Float32Array(16).fill(1));
  const before = scan.score(1);
  bytes.fill(0);
  assert.equal(scan.score(1), before);
});

Deno.test("VectorBlock.set() grows by a quarter once the rows take 64 MiB", () => {
  const block = new VectorBlock(8192);
  const bytes = quantizeVector(new Float32Array(8192).fill(1));
  for (let id = 0; id <= 8192; id++) block.set(id, bytes);
  const rowBytes = 8192 * 8192;
  const full = rowBytes;
  assert.ok(block.bytes > 1.2 * full && block.bytes < 1.3 * full);
  const scan = block.scan(new Float32Array(8192).fill(1));
  assert.equal(scan.score(8192), scan.score(0));
});

Deno.test.each([
  { dims: 0 },
  { dims: -16 },
  { dims: 8 },
  { dims: 20 },
  { dims: 16.5 },
  { dims: 8208 },
  { dims: NaN },
])("VectorBlock() refuses $dims dimensions", ({ dims }) => {
  assert.throws(() => new VectorBlock(dims), RangeError);
});

Deno.test.each([
  { rule: "an id that is no integer", id: 1.5, length: 16 },
  { rule: "an unsafe id", id: 2 ** 53, length: 16 },
  { rule: "NaN as id", id: NaN, length: 16 },
  { rule: "a byte too few", id: 1, length: 15 },
  { rule: "no bytes", id: 1, length: 0 },
  { rule: "a byte too many", id: 1, length: 17 },
])("VectorBlock.set() refuses $rule and changes nothing", ({ id, length }) => {
  const block = new VectorBlock(16);
  block.set(1, quantizeVector(new Float32Array(16).fill(1)));
  const scan = block.scan(new Float32Array(16).fill(1));
  const before = scan.score(1);
  assert.throws(() => block.set(id, new Uint8Array(length)), RangeError);
  assert.equal(block.size, 1);
  assert.equal(scan.score(1), before);
});

Deno.test.each([
  { rule: "too few values", query: new Float32Array(15) },
  { rule: "too many values", query: new Float32Array(32) },
  { rule: "NaN", query: new Float32Array(16).fill(NaN, 3, 4) },
  { rule: "an infinity", query: new Float32Array(16).fill(-Infinity, 15) },
])("VectorBlock.scan() refuses $rule", ({ query }) => {
  assert.throws(() => new VectorBlock(16).scan(query), RangeError);
});

Deno.test.each([{ limit: 0 }, { limit: -1 }, { limit: 1.5 }, { limit: NaN }])(
  "VectorBlock.top() refuses a limit of $limit",
  ({ limit }) => {
    const scan = new VectorBlock(16).scan(new Float32Array(16));
    assert.throws(() => scan.top(limit), RangeError);
  },
);
