import { type Kernel, openKernel, PAGE_BYTES } from "./kernel.ts";

/** Values that share a table entry; scan.ts counts on it. */
const GROUP_DIMS = 4;
const GROUP_ENTRIES = 16;
/** Rows that are laid out together; scan.ts counts on it. */
const BLOCK_ROWS = 32;
/** Largest table entry of which four fit a byte. */
const ENTRY_MAX = 63;
const ESTIMATE_MAX = 65535;
/** Rows whose mean is the centre. */
const CENTRE_ROWS = 4096;

/** Rows to make a sketch of. */
export interface SketchSource {
  /** Dimensions, a multiple of 16. */
  readonly dims: number;
  /** How many there are. */
  readonly rows: number;
  /** The int8 values of a row. */
  row(index: number): Uint8Array;
  /** Length of a row as a vector; 0 for a zero row. */
  lengthOf(index: number): number;
}

/**
 * One bit a value of every row: enough to say which few rows may be the nearest to a query.
 *
 * A bit says whether the value is above the mean of all rows. The query is not rounded to bits: it
 * weighs each bit, so that the true nearest are nearly always in the best twentieth.
 */
export class VectorSketch {
  /** Rows there is room for. */
  readonly capacityRows: number;
  readonly #dims: number;
  readonly #groups: number;
  readonly #kernel: Kernel;
  // Memory, from address 0: a row (int8), the centre (float32), the tables of a query, the blocks,
  // an estimate (uint16) for each row.
  readonly #row: Uint8Array;
  readonly #centre: Float32Array;
  readonly #tables: Uint8Array;
  readonly #blocksAt: number;
  readonly #estimates: Uint16Array;

  /** Sketches all rows of a source, with room for half as many more. */
  constructor(source: SketchSource) {
    const { dims, rows } = source;
    this.#dims = dims;
    this.#groups = dims / GROUP_DIMS;
    const blocks = Math.ceil(1.5 * rows / BLOCK_ROWS) + 1;
    this.capacityRows = blocks * BLOCK_ROWS;
    const tablesAt = dims + dims * Float32Array.BYTES_PER_ELEMENT;
    this.#blocksAt = tablesAt + this.#groups * GROUP_ENTRIES;
    const estimatesAt = this.#blocksAt + blocks * this.#blockBytes;
    const bytes = estimatesAt + 2 * this.capacityRows;
    const pages = Math.ceil(bytes / PAGE_BYTES);
    const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.#kernel = openKernel(memory);
    const { buffer } = memory;
    this.#row = new Uint8Array(buffer, 0, dims);
    this.#centre = new Float32Array(buffer, dims, dims);
    this.#tables = new Uint8Array(buffer, tablesAt, this.#groups * 16);
    this.#estimates = new Uint16Array(buffer, estimatesAt, this.capacityRows);
    this.#setCentre(source);
    for (let index = 0; index < rows; index++) {
      this.set(index, source.row(index), source.lengthOf(index));
    }
  }

  get #blockBytes(): number {
    return this.#groups * GROUP_ENTRIES;
  }

  #setCentre(source: SketchSource): void {
    const centre = new Float64Array(this.#dims);
    const step = Math.max(1, Math.floor(source.rows / CENTRE_ROWS));
    let count = 0;
    for (let index = 0; index < source.rows; index += step, count++) {
      const length = source.lengthOf(index);
      if (length === 0) continue;
      for (const [at, byte] of source.row(index).entries()) {
        centre[at] = (centre[at] ?? 0) + ((byte << 24) >> 24) / length;
      }
    }
    this.#centre.set(centre.map((sum) => sum / Math.max(1, count)));
  }

  /** Sketches a row, anew or for the first time; `index` is below `capacityRows`. */
  set(index: number, values: Uint8Array, length: number): void {
    this.#row.set(values);
    const lane = index % BLOCK_ROWS;
    const block = (index - lane) / BLOCK_ROWS;
    this.#kernel.sketchRow(
      0,
      length,
      this.#centre.byteOffset,
      this.#groups,
      this.#blocksAt + block * this.#blockBytes,
      lane,
    );
  }

  /**
   * Finds the rows that are nearest by estimate.
   *
   * @param query Rotated query, `dims` values of any scale.
   * @param rows Rows to choose from: the first so many.
   * @param count Rows wanted.
   * @returns At least `count` rows, or all there are, by rising number; more where estimates tie.
   */
  nearest(query: Int16Array, rows: number, count: number): Uint32Array {
    this.#setTables(query);
    const blocks = Math.ceil(rows / BLOCK_ROWS);
    const { byteOffset } = this.#estimates;
    this.#kernel.estimate(
      this.#blocksAt,
      blocks,
      this.#groups,
      this.#tables.byteOffset,
      byteOffset,
    );
    return chooseLargest(this.#estimates.subarray(0, rows), count);
  }

  /** Tells for each group what each combination of its bits counts for. */
  #setTables(query: Int16Array): void {
    const sums = Float64Array.from(
      this.#tables,
      (_, at) =>
        sumOf(query, Math.floor(at / GROUP_ENTRIES), at % GROUP_ENTRIES),
    );
    const largest = sums.reduce((max, sum) => Math.max(max, sum), 1);
    const entryMax = Math.min(
      ENTRY_MAX,
      Math.floor(ESTIMATE_MAX / this.#groups),
    );
    for (const [at, sum] of sums.entries()) {
      this.#tables[at] = Math.round((0.5 + sum / largest / 2) * entryMax);
    }
  }
}

/** Sums a group's values, each with the sign its bit says. */
function sumOf(query: Int16Array, group: number, bits: number): number {
  let sum = 0;
  for (let k = 0; k < GROUP_DIMS; k++) {
    const value = query[group * GROUP_DIMS + k] ?? 0;
    sum += (bits >> k & 1) === 1 ? value : -value;
  }
  return sum;
}

/** Finds where the largest `count` values are, by rising index, and those that tie with the last. */
export function chooseLargest(
  values: Uint16Array,
  count: number,
): Uint32Array {
  const histogram = new Uint32Array(ESTIMATE_MAX + 1);
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? 0;
    histogram[value] = (histogram[value] ?? 0) + 1;
  }
  let least = ESTIMATE_MAX;
  let chosenCount = histogram[least] ?? 0;
  while (chosenCount < count && least > 0) {
    chosenCount += histogram[--least] ?? 0;
  }
  const chosen = new Uint32Array(chosenCount);
  let at = 0;
  for (let index = 0; index < values.length; index++) {
    if ((values[index] ?? 0) >= least) chosen[at++] = index;
  }
  return chosen;
}
