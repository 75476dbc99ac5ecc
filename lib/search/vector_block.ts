import { vectorBytes } from "../embed/mod.ts";
import { BestHits, type VectorHit } from "./best_hits.ts";
import { SCAN_WASM } from "./kernels/scan_wasm.ts";
import { type QuantizedQuery, quantizeQuery } from "./query_vector.ts";

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

/** What scan.ts exports; addresses are bytes into the imported memory. */
interface Kernel {
  score(
    rows: number,
    factors: number,
    count: number,
    dims: number,
    query: number,
    queryFactor: number,
    out: number,
  ): void;
  squares(row: number, dims: number): number;
}

const LANES = 16;
const DIMS_MAX = 8192;
const PAGE_BYTES = 65536;
const PAGES_MAX = 65536;
const FIRST_ROWS = 256;
/** A block doubles up to this many bytes of rows; beyond, a quarter more keeps the slack small. */
const DOUBLING_BYTES = 64 * 1024 * 1024;
/** Below this share of the block, scoring the allowed rows one by one beats scanning all of them. */
const SPARSE_SHARE = 0.25;
const MODULE = new WebAssembly.Module(
  Uint8Array.from(atob(SCAN_WASM), (c) => c.charCodeAt(0)),
);

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
    const { exports } = new WebAssembly.Instance(MODULE, {
      env: { memory: this.#memory },
    });
    // The only place that knows both sides: what scan.ts exports has no type here.
    this.#kernel = exports as unknown as Kernel;
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

  #scoreOf(query: QuantizedQuery, id: number): number | undefined {
    const row = this.#rowOf.get(id);
    if (row === undefined) return undefined;
    this.#run(query, row, 1);
    return this.#scores[row];
  }

  /** Lets the kernel score `count` rows from `row` on into `#scores`. */
  #run(query: QuantizedQuery, row: number, count: number): void {
    if (this.#loadedQuery !== query) {
      new Int16Array(this.#memory.buffer, 0, this.dims).set(query.values);
      this.#loadedQuery = query;
    }
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
