import { vectorBytes } from "../embed/mod.ts";
import { BestHits, type VectorHit } from "./best_hits.ts";
import { type Kernel, openKernel, PAGE_BYTES, PAGES_MAX } from "./kernel.ts";
import { type QuantizedQuery, quantizeQuery } from "./query_vector.ts";
import { VectorSketch } from "./vector_sketch.ts";

export type { VectorHit } from "./best_hits.ts";

/**
 * One query against a {@linkcode VectorBlock}.
 *
 * Holds the query and no result, so every call answers about the rows the block has at that moment.
 */
export interface VectorScan {
  /**
   * Ranks the rows by cosine, exactly: no row is left out of the comparison.
   *
   * @param limit Most hits wanted, an integer >= 1.
   * @param allow Ids to choose from; ids the block does not have are passed over. Without it, all rows.
   * @returns Up to `limit` hits in falling `score`, ties on the smaller id; `[]` if no row may be chosen.
   * @throws {RangeError} If `limit` is not an integer >= 1.
   */
  top(limit: number, allow?: ReadonlySet<number>): VectorHit[];
  /**
   * Scores one row, with the same number `top()` gives it.
   *
   * @param id Id of a vector.
   * @returns The cosine, -1 to 1; `undefined` if the block does not have the id.
   */
  score(id: number): number | undefined;
}

const LANES = 16;
const DIMS_MAX = 8192;
const FIRST_ROWS = 256;
/** A block doubles up to this many bytes of rows; beyond, a quarter more keeps the slack small. */
const DOUBLING_BYTES = 64 * 1024 * 1024;
/** Below this share of the block, scoring the allowed rows one by one beats scanning all of them. */
const SPARSE_SHARE = 0.25;
/** Rows from which on a sketch says which of them are worth scoring. */
const SKETCH_ROWS = 20_000;
/** Share of all rows that are scored then, and how many for each hit wanted at least. */
const SCORED_SHARE = 0.05;
const SCORED_PER_HIT = 20;
/** Above this share of rows to score, all are: reading in order is faster. */
const SCORED_SHARE_MAX = 0.3;

/**
 * All vectors of a base in one block of WebAssembly memory, compared exactly by a SIMD kernel.
 *
 * Rows are packed without gaps, so deleting moves the last row into the hole. The memory, at most
 * 4 GiB, grows as needed and never shrinks; drop the block to give it back. A score is the cosine of
 * the stored vector with the query, whatever the length of either; a zero vector scores 0.
 *
 * @example The nearest vector comes first
 * ```ts
 * import assert from "node:assert/strict";
 * import { quantizeVector } from "../embed/mod.ts";
 *
 * const axis = (n: number) => new Float32Array(16).fill(1, n, n + 1);
 * const block = new VectorBlock(16);
 * block.set(7, quantizeVector(axis(0)));
 * block.set(8, quantizeVector(axis(1)));
 * const scan = block.scan(axis(1));
 * assert.deepEqual(scan.top(1), [{ id: 8, score: 1 }]);
 * assert.ok(Math.abs(scan.score(7) ?? 1) < 1e-6);
 * ```
 */
export class VectorBlock {
  /** Dimensions of every vector. */
  readonly dims: number;
  // Memory, from address 0: the query (int16), the rows (int8), a float32 factor for each row that
  // is one over its length, a float32 score for each row.
  readonly #memory: WebAssembly.Memory;
  readonly #kernel: Kernel;
  readonly #rowsAt: number;
  readonly #rowOf = new Map<number, number>();
  readonly #ids: number[] = [];
  #capacityRows = 0;
  #rows: Uint8Array = new Uint8Array();
  #factors: Float32Array = new Float32Array();
  #scores: Float32Array = new Float32Array();
  #loadedQuery: QuantizedQuery | undefined;
  /** Made when a search first needs it, and again when rows have outgrown it. */
  #sketch: VectorSketch | undefined;

  /**
   * Makes an empty block.
   *
   * @param dims Dimensions of every vector: a multiple of 16, 16 to 8192.
   * @throws {RangeError} If `dims` is anything else, or the memory cannot be reserved.
   */
  constructor(dims: number) {
    if (
      !Number.isInteger(dims) || dims < LANES || dims > DIMS_MAX ||
      dims % LANES !== 0
    ) {
      throw new RangeError(
        `dims is ${dims}, must be a multiple of ${LANES} up to ${DIMS_MAX}`,
      );
    }
    this.dims = dims;
    this.#rowsAt = Math.ceil(dims * Int16Array.BYTES_PER_ELEMENT / 64) * 64;
    this.#memory = new WebAssembly.Memory({ initial: 1, maximum: PAGES_MAX });
    this.#kernel = openKernel(this.#memory);
    this.#reserve(FIRST_ROWS);
  }

