import { expect, GraphMatcher, mismatch } from "./graph_matcher.ts";
import type { OnnxGraph } from "./onnx_reader.ts";
import type {
  BertLayer,
  BertWeights,
  EmbeddingTable,
  LinearWeights,
  NormWeights,
} from "./weights.ts";

/** Part of a graph: what it takes, and its weights. */
interface Part<W> {
  readonly input: string;
  readonly weights: W;
}

/** Tells constants that were rounded to float32 from others. */
function isNear(value: number | undefined, expected: number): boolean {
  return value !== undefined &&
    Math.abs(value - expected) <= 1e-6 * Math.abs(expected);
}

/** Takes `(x - mean) / sqrt(variance + epsilon) * weight + bias`. */
function takeNorm(graph: GraphMatcher, name: string): Part<NormWeights> {
  const shifted = graph.takeWithConstant(name, "Add");
  const scaled = graph.takeWithConstant(shifted.value, "Mul");
  const quotient = graph.take(scaled.value, "Div");
  const centred = graph.take(quotient.inputs[0], "Sub");
  const input = centred.inputs[0] ?? "";
  const mean = graph.take(centred.inputs[1], "ReduceMean");
  const root = graph.take(quotient.inputs[1], "Sqrt");
  const raised = graph.takeWithConstant(root.inputs[0], "Add");
  const variance = graph.take(raised.value, "ReduceMean");
  const square = graph.take(variance.inputs[0], "Pow");
  const [epsilon = NaN] = raised.constant;
  expect(
    mean.inputs[0] === input && square.inputs[0] === centred.outputs[0] &&
      graph.scalar(square.inputs[1]) === 2 &&
      [mean, variance].every(({ ints }) =>
        ints.get("axes")?.join() === "-1" && ints.get("keepdims")?.[0] !== 0
      ) &&
      raised.constant.length === 1,
    `"${name}" is not a layer normalisation`,
  );
  return {
    input,
    weights: { weight: scaled.constant, bias: shifted.constant, epsilon },
  };
}

/** Takes a dynamically quantised product with int8 weights, plus bias. */
function takeLinear(graph: GraphMatcher, name: string): Part<LinearWeights> {
  const { value, constant: bias } = graph.takeWithConstant(name, "Add");
  const scaled = graph.take(value, "Mul");
  const [castName, scalesName] = graph.inOrder(scaled, "Cast");
  const cast = graph.take(castName, "Cast");
  const product = graph.take(cast.inputs[0], "MatMulInteger");
  const quantized = graph.take(product.inputs[0], "DynamicQuantizeLinear");
  const scales = graph.takeWithConstant(scalesName, "Mul");
  const { data, dims: [inputs = 0, outputs = 0] } = graph.tensor(
    product.inputs[1],
  );
  const zeroPoints = graph.tensor(product.inputs[3]).data;
  if (!(data instanceof Int8Array) || data.length !== inputs * outputs) {
    throw mismatch(`the weights of "${name}" are not an int8 matrix`);
  }
  expect(
    scales.value === quantized.outputs[1] &&
      product.inputs[2] === quantized.outputs[2] &&
      [...zeroPoints].every((point) => Number(point) === 0) &&
      bias.length === outputs &&
      [1, outputs].includes(scales.constant.length),
    `"${name}" is not a symmetric int8 layer`,
  );
  const columnScales = scales.constant.length === outputs
    ? scales.constant
    : new Float32Array(outputs).fill(scales.constant[0] ?? NaN);
  return {
    input: quantized.inputs[0] ?? "",
    weights: { weights: data, inputs, outputs, scales: columnScales, bias },
  };
}

/** Whether a value is the sum of a bias and a quantised product. */
function isLinear(graph: GraphMatcher, name: string): boolean {
  const sum = graph.producerOf(name);
  return sum?.op === "Add" && sum.inputs.some((input) => {
    const product = graph.producerOf(input);
    return product?.op === "Mul" &&
      product.inputs.some((factor) => graph.producerOf(factor)?.op === "Cast");
  });
}

/** Takes a linear layer plus the input of the block it ends. */
function takeResidual(
  graph: GraphMatcher,
  name: string,
): { linear: Part<LinearWeights>; skipped: string } {
  const [left = "", right = ""] = graph.take(name, "Add").inputs;
  return isLinear(graph, left)
    ? { linear: takeLinear(graph, left), skipped: right }
    : { linear: takeLinear(graph, right), skipped: left };
}

