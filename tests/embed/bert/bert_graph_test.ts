import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readBert } from "../../../lib/embed/bert/bert_graph.ts";
import { openBert } from "../../../lib/embed/bert/open.ts";
import {
  type OnnxGraph,
  type OnnxNode,
  type OnnxTensor,
  readOnnx,
} from "../../../lib/embed/bert/onnx_reader.ts";
import { resolveModel } from "../../../lib/embed/mod.ts";
import { writeOnnx } from "../../helpers/onnx_writer.ts";

const FILE = readFileSync(resolveModel().weightsPath);
const GRAPH = readOnnx(FILE);

/** The shipped graph with its first node of a kind changed. */
function withNode(
  is: (node: OnnxNode) => boolean,
  change: Partial<OnnxNode>,
): OnnxGraph {
  const index = GRAPH.nodes.findIndex(is);
  assert.notEqual(index, -1);
  return {
    ...GRAPH,
    nodes: GRAPH.nodes.map((node, at) =>
      at === index ? { ...node, ...change } : node
    ),
  };
}

/** The shipped graph with another tensor in the place of one. */
function withTensor(
  is: (name: string, tensor: OnnxTensor) => boolean,
  change: Partial<OnnxTensor>,
): OnnxGraph {
  const found = [...GRAPH.tensors].find(([name, tensor]) => is(name, tensor));
  assert.ok(found);
  const [name, tensor] = found;
  const tensors = new Map(GRAPH.tensors);
  return { ...GRAPH, tensors: tensors.set(name, { ...tensor, ...change }) };
}

function isOp(op: string): (node: OnnxNode) => boolean {
  return (node) => node.op === op;
}

/** Tells a constant of one value. */
function isValue(value: number): (name: string, tensor: OnnxTensor) => boolean {
  return (_, { data }) =>
    data.length === 1 && Math.abs(Number(data[0]) - value) < 1e-5;
}

Deno.test("readBert() recognises the shipped model (model)", () => {
  const { dims, heads, layers, words, positions } = readBert(GRAPH);
  assert.deepEqual([dims, heads, layers.length], [384, 12, 12]);
  assert.deepEqual([words.rows, positions.rows], [30522, 512]);
  const [layer] = layers;
  assert.ok(layer);
  assert.equal(layer.intermediate.outputs, 1536);
  // Names of the file, which the walk does not look at.
  const bias = GRAPH.tensors.get("encoder.layer.0.attention.self.key.bias");
  assert.equal(layer.key.bias, bias?.data);
});

Deno.test.each<{ rule: string; graph: OnnxGraph }>([
  {
    rule: "another activation",
    graph: withNode(isOp("Erf"), { op: "Tanh" }),
  },
  {
    rule: "a root of another number in GELU",
    graph: withTensor(isValue(Math.SQRT2), { data: new Float32Array([1.5]) }),
  },
  {
    rule: "scores scaled otherwise",
    graph: withTensor(isValue(Math.sqrt(32)), { data: new Float32Array([6]) }),
  },
  {
    rule: "a mask that lets everything through",
    graph: withTensor((_, { data }) => Number(data[0]) < -1e30, {
      data: new Float32Array([0]),
    }),
  },
  {
    rule: "something else in the place of the mask",
    graph: withNode(
      ({ inputs }) => inputs[0] === "attention_mask",
      { inputs: ["position_bias"] },
    ),
  },
  {
    rule: "softmax over another axis",
    graph: withNode(isOp("Softmax"), { ints: new Map([["axis", [2]]]) }),
  },
  {
    rule: "heads put together in another order",
    graph: withNode(isOp("Transpose"), {
      ints: new Map([["perm", [0, 1, 2, 3]]]),
    }),
  },
  {
    rule: "a mean over another axis",
    graph: withNode(isOp("ReduceMean"), { ints: new Map([["axes", [1]]]) }),
  },
  {
    rule: "weights with a zero point",
    graph: withTensor(
      (name) => /MatMul_\d+_zero_point/.test(name),
      { data: new Int8Array(384).fill(1) },
    ),
  },
  {
    rule: "weights of another type",
    graph: withTensor(
      (name) => /MatMul_\d+_quantized/.test(name),
      { data: new Uint8Array(384 * 384) },
    ),
  },
  {
    rule: "a layer of another shape",
    graph: withTensor(
      (name) => name.endsWith("output.LayerNorm.bias"),
      { dims: [383], data: new Float32Array(383) },
    ),
  },
  {
    rule: "positions that do not count from 0",
    graph: withTensor(
      (_, { data }) => data instanceof BigInt64Array && data.length === 512,
      { data: new BigInt64Array(512).fill(1n) },
    ),
  },
  {
    rule: "further inputs",
    graph: { ...GRAPH, inputs: [...GRAPH.inputs, "position_ids"] },
  },
  {
    rule: "operations beside the encoder",
    graph: {
      ...GRAPH,
      nodes: [...GRAPH.nodes, {
        op: "Tanh",
        inputs: GRAPH.outputs,
        outputs: ["pooled"],
        ints: new Map(),
      }],
    },
  },
  { rule: "no output", graph: { ...GRAPH, outputs: [] } },
  { rule: "nothing", graph: { ...GRAPH, nodes: [] } },
])("readBert() refuses a graph with $rule (model)", ({ graph }) => {
  assert.throws(() => readBert(graph), TypeError);
});

Deno.test("openBert() leaves other models to the general runtime", () => {
  const file = writeOnnx({
    nodes: [{
      op: "Relu",
      inputs: ["x"],
      outputs: ["y"],
      ints: new Map(),
    }],
    tensors: new Map(),
    inputs: ["x"],
    outputs: ["y"],
  });
  assert.equal(openBert(file, 8), undefined);
  assert.equal(openBert(new Uint8Array([1, 2, 3]), 8), undefined);
});
