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

/**
 * Cosines of some rows: `list` holds `count` row numbers (uint32), each of which is replaced by the
 * cosine (float32) of that row. Four rows at a time, so that their loads from memory overlap.
 */
export function scoreSome(
  rows: usize,
  factors: usize,
  list: usize,
  count: i32,
  dims: i32,
  query: usize,
  queryFactor: f32,
): void {
  let i: i32 = 0;
  for (; i + 4 <= count; i += 4) {
    const rowA: usize = load<u32>(list);
    const rowB: usize = load<u32>(list, 4);
    const rowC: usize = load<u32>(list, 8);
    const rowD: usize = load<u32>(list, 12);
    const atA = rows + rowA * dims;
    const atB = rows + rowB * dims;
    const atC = rows + rowC * dims;
    const atD = rows + rowD * dims;
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let c = i32x4.splat(0);
    let d = i32x4.splat(0);
    for (let j: i32 = 0; j < dims; j += 16) {
      const low = v128.load(query + 2 * j);
      const high = v128.load(query + 2 * j, 16);
      a = addDot(a, v128.load(atA + j), low, high);
      b = addDot(b, v128.load(atB + j), low, high);
      c = addDot(c, v128.load(atC + j), low, high);
      d = addDot(d, v128.load(atD + j), low, high);
    }
    put(a, factors + 4 * rowA, queryFactor, list);
    put(b, factors + 4 * rowB, queryFactor, list + 4);
    put(c, factors + 4 * rowC, queryFactor, list + 8);
    put(d, factors + 4 * rowD, queryFactor, list + 12);
    list += 16;
  }
  for (; i < count; i++) {
    const row: usize = load<u32>(list);
    score(
      rows + row * dims,
      factors + 4 * row,
      1,
      dims,
      query,
      queryFactor,
      list,
    );
    list += 4;
  }
}

/**
 * Writes which values of a row are above a centre: one bit a value, four of them a group.
 *
 * A block holds 32 rows. For each group it has 16 bytes, whose low halves belong to the first 16
 * rows and whose high halves to the others. `lane` is the row's number in its block.
 */
export function sketchRow(
  row: usize,
  length: f32,
  centre: usize,
  groups: i32,
  block: usize,
  lane: i32,
): void {
  const shift: u32 = lane < 16 ? 0 : 4;
  const kept: u32 = lane < 16 ? 0xf0 : 0x0f;
  let at = block + (lane & 15);
  for (let group: i32 = 0; group < groups; group++) {
    let bits: u32 = 0;
    for (let k: i32 = 0; k < 4; k++) {
      const above = <f32> load<i8>(row + k) >
        load<f32>(centre + 4 * k) * length;
      bits |= u32(above) << k;
    }
    store<u8>(at, (load<u8>(at) & kept) | (bits << shift));
    row += 4;
    centre += 16;
    at += 16;
  }
}

/** Adds what a table of 16 bytes says of each of 16 half bytes. */
function look(total: v128, table: v128, halves: v128): v128 {
  return i8x16.add(total, i8x16.swizzle(table, halves));
}

/**
 * Estimates how near rows are to a query, as uint16 numbers that are comparable only with each other.
 *
 * For each group there is a table of 16 bytes: what each combination of its four bits counts for.
 * The sum of four such bytes must fit a byte. `groups` is a multiple of 4.
 */
export function estimate(
  block: usize,
  blocks: i32,
  groups: i32,
  tables: usize,
  out: usize,
): void {
  const low4 = i8x16.splat(15);
  const low8 = i16x8.splat(255);
  for (let i: i32 = 0; i < blocks; i++) {
    let evenA = i16x8.splat(0);
    let oddA = i16x8.splat(0);
    let evenB = i16x8.splat(0);
    let oddB = i16x8.splat(0);
    let table = tables;
    for (let group: i32 = 0; group < groups; group += 4) {
      let a = i8x16.splat(0);
      let b = i8x16.splat(0);
      let bits = v128.load(block);
      let values = v128.load(table);
      a = look(a, values, v128.and(bits, low4));
      b = look(b, values, v128.and(i16x8.shr_u(bits, 4), low4));
      bits = v128.load(block, 16);
      values = v128.load(table, 16);
      a = look(a, values, v128.and(bits, low4));
      b = look(b, values, v128.and(i16x8.shr_u(bits, 4), low4));
      bits = v128.load(block, 32);
      values = v128.load(table, 32);
      a = look(a, values, v128.and(bits, low4));
      b = look(b, values, v128.and(i16x8.shr_u(bits, 4), low4));
      bits = v128.load(block, 48);
      values = v128.load(table, 48);
      a = look(a, values, v128.and(bits, low4));
      b = look(b, values, v128.and(i16x8.shr_u(bits, 4), low4));
      evenA = i16x8.add(evenA, v128.and(a, low8));
      oddA = i16x8.add(oddA, i16x8.shr_u(a, 8));
      evenB = i16x8.add(evenB, v128.and(b, low8));
      oddB = i16x8.add(oddB, i16x8.shr_u(b, 8));
      block += 64;
      table += 64;
    }
    putEven(evenA, oddA, out);
    putEven(evenB, oddB, out + 32);
    out += 64;
  }
}

/** Writes 16 numbers whose even ones and odd ones are apart. */
function putEven(even: v128, odd: v128, out: usize): void {
  v128.store(
    out,
    v128.shuffle<u16>(even, odd, 0, 8, 1, 9, 2, 10, 3, 11),
  );
  v128.store(
    out,
    v128.shuffle<u16>(even, odd, 4, 12, 5, 13, 6, 14, 7, 15),
    16,
  );
}
