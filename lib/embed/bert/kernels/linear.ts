// @ts-nocheck: AssemblyScript, whose types TypeScript does not know; see bert.ts.
import { maxLane } from "./math.ts";

// Activations are rounded to 14 bits a token: value = (u - 8192) * scale of the row, u = 1..16383.
// A product with int8 weights is then exact in int32, so both builds give the same numbers.
const ZERO_POINT: i32 = 8192;
const STEPS: f32 = 8191;
/** The relaxed dot product takes operands of 7 bits, so `u` is kept as u >> 7 and u & 127. */
const PART_BITS: i32 = 7;
const PART_MASK: i32 = 127;

function toCodes(x: usize, factor: v128): v128 {
  const low = f32x4.nearest(f32x4.mul(v128.load(x), factor));
  const high = f32x4.nearest(f32x4.mul(v128.load(x, 16), factor));
  return i16x8.add(
    i16x8.narrow_i32x4_s(
      i32x4.trunc_sat_f32x4_s(low),
      i32x4.trunc_sat_f32x4_s(high),
    ),
    i16x8.splat(<i16> ZERO_POINT),
  );
}

/**
 * Rounds each row to 14 bits: `2 * dims` bytes a row to `out`, and its scale to `scales`.
 *
 * With relaxed SIMD a row is `dims` upper parts and `dims` lower parts of a byte each, else `dims`
 * values of int16.
 */
export function quantize(
  x: usize,
  rows: i32,
  dims: i32,
  out: usize,
  scales: usize,
): void {
  for (let r: i32 = 0; r < rows; r++) {
    let largest = f32x4.splat(0);
    for (let at: usize = x, end: usize = x + 4 * dims; at < end; at += 16) {
      largest = f32x4.max(largest, f32x4.abs(v128.load(at)));
    }
    const range = maxLane(largest);
    store<f32>(scales, range / STEPS);
    const factor = f32x4.splat(range > 0 ? STEPS / range : 0);
    for (let i: i32 = 0; i < dims; i += 16) {
      const low = toCodes(x, factor);
      const high = toCodes(x + 32, factor);
      if (ASC_FEATURE_RELAXED_SIMD) {
        const mask = i16x8.splat(<i16> PART_MASK);
        v128.store(
          out + i,
          i8x16.narrow_i16x8_u(
            i16x8.shr_u(low, PART_BITS),
            i16x8.shr_u(high, PART_BITS),
          ),
        );
        v128.store(
          out + dims + i,
          i8x16.narrow_i16x8_u(v128.and(low, mask), v128.and(high, mask)),
        );
      } else {
        v128.store(out + 2 * i, low);
        v128.store(out + 2 * i, high, 16);
      }
      x += 64;
    }
    out += 2 * dims;
    scales += 4;
  }
}

/**
 * Repacks an int8 matrix of `inputs` rows and `outputs` columns, a multiple of 8: blocks of 8
 * columns, in each the values of 4 inputs side by side for every column. Writes to `corrections`
 * what the zero point adds to the products of each column.
 */
export function pack(
  weights: usize,
  inputs: i32,
  outputs: i32,
  packed: usize,
  corrections: usize,
): void {
  for (let c: i32 = 0; c < outputs; c += 8) {
    let sum0 = i32x4.splat(0);
    let sum1 = i32x4.splat(0);
    for (let k: i32 = 0; k < inputs; k += 4) {
      const at = weights + k * outputs + c;
      const ab = v128.shuffle<i8>(
        v128.load64_zero(at),
        v128.load64_zero(at + outputs),
        0,
        16,
        1,
        17,
        2,
        18,
        3,
        19,
        4,
        20,
        5,
        21,
        6,
        22,
        7,
        23,
      );
      const cd = v128.shuffle<i8>(
        v128.load64_zero(at + 2 * outputs),
        v128.load64_zero(at + 3 * outputs),
        0,
        16,
        1,
        17,
        2,
        18,
        3,
        19,
        4,
        20,
        5,
        21,
        6,
        22,
        7,
        23,
      );
      const low = v128.shuffle<i16>(ab, cd, 0, 8, 1, 9, 2, 10, 3, 11);
      const high = v128.shuffle<i16>(ab, cd, 4, 12, 5, 13, 6, 14, 7, 15);
      v128.store(packed, low);
      v128.store(packed, high, 16);
      packed += 32;
      sum0 = i32x4.add(sum0, sumOfFours(low));
      sum1 = i32x4.add(sum1, sumOfFours(high));
    }
    const zero = i32x4.splat(ZERO_POINT);
    v128.store(corrections + 4 * c, i32x4.mul(sum0, zero));
    v128.store(corrections + 4 * c, i32x4.mul(sum1, zero), 16);
  }
}

