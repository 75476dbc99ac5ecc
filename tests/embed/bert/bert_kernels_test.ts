import assert from "node:assert/strict";
import {
  type BertKernels,
  bestBuild,
  type KernelBuild,
  loadKernels,
} from "../../../lib/embed/bert/bert_kernels.ts";

/** Kernels with a memory that is handed out from the start. */
class Bench {
  readonly memory = new WebAssembly.Memory({ initial: 64 });
  readonly kernels: BertKernels;
  #end = 64;

  constructor(build: KernelBuild) {
    this.kernels = loadKernels(this.memory, build);
  }

  floats(length: number, values: ArrayLike<number> = []): Float32Array {
    const array = new Float32Array(
      this.memory.buffer,
      this.#take(4 * length),
      length,
    );
    array.set(values);
    return array;
  }

  bytes(length: number, values: ArrayLike<number> = []): Int8Array {
    const array = new Int8Array(this.memory.buffer, this.#take(length), length);
    array.set(values);
    return array;
  }

  #take(bytes: number): number {
    const start = this.#end;
    this.#end += Math.ceil(bytes / 64) * 64;
    return start;
  }
}

/** Numbers from -1 to 1, the same on every call. */
function noise(length: number, seed = 1): Float32Array {
  let state = seed;
  return Float32Array.from({ length }, () => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return state / 2 ** 31;
  });
}

/** The error function by its series, which converges everywhere. */
function erf(x: number): number {
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > 1e-18; n++) {
    term *= -x * x / n;
    sum += term / (2 * n + 1);
  }
  return 2 / Math.sqrt(Math.PI) * sum;
}

function assertNear(
  actual: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance: number,
): void {
  assert.equal(actual.length, expected.length);
  for (let i = 0; i < actual.length; i++) {
    const distance = Math.abs((actual[i] ?? NaN) - (expected[i] ?? NaN));
    assert.ok(
      distance <= tolerance,
      `${actual[i]} instead of ${expected[i]} at ${i}`,
    );
  }
}

const BUILDS: readonly { build: KernelBuild }[] = bestBuild() === "relaxed"
  ? [{ build: "plain" }, { build: "relaxed" }]
  : [{ build: "plain" }];

Deno.test.each([...BUILDS])(
  "exp() is within 3e-7 of the value, $build",
  ({ build }) => {
    const bench = new Bench(build);
    const inputs = Float32Array.from(
      { length: 4000 },
      (_, i) => -i * 87 / 3999,
    );
    const x = bench.floats(4000, inputs);
    bench.kernels.expInPlace(x.byteOffset, 4000);
    for (const [i, input] of inputs.entries()) {
      const expected = Math.exp(input);
      assert.ok(Math.abs((x[i] ?? NaN) / expected - 1) <= 3e-7, `e^${input}`);
    }
    const far = bench.floats(4, [-1000, -Infinity, -88, 0]);
    bench.kernels.expInPlace(far.byteOffset, 4);
    assertNear(far, [0, 0, 0, 1], 1e-37);
  },
);

Deno.test.each([...BUILDS])(
  "gelu() is within 5e-7 of x * Phi(x), $build",
  ({ build }) => {
    const bench = new Bench(build);
    const inputs = Float32Array.from(
      { length: 4000 },
      (_, i) => (i - 2000) / 400,
    );
    const x = bench.floats(4000, inputs);
    bench.kernels.gelu(x.byteOffset, 4000);
    const expected = [...inputs].map((value) =>
      value * (1 + erf(value / Math.SQRT2)) / 2
    );
    assertNear(x, expected, 5e-7);
    const far = bench.floats(4, [-50, -13, 13, 50]);
    bench.kernels.gelu(far.byteOffset, 4);
    assertNear(far, [0, 0, 13, 50], 1e-30);
  },
);

