import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  type OnnxGraph,
  readOnnx,
} from "../../../lib/embed/bert/onnx_reader.ts";
import {
  bytesField,
  intField,
  tensorMessage,
  writeOnnx,
} from "../../helpers/onnx_writer.ts";

const GRAPH: OnnxGraph = {
  nodes: [
    {
      op: "ReduceMean",
      inputs: ["x"],
      outputs: ["mean"],
      ints: new Map([["axes", [-1]], ["keepdims", [1]]]),
    },
    { op: "Sub", inputs: ["x", "mean"], outputs: ["y"], ints: new Map() },
  ],
  tensors: new Map([
    ["floats", { dims: [3], data: new Float32Array([1.5, -2, 0]) }],
    ["codes", { dims: [2, 2], data: new Uint8Array([0, 1, 254, 255]) }],
    ["weights", { dims: [1, 2], data: new Int8Array([-64, 64]) }],
    ["one", { dims: [], data: new Int32Array([-7]) }],
    ["shape", { dims: [2], data: new BigInt64Array([-1n, 384n]) }],
  ]),
  inputs: ["x"],
  outputs: ["y"],
};

/** A file whose graph has these fields. */
function file(...fields: number[][]): Uint8Array {
  return Uint8Array.from(bytesField(7, fields.flat()));
}

Deno.test("readOnnx() reads nodes, tensors, inputs and outputs", () => {
  assert.deepEqual(readOnnx(writeOnnx(GRAPH)), GRAPH);
});

Deno.test("readOnnx() reads from a Buffer, wherever it starts", () => {
  const bytes = writeOnnx(GRAPH);
  for (let shift = 0; shift < 4; shift++) {
    const buffer = Buffer.alloc(bytes.length + shift);
    buffer.set(bytes, shift);
    const { tensors } = readOnnx(buffer.subarray(shift));
    assert.deepEqual(tensors.get("floats"), GRAPH.tensors.get("floats"));
    assert.deepEqual(tensors.get("shape"), GRAPH.tensors.get("shape"));
  }
});

Deno.test("readOnnx() reads tensors whose values stand one by one", () => {
  const { tensors } = readOnnx(file(
    bytesField(5, [
      ...intField(1, 2),
      ...intField(2, 3),
      ...bytesField(5, [...intField(0, 0).slice(1), 5]),
      ...bytesField(8, "packed"),
    ]),
    bytesField(5, [
      ...intField(2, 7),
      ...intField(7, -3),
      ...bytesField(8, "single"),
    ]),
  ));
  assert.deepEqual(tensors.get("packed"), {
    dims: [2],
    data: new Int8Array([0, 5]),
  });
  assert.deepEqual(tensors.get("single"), {
    dims: [],
    data: new BigInt64Array([-3n]),
  });
});

Deno.test("readOnnx() takes constants for tensors and old weights not for inputs", () => {
  const tensor = { dims: [1], data: new Float32Array([2]) };
  const constant = [
    ...bytesField(2, "two"),
    ...bytesField(4, "Constant"),
    ...bytesField(5, [
      ...bytesField(1, "value"),
      ...bytesField(5, tensorMessage("", tensor)),
    ]),
  ];
  const graph = readOnnx(file(
    bytesField(1, constant),
    bytesField(5, tensorMessage("weights", tensor)),
    bytesField(11, bytesField(1, "weights")),
    bytesField(11, bytesField(1, "x")),
  ));
  assert.deepEqual(
    graph.tensors,
    new Map([["two", tensor], ["weights", tensor]]),
  );
  assert.deepEqual(graph.nodes, []);
  assert.deepEqual(graph.inputs, ["x"]);
});

Deno.test.each([
  {
    rule: "of another element type",
    fields: [
      ...intField(1, 2),
      ...intField(2, 10),
      ...bytesField(9, [0, 0, 0, 0]),
    ],
  },
  {
    rule: "with fewer values than its dimensions say",
    fields: [...intField(1, 3), ...intField(2, 2), ...bytesField(9, [1, 2])],
  },
  {
    rule: "of half a value",
    fields: [...intField(1, 1), ...intField(2, 1), ...bytesField(9, [1, 2])],
  },
  {
    rule: "in another file",
    fields: [
      ...intField(1, 1),
      ...intField(2, 2),
      ...bytesField(9, [1]),
      ...intField(14, 1),
    ],
  },
])("readOnnx() leaves out a tensor $rule", ({ fields }) => {
  const { tensors } = readOnnx(
    file(bytesField(5, [...fields, ...bytesField(8, "t")])),
  );
  assert.equal(tensors.size, 0);
});

Deno.test.each([
  { rule: "no bytes", bytes: [] },
  { rule: "a file without a graph", bytes: intField(1, 8) },
  { rule: "a number without end", bytes: [0x3a, 0xff] },
  { rule: "a number of eleven bytes", bytes: [8, ...Array(11).fill(0x80), 1] },
  { rule: "a field that goes over the end", bytes: [0x3a, 9, 1] },
  { rule: "an unknown wire type", bytes: [0x3b, 0] },
  { rule: "text", bytes: [...new TextEncoder().encode("version https://git")] },
])("readOnnx() refuses $rule", ({ bytes }) => {
  assert.throws(() => readOnnx(Uint8Array.from(bytes)), TypeError);
});

Deno.test("readOnnx() throws nothing but TypeError on a file that is cut anywhere", () => {
  const whole = writeOnnx(GRAPH);
  for (let size = 0; size < whole.length; size++) {
    assert.throws(() => readOnnx(whole.subarray(0, size)), TypeError);
  }
});