/** Takes `x * (erf(x / sqrt 2) + 1) * 0.5`. */
function takeGelu(graph: GraphMatcher, name: string): string {
  const half = graph.takeWithConstant(name, "Mul");
  const product = graph.take(half.value, "Mul");
  const [sumName, input] = product.inputs[1] === undefined
    ? ["", ""]
    : graph.producerOf(product.inputs[1])?.inputs.some((each) =>
        graph.producerOf(each)?.op === "Erf"
      )
    ? [product.inputs[1], product.inputs[0] ?? ""]
    : [product.inputs[0] ?? "", product.inputs[1]];
  const sum = graph.takeWithConstant(sumName, "Add");
  const quotient = graph.take(graph.take(sum.value, "Erf").inputs[0], "Div");
  expect(
    half.constant[0] === 0.5 && sum.constant[0] === 1 &&
      quotient.inputs[0] === input &&
      isNear(graph.scalar(quotient.inputs[1]), Math.SQRT2),
    `"${name}" is not GELU`,
  );
  return input;
}

/** Takes what adds nothing to the scores of a token that the mask lets through. */
function takeMask(graph: GraphMatcher, name: string): void {
  const { value, constant } = graph.takeWithConstant(name, "Mul");
  const difference = graph.take(value, "Sub");
  const cast = graph.take(difference.inputs[1], "Cast");
  const outer = graph.take(cast.inputs[0], "Unsqueeze");
  const inner = graph.take(outer.inputs[0], "Unsqueeze");
  expect(
    graph.scalar(difference.inputs[0]) === 1 && (constant[0] ?? 0) < -1e4 &&
      inner.inputs[0] === "attention_mask" &&
      inner.ints.get("axes")?.join() === "1" &&
      outer.ints.get("axes")?.join() === "2",
    `"${name}" is not the attention mask`,
  );
}

interface Heads {
  readonly input: string;
  readonly heads: number;
  readonly headDims: number;
}

/** Takes the split of each row into heads. */
function takeHeads(graph: GraphMatcher, name: string, order: string): Heads {
  const transposed = graph.take(name, "Transpose");
  const reshaped = graph.take(transposed.inputs[0], "Reshape");
  const shape = graph.take(reshaped.inputs[1], "Concat").inputs;
  expect(
    transposed.ints.get("perm")?.join() === order && shape.length === 4,
    `"${name}" is not a split into heads`,
  );
  return {
    input: reshaped.inputs[0] ?? "",
    heads: graph.scalar(shape[2]),
    headDims: graph.scalar(shape[3]),
  };
}

/** Takes softmax(query * key / sqrt(headDims) + mask) * value, its rows put together again. */
function takeAttention(
  graph: GraphMatcher,
  name: string,
): { query: Heads; key: Heads; value: Heads } {
  const joined = graph.take(name, "Reshape");
  const transposed = graph.take(joined.inputs[0], "Transpose");
  const mixed = graph.take(transposed.inputs[0], "MatMul");
  const softmax = graph.take(mixed.inputs[0], "Softmax");
  const masked = graph.take(softmax.inputs[0], "Add");
  const [scaledName, maskName] = graph.inOrder(masked, "Div");
  takeMask(graph, maskName);
  const scaled = graph.take(scaledName, "Div");
  const scores = graph.take(scaled.inputs[0], "MatMul");
  const query = takeHeads(graph, scores.inputs[0] ?? "", "0,2,1,3");
  const key = takeHeads(graph, scores.inputs[1] ?? "", "0,2,3,1");
  const value = takeHeads(graph, mixed.inputs[1] ?? "", "0,2,1,3");
  expect(
    transposed.ints.get("perm")?.join() === "0,2,1,3" &&
      [3, -1].includes(softmax.ints.get("axis")?.[0] ?? NaN) &&
      isNear(graph.scalar(scaled.inputs[1]), Math.sqrt(query.headDims)) &&
      [key, value].every(({ heads, headDims }) =>
        heads === query.heads && headDims === query.headDims
      ),
    `"${name}" is not attention`,
  );
  return { query, key, value };
}

/** Takes one layer; `input` is the output of the layer before. */
function takeLayer(
  graph: GraphMatcher,
  name: string,
): { input: string; heads: number; layer: BertLayer } {
  const outputNorm = takeNorm(graph, name);
  const output = takeResidual(graph, outputNorm.input);
  const intermediate = takeLinear(graph, takeGelu(graph, output.linear.input));
  const attentionNorm = takeNorm(graph, output.skipped);
  const attended = takeResidual(graph, attentionNorm.input);
  const heads = takeAttention(graph, attended.linear.input);
  const query = takeLinear(graph, heads.query.input);
  const key = takeLinear(graph, heads.key.input);
  const value = takeLinear(graph, heads.value.input);
  const input = attended.skipped;
  expect(
    intermediate.input === output.skipped &&
      [query, key, value].every((part) => part.input === input),
    `"${name}" is not the output of a layer`,
  );
  return {
    input,
    heads: heads.query.heads,
    layer: {
      query: query.weights,
      key: key.weights,
      value: value.weights,
      attentionOutput: attended.linear.weights,
      attentionNorm: attentionNorm.weights,
      intermediate: intermediate.weights,
      output: output.linear.weights,
      outputNorm: outputNorm.weights,
    },
  };
}