Deno.test.each([...BUILDS])(
  "layerNorm() normalises the sum of two rows, $build",
  ({ build }) => {
    const bench = new Bench(build);
    const dims = 32;
    const [x, residual] = [noise(4 * dims, 3), noise(4 * dims, 4)];
    const [weight, bias] = [noise(dims, 5), noise(dims, 6)];
    const to = (values: Float32Array) => bench.floats(values.length, values);
    const [atX, atResidual, atWeight, atBias] = [x, residual, weight, bias].map(
      to,
    );
    const run = (second: number, out: Float32Array) =>
      bench.kernels.layerNorm(
        atX?.byteOffset ?? 0,
        second,
        atWeight?.byteOffset ?? 0,
        atBias?.byteOffset ?? 0,
        1e-12,
        4,
        dims,
        out.byteOffset,
      );
    const expected = (factor: number) =>
      Array.from({ length: 4 }, (_, r) => {
        const row = Array.from(
          x.subarray(r * dims, (r + 1) * dims),
          (value, i) => value + factor * (residual[r * dims + i] ?? NaN),
        );
        const mean = row.reduce((a, b) => a + b) / dims;
        const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / dims;
        return row.map((value, i) =>
          (value - mean) / Math.sqrt(variance) * (weight[i] ?? NaN) +
          (bias[i] ?? NaN)
        );
      }).flat();
    const out = bench.floats(4 * dims);
    run(0, out);
    assertNear(out, expected(0), 2e-6);
    run(atResidual?.byteOffset ?? 0, out);
    assertNear(out, expected(1), 2e-6);
  },
);

/** Rounds each row to 8191 steps each way. */
function roundRows(x: Float32Array, dims: number): number[] {
  return Array.from({ length: x.length / dims }, (_, r) => {
    const row = x.subarray(r * dims, (r + 1) * dims);
    const range = Math.max(...row.map(Math.abs));
    const factor = range > 0 ? Math.fround(8191 / range) : 0;
    return Array.from(
      row,
      (value) => Math.round(Math.fround(value * factor)) * range / 8191,
    );
  }).flat();
}

/** Runs a linear layer and gives its result beside the exact one. */
function runLinear(
  build: KernelBuild,
  x: Float32Array,
  weights: Int8Array,
  options: { inputs: number; outputs: number; first?: number; rows?: number },
): { actual: Float32Array; expected: number[] } {
  const { inputs, outputs, first = 0, rows = 4 } = options;
  const bench = new Bench(build);
  const [scales, bias] = [noise(outputs, 8), noise(outputs, 9)];
  const at = bench.floats(x.length, x).byteOffset;
  const staged = bench.bytes(weights.length, weights).byteOffset;
  const packed = bench.bytes(weights.length).byteOffset;
  const params = bench.floats(3 * outputs);
  params.set(scales, outputs);
  params.set(bias, 2 * outputs);
  const quantized = bench.bytes(2 * x.length).byteOffset;
  const rowScales = bench.floats(rows).byteOffset;
  const out = bench.floats(rows * outputs);
  const { kernels } = bench;
  kernels.pack(staged, inputs, outputs, packed, params.byteOffset);
  kernels.quantize(at, rows, inputs, quantized, rowScales);
  kernels.linear(
    quantized,
    rowScales,
    rows,
    inputs,
    packed + first * inputs,
    params.byteOffset + 4 * first,
    outputs,
    outputs - first,
    out.byteOffset + 4 * first,
    4 * outputs,
  );
  const rounded = roundRows(x, inputs);
  const expected = Array.from(out, (_, index) => {
    const [r, c] = [Math.floor(index / outputs), index % outputs];
    if (c < first) return 0;
    let sum = 0;
    for (let k = 0; k < inputs; k++) {
      sum += (rounded[r * inputs + k] ?? NaN) *
        (weights[k * outputs + c] ?? NaN);
    }
    return sum * (scales[c] ?? NaN) + (bias[c] ?? NaN);
  });
  return { actual: out, expected };
}

const SHAPES = BUILDS.flatMap(({ build }) => [
  { build, inputs: 16, outputs: 8, first: 0, rows: 4 },
  { build, inputs: 48, outputs: 24, first: 8, rows: 4 },
  { build, inputs: 32, outputs: 16, first: 0, rows: 12 },
]);

