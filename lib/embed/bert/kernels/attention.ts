// @ts-nocheck: AssemblyScript, whose types TypeScript does not know; see bert.ts.
import { exp, maxLane, sumLanes } from "./math.ts";

/**
 * Attention of the first `queries` of `tokens` rows, a multiple of 4, over all tokens.
 *
 * A row of `qkv` holds query (scaled already), key and value of every head, a row of `out` the
 * results of every head. `scratch` has room for 2 * headDims + 4 values for each token, rounded up
 * to a multiple of 8.
 */
export function attention(
  qkv: usize,
  tokens: i32,
  queries: i32,
  heads: i32,
  headDims: i32,
  scratch: usize,
  out: usize,
): void {
  const padded = (tokens + 7) & ~7;
  const headBytes: usize = 4 * headDims;
  const rowBytes: usize = heads * headBytes;
  const keys = scratch;
  const values = keys + padded * headBytes;
  const scores = values + padded * headBytes;
  const scoreBytes: usize = 4 * padded;
  for (let h: i32 = 0; h < heads; h++) {
    const head: usize = h * headBytes;
    packKeys(qkv + rowBytes + head, 3 * rowBytes, tokens, headDims, keys);
    packValues(
      qkv + 2 * rowBytes + head,
      3 * rowBytes,
      tokens,
      headDims,
      values,
    );
    for (let q: i32 = 0; q < queries; q += 4) {
      const query = qkv + q * 3 * rowBytes + head;
      for (let k: i32 = 0; k < padded; k += 8) {
        const at = scores + 4 * k;
        multiply(
          query,
          3 * rowBytes,
          headDims,
          keys + k * headBytes,
          at,
          scoreBytes,
        );
      }
      for (let r: i32 = 0; r < 4; r++) {
        softmax(scores + r * scoreBytes, tokens);
      }
      const to = out + q * rowBytes + head;
      for (let d: i32 = 0; d < headDims; d += 8) {
        multiply(
          scores,
          scoreBytes,
          tokens,
          values + d * scoreBytes,
          to + 4 * d,
          rowBytes,
        );
      }
    }
  }
}

/** Blocks of 8 keys, in each the 8 values of one dimension after the other. */
function packKeys(
  from: usize,
  next: usize,
  tokens: i32,
  headDims: i32,
  to: usize,
): void {
  for (let t: i32 = 0; t < tokens; t++) {
    let at = to + (t >> 3) * 32 * headDims + (t & 7) * 4;
    for (let d: i32 = 0; d < headDims; d++) {
      store<f32>(at, load<f32>(from + 4 * d));
      at += 32;
    }
    from += next;
  }
}

/** Blocks of 8 dimensions, in each the 8 values of one token after the other. */
function packValues(
  from: usize,
  next: usize,
  tokens: i32,
  headDims: i32,
  to: usize,
): void {
  const blockBytes: usize = ((tokens + 7) & ~7) * 32;
  for (let t: i32 = 0; t < tokens; t++) {
    let at = to + 32 * t;
    for (let d: i32 = 0; d < headDims; d += 8) {
      v128.store(at, v128.load(from + 4 * d));
      v128.store(at, v128.load(from + 4 * d, 16), 16);
      at += blockBytes;
    }
    from += next;
  }
}

/** Brings the first `count` values to e^x over their sum, in place. */
function softmax(x: usize, count: i32): void {
  const end = x + 4 * count;
  const endOfLanes = x + 4 * ((count + 3) & ~3);
  for (let at = end; at < endOfLanes; at += 4) store<f32>(at, -Infinity);
  let largest = f32x4.splat(-Infinity);
  for (let at = x; at < endOfLanes; at += 16) {
    largest = f32x4.max(largest, v128.load(at));
  }
  largest = f32x4.splat(maxLane(largest));
  let sum = f32x4.splat(0);
  for (let at = x; at < endOfLanes; at += 16) {
    const value = exp(f32x4.sub(v128.load(at), largest));
    v128.store(at, value);
    sum = f32x4.add(sum, value);
  }
  const factor = f32x4.splat(1 / sumLanes(sum));
  for (let at = x; at < endOfLanes; at += 16) {
    v128.store(at, f32x4.mul(v128.load(at), factor));
  }
}

function addProduct(sum: v128, a: v128, b: v128): v128 {
  return f32x4.add(sum, f32x4.mul(a, b));
}

/** 4 rows of `count` values times a packed block of 8 columns. */
function multiply(
  rows: usize,
  next: usize,
  count: i32,
  packed: usize,
  out: usize,
  stride: usize,
): void {
  let a0 = f32x4.splat(0), a1 = f32x4.splat(0);
  let b0 = f32x4.splat(0), b1 = f32x4.splat(0);
  let c0 = f32x4.splat(0), c1 = f32x4.splat(0);
  let d0 = f32x4.splat(0), d1 = f32x4.splat(0);
  for (let end = rows + 4 * count; rows < end; rows += 4) {
    const p0 = v128.load(packed), p1 = v128.load(packed, 16);
    const xa = v128.load32_splat(rows);
    a0 = addProduct(a0, p0, xa), a1 = addProduct(a1, p1, xa);
    const xb = v128.load32_splat(rows + next);
    b0 = addProduct(b0, p0, xb), b1 = addProduct(b1, p1, xb);
    const xc = v128.load32_splat(rows + 2 * next);
    c0 = addProduct(c0, p0, xc), c1 = addProduct(c1, p1, xc);
    const xd = v128.load32_splat(rows + 3 * next);
    d0 = addProduct(d0, p0, xd), d1 = addProduct(d1, p1, xd);
    packed += 32;
  }
  v128.store(out, a0), v128.store(out, a1, 16);
  v128.store(out + stride, b0), v128.store(out + stride, b1, 16);
  v128.store(out + 2 * stride, c0), v128.store(out + 2 * stride, c1, 16);
  v128.store(out + 3 * stride, d0), v128.store(out + 3 * stride, d1, 16);
}
