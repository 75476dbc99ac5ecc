// @ts-nocheck: AssemblyScript, whose types TypeScript does not know; see bert.ts.

/** Largest lane. */

export function maxLane(v: v128): f32 {
  const pairs = f32x4.max(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return max<f32>(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

/** Sum of the four lanes. */

export function sumLanes(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/** e^x within 2e-7 of the value, for x <= 0; below -87 it stays at e^-87. */

export function exp(x: v128): v128 {
  const clamped = f32x4.max(x, f32x4.splat(-87));
  const n = f32x4.nearest(f32x4.mul(clamped, f32x4.splat(1.44269504)));
  // ln 2 in two parts, so that the rest keeps all its bits.
  let r = f32x4.sub(clamped, f32x4.mul(n, f32x4.splat(0.693359375)));
  r = f32x4.add(r, f32x4.mul(n, f32x4.splat(2.12194440e-4)));
  let p = f32x4.splat(1.9875691500e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.mul(f32x4.mul(p, r), r), r);
  p = f32x4.add(p, f32x4.splat(1));
  return i32x4.add(p, i32x4.shl(i32x4.trunc_sat_f32x4_s(n), 23));
}
