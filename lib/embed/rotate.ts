/** Distance of the numbers of one part's signs from those of another. */
const FLIPS = 8192;

/** Largest power of two that is at most `count`. */
function powerBelow(count: number): number {
  return 2 ** Math.floor(Math.log2(count));
}

/** 1 or -1 by chance, but the same for the same number always. */
function signOf(number: number): 1 | -1 {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return ((mixed ^ (mixed >>> 16)) & 1) === 0 ? 1 : -1;
}

/** Walsh-Hadamard transform, in place, of a length that is a power of two; it is its own inverse. */
function transform(values: Float32Array): void {
  const { length } = values;
  for (let half = 1; half < length; half *= 2) {
    for (let from = 0; from < length; from += 2 * half) {
      for (let at = from; at < from + half; at++) {
        const left = values[at] ?? 0;
        const right = values[at + half] ?? 0;
        values[at] = left + right;
        values[at + half] = left - right;
      }
    }
  }
  const factor = 1 / Math.sqrt(length);
  for (let at = 0; at < length; at++) values[at] = (values[at] ?? 0) * factor;
}

/** Flips the signs of a part of a vector that ends or begins it. */
function flip(values: Float32Array, from: number): void {
  for (let at = 0; at < values.length; at++) {
    values[at] = (values[at] ?? 0) * signOf(at + from * FLIPS);
  }
}

/** The overlapping parts that are transformed one after the other: the front and the end. */
function partsOf(length: number): { from: number; span: number }[] {
  if (length === 0) return [];
  const span = powerBelow(length);
  const front = { from: 0, span };
  return span === length ? [front] : [front, { from: length - span, span }];
}

/**
 * Rotates a vector by a fixed rotation that spreads every value over many dimensions.
 *
 * Embedding models put much of every vector into a few dimensions, so that most of the range of an
 * int8 value would be left to those. After the rotation all dimensions are about equally large.
 * Lengths and cosines stay what they were.
 *
 * The rotation is part of the format vectors are stored in: never change it.
 *
 * @param vector Any number of finite values.
 * @returns As many values.
 *
 * @example A value that stands alone is spread over all dimensions
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const rotated = rotateVector(Float32Array.of(0, 0, 1, 0));
 * assert.deepEqual([...rotated].map(Math.abs), [0.5, 0.5, 0.5, 0.5]);
 * ```
 */
export function rotateVector(vector: Float32Array): Float32Array {
  const rotated = vector.slice();
  for (const { from, span } of partsOf(vector.length)) {
    const part = rotated.subarray(from, from + span);
    flip(part, from);
    transform(part);
  }
  return rotated;
}

/** Undoes {@linkcode rotateVector}. */
export function unrotateVector(rotated: Float32Array): Float32Array {
  const vector = rotated.slice();
  for (const { from, span } of partsOf(vector.length).toReversed()) {
    const part = vector.subarray(from, from + span);
    transform(part);
    flip(part, from);
  }
  return vector;
}
