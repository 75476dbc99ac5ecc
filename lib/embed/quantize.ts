import { rotateVector, unrotateVector } from "./rotate.ts";

/** Largest int8 value of a quantized vector. */
const MAX = 127;

/** Bytes of a quantized vector of `dims` dimensions. */
export function vectorBytes(dims: number): number {
  return dims;
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

/** Multiplies a vector so that its largest absolute value is `max`; a zero vector stays. */
function scaleTo(vector: Float32Array, max: number): Float32Array {
  const scaled = vector.slice();
  const largest = maxAbs(vector);
  if (largest === 0) return scaled;
  for (let at = 0; at < scaled.length; at++) {
    scaled[at] = (scaled[at] ?? 0) / largest * max;
  }
  return scaled;
}

/**
 * Packs the direction of a float32 vector into 8 bits per dimension.
 *
 * The vector is rotated (see {@linkcode rotateVector}), scaled so that its largest value is 127, and
 * rounded. Its length is not kept, as kbdb compares directions only.
 *
 * @param vector One or more finite values.
 * @returns `vectorBytes(vector.length)` bytes, each an int8 from -127 to 127.
 * @throws {RangeError} If the length is 0, or a value is NaN or an infinity.
 *
 * @example A direction survives the round trip
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const bytes = quantizeVector(Float32Array.of(0.6, -0.8));
 * assert.equal(bytes.length, 2);
 * const [x = 0, y = 0] = dequantizeVector(bytes);
 * assert.ok(Math.abs(x - 0.6) < 0.005 && Math.abs(y + 0.8) < 0.005);
 * ```
 */
export function quantizeVector(vector: Float32Array): Uint8Array {
  if (vector.length === 0) {
    throw new RangeError("Cannot quantize a vector of no dimensions");
  }
  // Scaled before it is rotated too, as the sums of large values could leave float32.
  const values = scaleTo(rotateVector(scaleTo(vector, 1)), MAX);
  const rounded = new Int8Array(values.length);
  for (let at = 0; at < values.length; at++) {
    rounded[at] = Math.round(values[at] ?? 0);
  }
  return new Uint8Array(rounded.buffer);
}

/**
 * Unpacks what `quantizeVector()` packed.
 *
 * @param bytes A quantized vector.
 * @returns Its direction as a vector of length 1; all 0 for a zero vector.
 * @throws {RangeError} If there are no bytes.
 */
export function dequantizeVector(bytes: Uint8Array): Float32Array {
  if (bytes.length === 0) {
    throw new RangeError("Cannot read a quantized vector of 0 bytes");
  }
  const values = Float32Array.from(bytes, (byte) => (byte << 24) >> 24);
  const length = Math.hypot(...values);
  return unrotateVector(
    length === 0 ? values : values.map((value) => value / length),
  );
}