/** Takes the look-up of vectors in a quantised table. */
function takeTable(
  graph: GraphMatcher,
  name: string,
): { ids: string; table: EmbeddingTable; dims: number } {
  const { inputs } = graph.take(name, "DequantizeLinear");
  const gathered = graph.take(inputs[0], "Gather");
  const { data, dims: [rows = 0, dims = 0] } = graph.tensor(gathered.inputs[0]);
  if (!(data instanceof Uint8Array) || data.length !== rows * dims) {
    throw mismatch(`the table of "${name}" is not uint8`);
  }
  expect((gathered.ints.get("axis")?.[0] ?? 0) === 0, "a table of columns");
  return {
    ids: gathered.inputs[1] ?? "",
    table: {
      codes: data,
      rows,
      zeroPoint: graph.scalar(inputs[2]),
      scale: graph.scalar(inputs[1]),
    },
    dims,
  };
}

/** Takes the numbers 0, 1, 2 and so on, cut to as many as there are tokens. */
function takePositionIds(graph: GraphMatcher, name: string): void {
  const { inputs: [all, from, , axis, step] } = graph.take(name, "Slice");
  expect(
    [...graph.tensor(all).data].every((id, index) => Number(id) === index) &&
      graph.scalar(from) === 0 && graph.scalar(axis) === 1 &&
      (step === undefined || graph.scalar(step) === 1),
    `"${name}" does not count positions`,
  );
}

/**
 * Recognises a BERT encoder with dynamically quantised int8 weights.
 *
 * Pure, and strict: a graph that computes anything else, or the same in another way, is refused.
 *
 * @param onnx A graph from `readOnnx()`.
 * @returns Its weights, mostly views of the file's bytes.
 * @throws {TypeError} If the graph is of another form; the message says where.
 */
export function readBert(onnx: OnnxGraph): BertWeights {
  const graph = new GraphMatcher(onnx);
  expect(
    onnx.inputs.toSorted().join() ===
        "attention_mask,input_ids,token_type_ids" && onnx.outputs.length === 1,
    `it takes ${onnx.inputs.join(", ")}`,
  );
  const layers: BertLayer[] = [];
  let heads = 0;
  let name = onnx.outputs[0] ?? "";
  // The first normalisation follows the embeddings, every other one a layer.
  while (!isEmbedding(graph, name)) {
    const taken = takeLayer(graph, name);
    expect(heads === 0 || taken.heads === heads, "layers differ in heads");
    heads = taken.heads;
    layers.unshift(taken.layer);
    name = taken.input;
  }
  const embeddingNorm = takeNorm(graph, name);
  const sum = graph.take(embeddingNorm.input, "Add");
  const [innerName, positionsName] = graph.inOrder(sum, "Add");
  const inner = graph.take(innerName, "Add");
  const positions = takeTable(graph, positionsName);
  takePositionIds(graph, positions.ids);
  const tables = inner.inputs.map((each) => takeTable(graph, each));
  const words = tables.find(({ ids }) => ids === "input_ids");
  const types = tables.find(({ ids }) => ids === "token_type_ids");
  if (words === undefined || types === undefined) {
    throw mismatch("it looks up other things than words and types");
  }
  graph.expectAllTaken();
  const { dims } = words;
  expectShapes(layers, dims, heads);
  expect(
    positions.dims === dims && types.dims === dims &&
      embeddingNorm.weights.weight.length === dims &&
      embeddingNorm.weights.bias.length === dims,
    "tables differ in dimensions",
  );
  return {
    dims,
    heads,
    words: words.table,
    positions: positions.table,
    types: types.table,
    embeddingNorm: embeddingNorm.weights,
    layers,
  };
}

/** Whether a value is the normalised sum of embeddings. */
function isEmbedding(graph: GraphMatcher, name: string): boolean {
  const { input } = takeNorm(graph, name);
  return graph.producerOf(input)?.inputs.some((each) =>
    graph.producerOf(each)?.op === "DequantizeLinear"
  ) ?? false;
}

/** Fails unless the layers fit each other. */
function expectShapes(
  layers: readonly BertLayer[],
  dims: number,
  heads: number,
): void {
  for (const layer of layers) {
    const { query, key, value, attentionOutput, intermediate, output } = layer;
    const hidden = intermediate.outputs;
    const shapes = [query, key, value, attentionOutput, intermediate, output]
      .map(({ inputs, outputs }) => `${inputs}x${outputs}`);
    const square = `${dims}x${dims}`;
    expect(
      shapes.join() === [
            square,
            square,
            square,
            square,
            `${dims}x${hidden}`,
            `${hidden}x${dims}`,
          ].join() &&
        [layer.attentionNorm, layer.outputNorm].every(({ weight, bias }) =>
          weight.length === dims && bias.length === dims
        ),
      "a layer has another shape",
    );
  }
  expect(layers.length > 0 && dims % heads === 0, "heads do not divide it");
}
