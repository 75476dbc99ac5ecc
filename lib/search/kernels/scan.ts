// @ts-nocheck: AssemblyScript, whose types TypeScript does not know.
// Run scripts/build_kernels.ts after a change: it compiles this file into scan_wasm.ts.
// vector_block.ts owns the memory; this file reads and writes where it is told.

/** Adds the products of 16 int8 values and 16 int16 values to a sum in four parts. */
function addDot(total: v128, values: v128, low: v128, high: v128): v128 {
  return i32x4.add(
    total,
    i32x4.add(
      i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(values), low),
      i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(values), high),
    ),
  );
}

/** Sum of the four lanes. */
function sum(lanes: v128): i32 {
  return i32x4.extract_lane(lanes, 0) + i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) + i32x4.extract_lane(lanes, 3);
}

/** Writes the cosine of a dot product, kept inside -1 to 1 because rounding may step over. */
function put(lanes: v128, factor: usize, queryFactor: f32, out: usize): void {
  const cosine = <f32> sum(lanes) * load<f32>(factor) * queryFactor;
  store<f32>(out, min<f32>(max<f32>(cosine, -1), 1));
}

/**
 * Cosines of `count` rows with the query: `out[i] = dot(rows[i], query) * factors[i] * queryFactor`.
 * `dims` is a multiple of 16. Rows go two at a time, as a load of the query then serves both.
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
  for (; count > 1; count -= 2) {
    let first = i32x4.splat(0);
    let second = i32x4.splat(0);
    for (let j: i32 = 0; j < dims; j += 16) {
      const low = v128.load(query + 2 * j);
      const high = v128.load(query + 2 * j, 16);
      first = addDot(first, v128.load(rows + j), low, high);
      second = addDot(second, v128.load(rows + dims + j), low, high);
    }
    put(first, factors, queryFactor, out);
    put(second, factors + 4, queryFactor, out + 4);
    rows += 2 * dims;
    factors += 8;
    out += 8;
  }
  if (count === 0) return;
  let last = i32x4.splat(0);
  for (let j: i32 = 0; j < dims; j += 16) {
    const at = query + 2 * j;
    last = addDot(last, v128.load(rows + j), v128.load(at), v128.load(at, 16));
  }
  put(last, factors, queryFactor, out);
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
