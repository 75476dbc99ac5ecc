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
 * `dims` is a multiple of 16.
 *
 * Four rows share each load of the query, one from each quarter of all rows: a CPU waits less for
 * memory it reads in four streams than in one.
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
  const quarter = count >> 2;
  const rowsStep: usize = quarter * dims;
  const step: usize = quarter * 4;
  for (let i: i32 = 0; i < quarter; i++) {
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let c = i32x4.splat(0);
    let d = i32x4.splat(0);
    for (let j: i32 = 0; j < dims; j += 16) {
      const at = rows + j;
      const low = v128.load(query + 2 * j);
      const high = v128.load(query + 2 * j, 16);
      a = addDot(a, v128.load(at), low, high);
      b = addDot(b, v128.load(at + rowsStep), low, high);
      c = addDot(c, v128.load(at + 2 * rowsStep), low, high);
      d = addDot(d, v128.load(at + 3 * rowsStep), low, high);
    }
    put(a, factors, queryFactor, out);
    put(b, factors + step, queryFactor, out + step);
    put(c, factors + 2 * step, queryFactor, out + 2 * step);
    put(d, factors + 3 * step, queryFactor, out + 3 * step);
    rows += dims;
    factors += 4;
    out += 4;
  }
  // The up to three rows behind the last quarter.
  rows += 3 * rowsStep;
  factors += 3 * step;
  out += 3 * step;
  for (let i: i32 = quarter * 4; i < count; i++) {
    let total = i32x4.splat(0);
    for (let j: i32 = 0; j < dims; j += 16) {
      const at = query + 2 * j;
      total = addDot(
        total,
        v128.load(rows + j),
        v128.load(at),
        v128.load(at, 16),
      );
    }
    put(total, factors, queryFactor, out);
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
