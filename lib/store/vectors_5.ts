import type { MigratingDatabase } from "./migrations.ts";

/** Vectors read at a time. */
const PAGE_ROWS = 1000;
const SCALE_BYTES = 4;
const MAX = 127;

/** Direction of a vector as it was stored up to schema 4: int8 values, 4-bit remainders, a scale. */
function unpack(bytes: Uint8Array): Float32Array | undefined {
  const dims = (bytes.length - SCALE_BYTES) / 1.5;
  if (!Number.isInteger(dims) || dims < 2) return undefined;
  return Float32Array.from({ length: dims }, (_, index) => {
    const whole = ((bytes[index] ?? 0) << 24) >> 24;
    const pair = bytes[dims + (index >> 1)] ?? 0;
    const level = index % 2 === 0 ? pair & 15 : pair >> 4;
    return whole + (level - 7.5) / 16;
  });
}

/** 1 or -1 by chance, but the same for the same number always. */
function signOf(number: number): 1 | -1 {
  let mixed = Math.imul(number ^ (number >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return ((mixed ^ (mixed >>> 16)) & 1) === 0 ? 1 : -1;
}

/** Flips signs of `span` values from `from` on and spreads each over all of them. */
function spread(values: Float32Array, from: number, span: number): void {
  const part = values.subarray(from, from + span);
  for (let at = 0; at < span; at++) {
    part[at] = (part[at] ?? 0) * signOf(at + from * 8192);
  }
  for (let half = 1; half < span; half *= 2) {
    for (let start = 0; start < span; start += 2 * half) {
      for (let at = start; at < start + half; at++) {
        const left = part[at] ?? 0;
        const right = part[at + half] ?? 0;
        part[at] = left + right;
        part[at + half] = left - right;
      }
    }
  }
  const factor = 1 / Math.sqrt(span);
  for (let at = 0; at < span; at++) part[at] = (part[at] ?? 0) * factor;
}

/** Packs a vector as it is stored from schema 5 on: rotated, an int8 value a dimension. */
function pack(values: Float32Array): Uint8Array {
  const span = 2 ** Math.floor(Math.log2(values.length));
  spread(values, 0, span);
  if (span < values.length) spread(values, values.length - span, span);
  const largest = values.reduce((max, v) => Math.max(max, Math.abs(v)), 0);
  const whole = Int8Array.from(
    values,
    (value) => Math.round(value / largest * MAX),
  );
  return new Uint8Array(whole.buffer);
}

/** Whether all int8 values are 0; the remainders of a zero vector mean nothing. */
function isZero(bytes: Uint8Array, dims: number): boolean {
  return bytes.subarray(0, dims).every((byte) => byte === 0);
}

/** A stored vector in the new form; `undefined` if it has not the old form. */
function convert(bytes: Uint8Array): Uint8Array | undefined {
  const values = unpack(bytes);
  if (values === undefined) return undefined;
  return isZero(bytes, values.length)
    ? new Uint8Array(values.length)
    : pack(values);
}

/**
 * Copies all vectors from the table of schema 4 to that of schema 5, in their new form.
 *
 * Nothing of `lib/embed` is used, though its code does the same: a migration has to go on doing what
 * it did, whatever becomes of that code. What is no vector is left out, and so embedded anew.
 */
export function copyVectors(db: MigratingDatabase): void {
  const read = db.prepare(
    `SELECT chunk_id, model_id, vector, text_hash FROM chunk_vectors
     WHERE (chunk_id, model_id) > (?, ?) ORDER BY chunk_id, model_id LIMIT ?`,
  );
  const write = db.prepare(
    "INSERT INTO chunk_vectors_5(chunk_id, model_id, vector, text_hash) VALUES (?, ?, ?, ?)",
  );
  let chunk = -1;
  let model = -1;
  while (true) {
    const rows = read.all(chunk, model, PAGE_ROWS);
    for (const { chunk_id, model_id, vector, text_hash } of rows) {
      chunk = Number(chunk_id);
      model = Number(model_id);
      const converted = vector instanceof Uint8Array
        ? convert(vector)
        : undefined;
      if (converted !== undefined && text_hash !== undefined) {
        write.run(chunk, model, converted, text_hash);
      }
    }
    if (rows.length < PAGE_ROWS) return;
  }
}
