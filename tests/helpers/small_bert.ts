import type {
  BertLayer,
  BertWeights,
  EmbeddingTable,
  LinearWeights,
  NormWeights,
} from "../../lib/embed/bert/weights.ts";

/** What `makeSmallBert()` makes. */
export const SMALL_BERT = { dims: 32, heads: 2, hidden: 64, words: 20 };

/** An encoder of two layers with weights that are the same on every call. */
export function makeSmallBert(): BertWeights {
  let state = 7;
  const next = () => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return state / 2 ** 31;
  };
  const floats = (length: number, centre: number, spread: number) =>
    Float32Array.from({ length }, () => centre + spread * next());
  const { dims, heads, hidden, words } = SMALL_BERT;
  const linear = (inputs: number, outputs: number): LinearWeights => ({
    weights: Int8Array.from({ length: inputs * outputs }, () => next() * 64),
    inputs,
    outputs,
    scales: floats(outputs, 0.004, 0.002),
    bias: floats(outputs, 0, 0.1),
  });
  const norm = (): NormWeights => ({
    weight: floats(dims, 1, 0.4),
    bias: floats(dims, 0, 0.1),
    epsilon: 1e-12,
  });
  const table = (rows: number): EmbeddingTable => ({
    codes: Uint8Array.from({ length: rows * dims }, () => 128 + next() * 127),
    rows,
    zeroPoint: 128,
    scale: 0.01,
  });
  const layer = (): BertLayer => ({
    query: linear(dims, dims),
    key: linear(dims, dims),
    value: linear(dims, dims),
    attentionOutput: linear(dims, dims),
    attentionNorm: norm(),
    intermediate: linear(dims, hidden),
    output: linear(hidden, dims),
    outputNorm: norm(),
  });
  return {
    dims,
    heads,
    words: table(words),
    positions: table(16),
    types: table(2),
    embeddingNorm: norm(),
    layers: [layer(), layer()],
  };
}

type Rows = readonly (readonly number[])[];

function multiply(rows: Rows, layer: LinearWeights): number[][] {
  return rows.map((row) =>
    Array.from({ length: layer.outputs }, (_, c) => {
      const sum = row.reduce(
        (sum, x, k) => sum + x * (layer.weights[k * layer.outputs + c] ?? NaN),
        0,
      );
      return sum * (layer.scales[c] ?? NaN) + (layer.bias[c] ?? NaN);
    })
  );
}

function normalise(rows: Rows, { weight, bias, epsilon }: NormWeights): Rows {
  return rows.map((row) => {
    const mean = row.reduce((a, b) => a + b) / row.length;
    const variance = row.reduce((a, b) => a + (b - mean) ** 2, 0) / row.length;
    return row.map((x, i) =>
      (x - mean) / Math.sqrt(variance + epsilon) * (weight[i] ?? NaN) +
      (bias[i] ?? NaN)
    );
  });
}

function add(left: Rows, right: Rows): Rows {
  return left.map((row, r) => row.map((x, i) => x + (right[r]?.[i] ?? NaN)));
}

/** The tanh form would be another function: this is Simpson's rule on the density. */
function gelu(x: number): number {
  const steps = 400;
  let area = 0;
  for (let i = 0; i <= steps; i++) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 0 ? 2 : 4;
    area += weight * Math.exp(-((x * i / steps) ** 2) / 2);
  }
  return x * (0.5 + area * x / steps / 3 / Math.sqrt(2 * Math.PI));
}

function attend(q: Rows, k: Rows, v: Rows, heads: number): number[][] {
  return q.map((query) => {
    const size = query.length / heads;
    return query.map((_, i) => {
      const start = Math.floor(i / size) * size;
      const powers = k.map((key) => {
        let score = 0;
        for (let d = start; d < start + size; d++) {
          score += (query[d] ?? NaN) * (key[d] ?? NaN);
        }
        return Math.exp(score / Math.sqrt(size));
      });
      const total = powers.reduce((a, b) => a + b);
      return powers.reduce(
        (sum, power, t) => sum + power / total * (v[t]?.[i] ?? NaN),
        0,
      );
    });
  });
}

/** The same encoder in plain float64 arithmetic, row by row. */
export function runPlainly(bert: BertWeights, ids: Int32Array): number[] {
  const { dims, heads } = bert;
  const look = (table: EmbeddingTable, row: number) =>
    Array.from(
      table.codes.subarray(row * dims, (row + 1) * dims),
      (code) => (code - table.zeroPoint) * table.scale,
    );
  const rows = (of: (id: number, position: number) => number[]) =>
    Array.from(ids, of);
  const sum = add(
    add(rows((id) => look(bert.words, id)), rows(() => look(bert.types, 0))),
    rows((_, position) => look(bert.positions, position)),
  );
  let x = normalise(sum, bert.embeddingNorm);
  for (const layer of bert.layers) {
    const [q, k, v] = [
      multiply(x, layer.query),
      multiply(x, layer.key),
      multiply(x, layer.value),
    ] as const;
    const mixed = multiply(attend(q, k, v, heads), layer.attentionOutput);
    x = normalise(add(mixed, x), layer.attentionNorm);
    const wide = multiply(x, layer.intermediate)
      .map((row) => row.map((value) => gelu(value)));
    x = normalise(add(multiply(wide, layer.output), x), layer.outputNorm);
  }
  return x.flat();
}
