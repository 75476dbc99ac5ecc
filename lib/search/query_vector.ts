import { rotateVector } from "../embed/mod.ts";

const I32_MAX = 2 ** 31 - 1;

/** A query as the kernel reads it. */
export interface QuantizedQuery {
  /** One value a dimension. */
  readonly values: Int16Array;
  /** One over the length of `values` as a vector; 0 if all are 0. */
  readonly factor: number;
}

/** Largest absolute value of a query. */
function maxAbs(query: Float32Array): number {
  let largest = 0;
  for (const value of query) {
    if (!Number.isFinite(value)) {
      throw new RangeError(`Query holds ${value}, not a finite number`);
    }
    largest = Math.max(largest, Math.abs(value));
  }
  return largest;
}

/**
 * Rotates a query like the vectors it is compared with, and rounds it to int16.
 *
 * @param query 1 to 8192 finite values.
 * @returns Values as fine as they can be while the dot product with any int8 row fits an int32.
 * @throws {RangeError} If `query` holds NaN or an infinity.
 */
export function quantizeQuery(query: Float32Array): QuantizedQuery {
  const values = new Int16Array(query.length);
  const largest = maxAbs(query);
  if (largest === 0) return { values, factor: 0 };
  const rotated = rotateVector(query.map((value) => value / largest));
  const largestRotated = maxAbs(rotated);
  const steps = Math.min(32767, Math.floor(I32_MAX / (128 * query.length)));
  let squares = 0;
  for (const [index, value] of rotated.entries()) {
    const rounded = Math.round(value / largestRotated * steps);
    values[index] = rounded;
    squares += rounded * rounded;
  }
  return { values, factor: 1 / Math.sqrt(squares) };
}