Deno.test.each(SHAPES)(
  "linear() multiplies $rows rows of $inputs by columns $first to $outputs, $build",
  ({ build, ...shape }) => {
    const { inputs, outputs, rows } = shape;
    const weights = Int8Array.from(noise(inputs * outputs, 2), (v) => v * 128);
    const x = noise(rows * inputs);
    const { actual, expected } = runLinear(build, x, weights, shape);
    assertNear(actual, expected, 1e-3);
  },
);

Deno.test.each(
  BUILDS.flatMap(({ build }) =>
    [-128, 127].flatMap((weight) =>
      [-1, 1].map((value) => ({ build, weight, value }))
    )
  ),
)(
  "linear() does not overflow with weights $weight and inputs $value, $build",
  ({ build, weight, value }) => {
    const inputs = 2032;
    const { actual, expected } = runLinear(
      build,
      new Float32Array(4 * inputs).fill(value),
      new Int8Array(inputs * 8).fill(weight),
      { inputs, outputs: 8 },
    );
    assertNear(actual, expected, 0.05);
  },
);

Deno.test.each([...BUILDS])(
  "linear() gives the bias for rows of zeros, $build",
  ({ build }) => {
    const weights = new Int8Array(16 * 8).fill(3);
    const { actual, expected } = runLinear(
      build,
      new Float32Array(64),
      weights,
      {
        inputs: 16,
        outputs: 8,
      },
    );
    assert.deepEqual([...actual], expected);
  },
);

/** Attention in plain arithmetic. */
function attend(
  qkv: Float32Array,
  tokens: number,
  heads: number,
  headDims: number,
): number[] {
  const dims = heads * headDims;
  const at = (t: number, part: number, h: number, d: number) =>
    qkv[t * 3 * dims + part * dims + h * headDims + d] ?? NaN;
  const range = (length: number) => Array.from({ length }, (_, i) => i);
  return range(tokens).flatMap((t) =>
    range(heads).flatMap((h) => {
      const powers = range(tokens).map((other) =>
        Math.exp(
          range(headDims).reduce(
            (sum, d) => sum + at(t, 0, h, d) * at(other, 1, h, d),
            0,
          ),
        )
      );
      const total = powers.reduce((a, b) => a + b);
      return range(headDims).map((d) =>
        powers.reduce(
          (sum, p, other) => sum + p / total * at(other, 2, h, d),
          0,
        )
      );
    })
  );
}

Deno.test.each(
  BUILDS.flatMap(({ build }) =>
    [1, 3, 4, 7, 8, 9, 21].map((tokens) => ({ build, tokens }))
  ),
)(
  "attention() mixes the values of $tokens tokens, $build",
  ({ build, tokens }) => {
    const [heads, headDims] = [3, 16];
    const rows = Math.ceil(tokens / 4) * 4;
    const rowLength = 3 * heads * headDims;
    const bench = new Bench(build);
    const qkv = bench.floats(rows * rowLength, noise(rows * rowLength));
    // What an earlier text left behind must not be seen.
    qkv.fill(NaN, tokens * rowLength);
    const scratch = bench.floats((2 * headDims + 4) * 24).fill(NaN);
    const out = bench.floats(rows * heads * headDims);
    bench.kernels.attention(
      qkv.byteOffset,
      tokens,
      rows,
      heads,
      headDims,
      scratch.byteOffset,
      out.byteOffset,
    );
    const expected = attend(qkv, tokens, heads, headDims);
    assertNear(out.subarray(0, expected.length), expected, 1e-5);
  },
);

Deno.test("loadKernels() gives the functions BertEncoder calls, from both builds", () => {
  for (const { build } of BUILDS) {
    const { kernels } = new Bench(build);
    assert.deepEqual(
      Object.entries(kernels).filter(([, each]) => typeof each === "function")
        .map(([name]) => name).toSorted(),
      [
        "addCodes",
        "attention",
        "expInPlace",
        "gelu",
        "layerNorm",
        "linear",
        "pack",
        "quantize",
      ],
    );
  }
});