  /** Vectors held. */
  get size(): number {
    return this.#ids.length;
  }

  /** Memory taken, in bytes, the part kept for growth included. */
  get bytes(): number {
    return this.#memory.buffer.byteLength;
  }

  /**
   * Adds a vector, or replaces the one under the same id.
   *
   * @param id A safe integer.
   * @param vector Bytes from `quantizeVector()`; copied.
   * @throws {RangeError} If `id` or the length is wrong, or the memory cannot grow. Nothing changes then.
   */
  set(id: number, vector: Uint8Array): void {
    if (!Number.isSafeInteger(id)) {
      throw new RangeError(`id is ${id}, must be a safe integer`);
    }
    if (vector.length !== vectorBytes(this.dims)) {
      throw new RangeError(
        `Vector has ${vector.length} bytes, must have ${
          vectorBytes(this.dims)
        }`,
      );
    }
    const known = this.#rowOf.get(id);
    const row = known ?? this.size;
    if (row === this.#capacityRows) this.#grow();
    this.#rows.set(vector, row * this.dims);
    const squares = this.#kernel.squares(
      this.#rowsAt + row * this.dims,
      this.dims,
    );
    this.#factors[row] = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    if (known === undefined) {
      this.#ids.push(id);
      this.#rowOf.set(id, row);
    }
    this.#sketchRow(row);
  }

  /** Removes a vector; says whether there was one. */
  delete(id: number): boolean {
    const row = this.#rowOf.get(id);
    if (row === undefined) return false;
    const last = this.size - 1;
    const lastId = this.#ids[last];
    if (row !== last && lastId !== undefined) {
      this.#rows.copyWithin(
        row * this.dims,
        last * this.dims,
        (last + 1) * this.dims,
      );
      this.#factors.copyWithin(row, last, last + 1);
      this.#ids[row] = lastId;
      this.#rowOf.set(lastId, row);
      this.#sketchRow(row);
    }
    this.#ids.pop();
    this.#rowOf.delete(id);
    return true;
  }

  /** Says whether a vector is held under an id. */
  has(id: number): boolean {
    return this.#rowOf.has(id);
  }

  /** Removes every vector; keeps the memory for the next ones. */
  clear(): void {
    this.#ids.length = 0;
    this.#rowOf.clear();
    this.#sketch = undefined;
  }

  /**
   * Prepares a query. No row is read before `top()` or `score()` is called.
   *
   * @param query `dims` finite values of any length; copied.
   * @returns The query against this block, usable until the block is dropped.
   * @throws {RangeError} If `query` has other than `dims` values, or holds NaN or an infinity.
   */
  scan(query: Float32Array): VectorScan {
    if (query.length !== this.dims) {
      throw new RangeError(
        `Query has ${query.length} values, must have ${this.dims}`,
      );
    }
    const quantized = quantizeQuery(query);
    return {
      top: (limit, allow) => this.#top(quantized, limit, allow),
      score: (id) => this.#scoreOf(quantized, id),
    };
  }

  #top(
    query: QuantizedQuery,
    limit: number,
    allow?: ReadonlySet<number>,
  ): VectorHit[] {
    if (!Number.isInteger(limit) || limit < 1) {
      throw new RangeError(`limit is ${limit}, must be an integer >= 1`);
    }
    const best = new BestHits(limit);
    if (allow !== undefined && allow.size < this.size * SPARSE_SHARE) {
      for (const id of allow) {
        const score = this.#scoreOf(query, id);
        if (score !== undefined && score >= best.scoreMin) {
          best.offer(id, score);
        }
      }
      return best.take();
    }
    const scored = Math.max(
      SCORED_PER_HIT * limit,
      Math.ceil(SCORED_SHARE * this.size),
    );
    if (
      allow === undefined && this.size >= SKETCH_ROWS &&
      scored < SCORED_SHARE_MAX * this.size
    ) {
      return this.#topOfSome(query, best, scored);
    }
    this.#run(query, 0, this.size);
    const ids = this.#ids;
    const scores = this.#scores;
    // Nearly all rows end at the first comparison, so it reads nothing but a local and the scores.
    let scoreMin = best.scoreMin;
    for (let row = 0; row < ids.length; row++) {
      const score = scores[row] ?? -Infinity;
      if (score < scoreMin) continue;
      const id = ids[row];
      if (id === undefined || allow?.has(id) === false) continue;
      best.offer(id, score);
      scoreMin = best.scoreMin;
    }
    return best.take();
  }

  /** Ranks the rows that the sketch takes for the nearest, with the scores of all their values. */
  #topOfSome(
    query: QuantizedQuery,
    best: BestHits,
    count: number,
  ): VectorHit[] {
    this.#sketch ??= new VectorSketch({
      dims: this.dims,
      rows: this.size,
      row: (index) => this.#valuesOf(index),
      lengthOf: (index) => this.#lengthOf(index),
    });
    const rows = this.#sketch.nearest(query.values, this.size, count);
    this.#load(query);
    const { byteOffset } = this.#scores;
    new Uint32Array(this.#memory.buffer, byteOffset, rows.length).set(rows);
    this.#kernel.scoreSome(
      this.#rowsAt,
      this.#factors.byteOffset,
      byteOffset,
      rows.length,
      this.dims,
      0,
      query.factor,
    );
    for (let at = 0; at < rows.length; at++) {
      const score = this.#scores[at] ?? -Infinity;
      if (score < best.scoreMin) continue;
      const id = this.#ids[rows[at] ?? -1];
      if (id !== undefined) best.offer(id, score);
    }
    return best.take();
  }

  /** Brings the sketch of a row up to date, where there is a sketch. */
  #sketchRow(row: number): void {
    if (this.#sketch === undefined) return;
    if (row >= this.#sketch.capacityRows) this.#sketch = undefined;
    else this.#sketch.set(row, this.#valuesOf(row), this.#lengthOf(row));
  }

  #valuesOf(row: number): Uint8Array {
    return this.#rows.subarray(row * this.dims, (row + 1) * this.dims);
  }

  #lengthOf(row: number): number {
    const factor = this.#factors[row] ?? 0;
    return factor === 0 ? 0 : 1 / factor;
  }

  #scoreOf(query: QuantizedQuery, id: number): number | undefined {
    const row = this.#rowOf.get(id);
    if (row === undefined) return undefined;
    this.#run(query, row, 1);
    return this.#scores[row];
  }

  /** Puts a query where the kernel reads it. */
  #load(query: QuantizedQuery): void {
    if (this.#loadedQuery === query) return;
    new Int16Array(this.#memory.buffer, 0, this.dims).set(query.values);
    this.#loadedQuery = query;
  }

  /** Lets the kernel score `count` rows from `row` on into `#scores`. */
  #run(query: QuantizedQuery, row: number, count: number): void {
    this.#load(query);
    const { dims } = this;
    this.#kernel.score(
      this.#rowsAt + row * dims,
      this.#factors.byteOffset + row * 4,
      count,
      dims,
      0,
      query.factor,
      this.#scores.byteOffset + row * 4,
    );
  }

  /** Makes room for at least one more row. */
  #grow(): void {
    const factor = this.#capacityRows * this.dims < DOUBLING_BYTES ? 2 : 1.25;
    const most = Math.floor(
      (PAGES_MAX * PAGE_BYTES - this.#rowsAt) / (this.dims + 8),
    );
    if (this.#capacityRows >= most) {
      throw new RangeError(
        `Cannot add a vector: ${most} of ${this.dims} dimensions fill the memory`,
      );
    }
    this.#reserve(Math.min(most, Math.ceil(this.#capacityRows * factor)));
  }

  /** Lays the memory out for `capacityRows` rows. Rows stay where they are; factors move up. */
  #reserve(capacityRows: number): void {
    const factorsAt = this.#rowsAt + capacityRows * this.dims;
    const scoresAt = factorsAt + capacityRows * 4;
    const missing = scoresAt + capacityRows * 4 -
      this.#memory.buffer.byteLength;
    // Growing detaches the old views, and a detached view says it begins at 0.
    const oldFactorsAt = this.#factors.byteOffset;
    if (missing > 0) this.#memory.grow(Math.ceil(missing / PAGE_BYTES));
    const { buffer } = this.#memory;
    const bytes = new Uint8Array(buffer);
    bytes.copyWithin(factorsAt, oldFactorsAt, oldFactorsAt + this.size * 4);
    this.#rows = bytes.subarray(this.#rowsAt, factorsAt);
    this.#factors = new Float32Array(buffer, factorsAt, capacityRows);
    this.#scores = new Float32Array(buffer, scoresAt, capacityRows);
    this.#capacityRows = capacityRows;
  }
}
