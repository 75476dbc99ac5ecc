// @ts-nocheck: AssemblyScript, whose types TypeScript does not know; see bert.ts.
import { exp, sumLanes } from "./math.ts";

/** e^x of `count` values <= 0, a multiple of 4, in place. */
export function expInPlace(x: usize, count: i32): void {
  for (let end: usize = x + 4 * count; x < end; x += 16) {
    v128.store(x, exp(v128.load(x)));
  }
}

/**
 * x * Phi(x) of `count` values, a multiple of 4, in place. The error function is formula 7.1.26 of
 * Abramowitz and Stegun, within 1.5e-7.
 */
export function gelu(x: usize, count: i32): void {
  const one = f32x4.splat(1);
  for (let end: usize = x + 4 * count; x < end; x += 16) {
    const value = v128.load(x);
    const z = f32x4.mul(f32x4.abs(value), f32x4.splat(0.70710678));
    const t = f32x4.div(
      one,
      f32x4.add(one, f32x4.mul(z, f32x4.splat(0.3275911))),
    );
    let p = f32x4.splat(1.061405429);
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(-1.453152027));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(1.421413741));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(-0.284496736));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(0.254829592));
    // Half of what erf(z) lacks to 1: what is lost of a positive value and left of a negative one.
    const rest = f32x4.mul(
      f32x4.mul(f32x4.mul(p, t), exp(f32x4.neg(f32x4.mul(z, z)))),
      f32x4.splat(0.5),
    );
    const positive = f32x4.ge(value, f32x4.splat(0));
    const share = v128.bitselect(f32x4.sub(one, rest), rest, positive);
    v128.store(x, f32x4.mul(value, share));
  }
}

/** Adds `residual` (unless 0) to `x`, brings each row to mean 0 and variance 1, scales and shifts it. */
export function layerNorm(
  x: usize,
  residual: usize,
  weight: usize,
  bias: usize,
  epsilon: f32,
  rows: i32,
  dims: i32,
  out: usize,
): void {
  const bytes: usize = 4 * dims;
  for (let r: i32 = 0; r < rows; r++) {
    let sum = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      let value = v128.load(x + i);
      if (residual !== 0) value = f32x4.add(value, v128.load(residual + i));
      v128.store(out + i, value);
      sum = f32x4.add(sum, value);
    }
    const mean = f32x4.splat(sumLanes(sum) / <f32> dims);
    let squares = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const value = f32x4.sub(v128.load(out + i), mean);
      squares = f32x4.add(squares, f32x4.mul(value, value));
    }
    const variance = sumLanes(squares) / <f32> dims;
    const factor = f32x4.splat(1 / sqrt<f32>(variance + epsilon));
    for (let i: usize = 0; i < bytes; i += 16) {
      const value = f32x4.mul(f32x4.sub(v128.load(out + i), mean), factor);
      v128.store(
        out + i,
        f32x4.add(
          f32x4.mul(value, v128.load(weight + i)),
          v128.load(bias + i),
        ),
      );
    }
    x += bytes;
    out += bytes;
    if (residual !== 0) residual += bytes;
  }
}

/** Adds the uint8 row at `codes` to the row at `out`: out[i] += (codes[i] - zeroPoint) * scale. */
export function addCodes(
  codes: usize,
  zeroPoint: i32,
  scale: f32,
  dims: i32,
  out: usize,
): void {
  const zero = i32x4.splat(zeroPoint);
  const factor = f32x4.splat(scale);
  for (let end: usize = codes + dims; codes < end; codes += 8) {
    const values = v128.load8x8_u(codes);
    const low = i32x4.sub(i32x4.extend_low_i16x8_u(values), zero);
    const high = i32x4.sub(i32x4.extend_high_i16x8_u(values), zero);
    v128.store(
      out,
      f32x4.add(
        v128.load(out),
        f32x4.mul(f32x4.convert_i32x4_s(low), factor),
      ),
    );
    v128.store(
      out,
      f32x4.add(
        v128.load(out, 16),
        f32x4.mul(f32x4.convert_i32x4_s(high), factor),
      ),
      16,
    );
    out += 32;
  }
}
