/** Bytes of the float32 scale behind the values of a quantized vector. */
const SCALE_BYTES = 4;
/** Levels of a remainder: 4 bits. */
const LEVELS = 16;

/** Bytes of a quantized vector of `dims` dimensions. */
export function vectorBytes(dims: number): number {
  return dims + dims / 2 + SCALE_BYTES;
}

/** Largest absolute value of a vector. */
function maxAbs(vector: Float32Array): number {
  let max = 0;
  for (const value of vector) {
    if (!Number.isFinite(value)) {
      throw new RangeError(`Vector holds ${value}, not a finite number`);
    }
    max = Math.max(max, Math.abs(value));
  }
  return max;
}

function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

/**
 * Packs a float32 vector into 12 bits per dimension: a coarse int8 value and a 4-bit remainder.
 *
 * The coarse values alone are what a scan of the whole base compares; with the remainders the best
 * of them are put into the order float32 gives. Layout: `dims` int8 values, `dims / 2` bytes of
 * remainders (two a byte, low half first), and the scale as a float32, little-endian. A value is
 * `(int8 + (remainder - 7.5) / 16) * scale`, where the scale is the largest absolute value / 127.
 *
 * @param vector An even number of finite values; of unit length in kbdb.
 * @returns `vectorBytes(vector.length)` bytes.
 * @throws {RangeError} If the length is 0 or odd, or a value is NaN or an infinity.
 *
 * @example A vector survives the round trip within a thirtieth of a step
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const bytes = quantizeVector(Float32Array.of(0.6, -0.8));
 * assert.equal(bytes.length, 7);
 * const [x = 0, y = 0] = dequantizeVector(bytes);
 * assert.ok(Math.abs(x - 0.6) < 0.0003 && Math.abs(y + 0.8) < 0.0003);
 * ```
 */
export function quantizeVector(vector: Float32Array): Uint8Array {
  const dims = vector.length;
  if (dims === 0 || dims % 2 !== 0) {
    throw new RangeError(
      `Cannot quantize a vector of ${dims} dimensions: must be an even number > 0`,
    );
  }
  const scale = Math.fround(maxAbs(vector) / 127);
  const bytes = new Uint8Array(vectorBytes(dims));
  const view = new DataView(bytes.buffer);
  for (const [index, value] of vector.entries()) {
    // The clamp is for scales near the smallest float32, where rounding the scale moves it far.
    const steps = scale > 0 ? clamp(value / scale, -127.5, 127.5) : 0;
    const coarse = clamp(Math.round(steps), -127, 127);
    view.setInt8(index, coarse);
    const level = clamp(
      Math.floor((steps - coarse + 0.5) * LEVELS),
      0,
      LEVELS - 1,
    );
    const at = dims + (index >> 1);
    bytes[at] = (bytes[at] ?? 0) | (index % 2 === 0 ? level : level << 4);
  }
  view.setFloat32(dims + dims / 2, scale, true);
  return bytes;
}

/** Dimensions of a quantized vector by its length in bytes. */
function dimsOf(bytes: Uint8Array): number {
  const dims = (bytes.length - SCALE_BYTES) / 1.5;
  if (!Number.isInteger(dims) || dims < 2) {
    throw new RangeError(
      `Cannot read a quantized vector of ${bytes.length} bytes`,
    );
  }
  return dims;
}

/** One value of a quantized vector, in steps of its scale. */
function stepsAt(
  coarse: Uint8Array,
  remainders: Uint8Array,
  index: number,
): number {
  const whole = ((coarse[index] ?? 0) << 24) >> 24;
  const pair = remainders[index >> 1] ?? 0;
  const level = index % 2 === 0 ? pair & 15 : pair >> 4;
  return whole + (level - 7.5) / LEVELS;
}

/** The int8 values of a quantized vector; a view. */
export function coarseOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, dimsOf(bytes));
}

/** The 4-bit remainders of a quantized vector, two a byte; a view. */
export function remaindersOf(bytes: Uint8Array): Uint8Array {
  const dims = dimsOf(bytes);
  return bytes.subarray(dims, dims + dims / 2);
}

/**
 * Unpacks what `quantizeVector()` packed.
 *
 * @param bytes A quantized vector.
 * @returns Its values; all 0 where the scale is 0.
 * @throws {RangeError} If the length in bytes is that of no quantized vector.
 */
export function dequantizeVector(bytes: Uint8Array): Float32Array {
  const dims = dimsOf(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const scale = view.getFloat32(dims + dims / 2, true);
  const coarse = coarseOf(bytes);
  const remainders = remaindersOf(bytes);
  return Float32Array.from(
    { length: dims },
    (_, index) => stepsAt(coarse, remainders, index) * scale,
  );
}

/**
 * Compares a quantized vector with a query, as finely as it is stored.
 *
 * @param coarse Its int8 values, see {@linkcode coarseOf}.
 * @param remainders Its remainders, see {@linkcode remaindersOf}.
 * @param query As many values.
 * @returns The cosine, -1 to 1; 0 if either vector is zero.
 * @throws {RangeError} If the dimensions differ.
 */
export function fineCosine(
  coarse: Uint8Array,
  remainders: Uint8Array,
  query: Float32Array,
): number {
  const dims = query.length;
  if (coarse.length !== dims || 2 * remainders.length !== dims) {
    throw new RangeError(
      `Query has ${dims} values, must have ${coarse.length}`,
    );
  }
  let dot = 0;
  let squares = 0;
  let querySquares = 0;
  let isZero = true;
  for (let index = 0; index < dims; index++) {
    if (coarse[index] !== 0) isZero = false;
    const value = stepsAt(coarse, remainders, index);
    const other = query[index] ?? 0;
    dot += value * other;
    squares += value * value;
    querySquares += other * other;
  }
  if (isZero || querySquares === 0) return 0;
  return clamp(dot / Math.sqrt(squares * querySquares), -1, 1);
}