function sumOfFours(v: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_s(i16x8.extadd_pairwise_i8x16_s(v));
}

/** Writes 4 outputs of a row: products without the zero point, scaled, with bias. */

function put(
  products: v128,
  column: usize,
  params: usize,
  outputs: i32,
  scale: f32,
  out: usize,
): void {
  const at = params + column;
  const exact = i32x4.sub(products, v128.load(at));
  const factor = f32x4.mul(f32x4.splat(scale), v128.load(at + 4 * outputs));
  v128.store(
    out + column,
    f32x4.add(
      f32x4.mul(f32x4.convert_i32x4_s(exact), factor),
      v128.load(at + 8 * outputs),
    ),
  );
}

/**
 * A linear layer: rows of `inputs` quantised values times packed weights, plus bias.
 *
 * `params` holds corrections, scales and bias of `outputs` columns, one array after the other, of
 * which `columns` from `params` on are computed. Rows of the result are `stride` bytes apart.
 */
export function linear(
  x: usize,
  scales: usize,
  rows: i32,
  inputs: i32,
  packed: usize,
  params: usize,
  outputs: i32,
  columns: i32,
  out: usize,
  stride: usize,
): void {
  const next: usize = 2 * inputs;
  for (let c: i32 = 0; c < columns; c += 8) {
    let row = x;
    let to = out;
    let scale = scales;
    for (let r: i32 = 0; r < rows; r += 4) {
      if (ASC_FEATURE_RELAXED_SIMD) {
        relaxedBlock(
          row,
          next,
          inputs,
          packed,
          scale,
          params,
          c,
          outputs,
          to,
          stride,
        );
      } else {
        plainBlock(
          row,
          next,
          inputs,
          packed,
          scale,
          params,
          c,
          outputs,
          to,
          stride,
        );
        plainBlock(
          row,
          next,
          inputs,
          packed + 16,
          scale,
          params,
          c + 4,
          outputs,
          to,
          stride,
        );
      }
      row += 4 * next;
      to += 4 * stride;
      scale += 16;
    }
    packed += 8 * inputs;
  }
}

function relaxedDot(weights: v128, x: v128, sum: v128): v128 {
  return i32x4.relaxed_dot_i8x16_i7x16_add_s(weights, x, sum);
}

/** 4 rows times 8 columns: first the upper parts, then, 7 bits further down, the lower ones. */

