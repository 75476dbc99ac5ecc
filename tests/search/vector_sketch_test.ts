import assert from "node:assert/strict";
import fc from "fast-check";
import {
  chooseLargest,
  type SketchSource,
  VectorSketch,
} from "../../lib/search/vector_sketch.ts";
import { seededRandom } from "../helpers/random_vectors.ts";

/** Random int8 rows whose values lie around `offset`. */
function makeSource(rows: number, dims: number, offset = 0): SketchSource {
  const random = seededRandom(rows + dims);
  const values = Array.from(
    { length: rows },
    () => Int8Array.from({ length: dims }, () => offset + 60 * random() - 30),
  );
  const at = (index: number) => values[index] ?? new Int8Array();
  return {
    dims,
    rows,
    row: (index) => new Uint8Array(at(index).buffer),
    lengthOf: (index) => Math.hypot(...at(index)),
  };
}

/** A row that points where the query does, and the query. */
function makeQuery(
  dims: number,
  offset = 0,
): { query: Int16Array; row: Uint8Array } {
  const random = seededRandom(dims);
  const signs = Int8Array.from(
    { length: dims },
    () => random() < 0.5 ? -1 : 1,
  );
  return {
    query: Int16Array.from(signs, (sign) => 100 * sign),
    row: new Uint8Array(signs.map((sign) => offset + 20 * sign).buffer),
  };
}

Deno.test.each([
  { dims: 16, offset: 0 },
  { dims: 384, offset: 0 },
  { dims: 384, offset: 60 },
  { dims: 8192, offset: 0 },
])(
  "VectorSketch.nearest() finds the nearest of $dims dimensions around $offset in every place",
  ({ dims, offset }) => {
    const source = makeSource(70, dims, offset);
    const sketch = new VectorSketch(source);
    const { query, row } = makeQuery(dims, offset);
    const length = Math.hypot(...new Int8Array(row.buffer));
    for (let index = 0; index < 70; index++) {
      sketch.set(index, row, length);
      assert.deepEqual([...sketch.nearest(query, 70, 1)], [index]);
      // Taking it back leaves the neighbours in its block as they were.
      sketch.set(index, source.row(index), source.lengthOf(index));
    }
  },
);

Deno.test("VectorSketch.nearest() keeps to the first rows and gives all of them if asked for more", () => {
  const sketch = new VectorSketch(makeSource(100, 16));
  const { query } = makeQuery(16);
  for (const rows of [0, 1, 31, 32, 33, 100]) {
    assert.deepEqual(
      [...sketch.nearest(query, rows, 1000)],
      [...Array(rows).keys()],
    );
  }
});

Deno.test("VectorSketch has room for half as many rows again", () => {
  const sketch = new VectorSketch(makeSource(100, 16));
  assert.ok(sketch.capacityRows >= 150);
  const { query, row } = makeQuery(16);
  const last = sketch.capacityRows - 1;
  sketch.set(last, row, 80);
  const found = sketch.nearest(query, sketch.capacityRows, 1);
  assert.ok(found.includes(last));
});

Deno.test("VectorSketch.nearest() gives every row of a query of zeros", () => {
  const sketch = new VectorSketch(makeSource(40, 16));
  assert.equal(sketch.nearest(new Int16Array(16), 40, 1).length, 40);
});

Deno.test("chooseLargest() gives what sorting gives, and all that tie with the last", () => {
  const values = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 60 });
  const count = fc.integer({ min: 1, max: 70 });
  fc.assert(fc.property(values, count, (values, count) => {
    const sorted = values.toSorted((a, b) => b - a);
    const least = sorted[Math.min(count, values.length) - 1] ?? 0;
    assert.deepEqual(
      [...chooseLargest(Uint16Array.from(values), count)],
      [...values.keys()].filter((index) => (values[index] ?? 0) >= least),
    );
  }));
  assert.deepEqual(
    [...chooseLargest(Uint16Array.of(65535, 0, 65535), 1)],
    [0, 2],
  );
});
