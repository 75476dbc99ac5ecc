// @ts-nocheck: AssemblyScript, whose types TypeScript does not know.
// Run scripts/build_kernels.ts after a change: it compiles this file into scan_wasm.ts.
// vector_block.ts owns the memory; this file reads and writes where it is told.

/** Dot product of `dims` int8 values at `row` and int16 values at `query`, in four parts. */
function dot(row: usize, dims: i32, query: usize): v128 {
  let low = i32x4.splat(0);
  let high = i32x4.splat(0);
  for (let j: i32 = 0; j < dims; j += 16) {
    const values = v128.load(row + j);
    const at = query + 2 * j;
    low = i32x4.add(
      low,
      i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(values), v128.load(at)),
    );
    high = i32x4.add(
      high,
      i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(values), v128.load(at, 16)),
    );
  }
  return i32x4.add(low, high);
}

/** Sum of the four lanes. */
function sum(lanes: v128): i32 {
  return i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3);
}

/**
 * Cosines of `count` rows with the query: `out[i] = dot(rows[i], query) * factors[i] * queryFactor`,
 * kept inside -1 to 1 because rounding may step over. `dims` is a multiple of 16.
 */
export function score(
  rows: usize,
  factors: usize,
  count: i32,
  dims: i32,
  query: usize,
  queryFactor: f32,
  out: usize,
): void {
  for (let i: i32 = 0; i < count; i++) {
    const cosine = <f32> sum(dot(rows, dims, query)) * load<f32>(factors) *
      queryFactor;
    store<f32>(out, min<f32>(max<f32>(cosine, -1), 1));
    rows += dims;
    factors += 4;
    out += 4;
  }
}

/** Sum of the squares of `dims` int8 values at `row`. */
export function squares(row: usize, dims: i32): i32 {
  let total = i32x4.splat(0);
  for (let j: i32 = 0; j < dims; j += 16) {
    const values = v128.load(row + j);
    const low = i16x8.extend_low_i8x16_s(values);
    const high = i16x8.extend_high_i8x16_s(values);
    total = i32x4.add(
      total,
      i32x4.add(i32x4.dot_i16x8_s(low, low), i32x4.dot_i16x8_s(high, high)),
    );
  }
  return sum(total);
}