function relaxedBlock(
  x: usize,
  next: usize,
  inputs: i32,
  packed: usize,
  scales: usize,
  params: usize,
  column: i32,
  outputs: i32,
  out: usize,
  stride: usize,
): void {
  let a0 = i32x4.splat(0), a1 = i32x4.splat(0);
  let b0 = i32x4.splat(0), b1 = i32x4.splat(0);
  let c0 = i32x4.splat(0), c1 = i32x4.splat(0);
  let d0 = i32x4.splat(0), d1 = i32x4.splat(0);
  for (let part: i32 = 0; part < 2; part++) {
    a0 = i32x4.shl(a0, PART_BITS), a1 = i32x4.shl(a1, PART_BITS);
    b0 = i32x4.shl(b0, PART_BITS), b1 = i32x4.shl(b1, PART_BITS);
    c0 = i32x4.shl(c0, PART_BITS), c1 = i32x4.shl(c1, PART_BITS);
    d0 = i32x4.shl(d0, PART_BITS), d1 = i32x4.shl(d1, PART_BITS);
    let w = packed;
    for (let end: usize = x + inputs; x < end; x += 4) {
      const w0 = v128.load(w), w1 = v128.load(w, 16);
      const xa = v128.load32_splat(x);
      a0 = relaxedDot(w0, xa, a0), a1 = relaxedDot(w1, xa, a1);
      const xb = v128.load32_splat(x + next);
      b0 = relaxedDot(w0, xb, b0), b1 = relaxedDot(w1, xb, b1);
      const xc = v128.load32_splat(x + 2 * next);
      c0 = relaxedDot(w0, xc, c0), c1 = relaxedDot(w1, xc, c1);
      const xd = v128.load32_splat(x + 3 * next);
      d0 = relaxedDot(w0, xd, d0), d1 = relaxedDot(w1, xd, d1);
      w += 32;
    }
  }
  const at: usize = 4 * column;
  const sa = load<f32>(scales), sb = load<f32>(scales, 4);
  const sc = load<f32>(scales, 8), sd = load<f32>(scales, 12);
  put(a0, at, params, outputs, sa, out);
  put(a1, at + 16, params, outputs, sa, out);
  put(b0, at, params, outputs, sb, out + stride);
  put(b1, at + 16, params, outputs, sb, out + stride);
  put(c0, at, params, outputs, sc, out + 2 * stride);
  put(c1, at + 16, params, outputs, sc, out + 2 * stride);
  put(d0, at, params, outputs, sd, out + 3 * stride);
  put(d1, at + 16, params, outputs, sd, out + 3 * stride);
}

function plainDot(weights: v128, x: v128, sum: v128): v128 {
  return i32x4.add(sum, i32x4.dot_i16x8_s(weights, x));
}

/** Adds neighbours: (a b c d), (e f g h) to (a+b c+d e+f g+h). */

function addPairs(low: v128, high: v128): v128 {
  return i32x4.add(
    v128.shuffle<i32>(low, high, 0, 2, 4, 6),
    v128.shuffle<i32>(low, high, 1, 3, 5, 7),
  );
}

/** 4 rows times 4 columns, with weights widened to int16. */

function plainBlock(
  x: usize,
  next: usize,
  inputs: i32,
  packed: usize,
  scales: usize,
  params: usize,
  column: i32,
  outputs: i32,
  out: usize,
  stride: usize,
): void {
  let a0 = i32x4.splat(0), a1 = i32x4.splat(0);
  let b0 = i32x4.splat(0), b1 = i32x4.splat(0);
  let c0 = i32x4.splat(0), c1 = i32x4.splat(0);
  let d0 = i32x4.splat(0), d1 = i32x4.splat(0);
  let w = packed;
  for (let end: usize = x + 2 * inputs; x < end; x += 8) {
    const w0 = v128.load8x8_s(w), w1 = v128.load8x8_s(w, 8);
    const xa = v128.load64_splat(x);
    a0 = plainDot(w0, xa, a0), a1 = plainDot(w1, xa, a1);
    const xb = v128.load64_splat(x + next);
    b0 = plainDot(w0, xb, b0), b1 = plainDot(w1, xb, b1);
    const xc = v128.load64_splat(x + 2 * next);
    c0 = plainDot(w0, xc, c0), c1 = plainDot(w1, xc, c1);
    const xd = v128.load64_splat(x + 3 * next);
    d0 = plainDot(w0, xd, d0), d1 = plainDot(w1, xd, d1);
    w += 32;
  }
  const at: usize = 4 * column;
  put(addPairs(a0, a1), at, params, outputs, load<f32>(scales), out);
  put(
    addPairs(b0, b1),
    at,
    params,
    outputs,
    load<f32>(scales, 4),
    out + stride,
  );
  put(
    addPairs(c0, c1),
    at,
    params,
    outputs,
    load<f32>(scales, 8),
    out + 2 * stride,
  );
  put(
    addPairs(d0, d1),
    at,
    params,
    outputs,
    load<f32>(scales, 12),
    out + 3 * stride,
  );
}
