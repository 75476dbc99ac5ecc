import type {
  OnnxGraph,
  OnnxTensor,
} from "../../lib/embed/bert/onnx_reader.ts";

const TYPES = { Float32Array: 1, Uint8Array: 2, Int8Array: 3, Int32Array: 6 };

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return [...bytes, Number(rest)];
}

/** A field that holds an integer. */
export function intField(number: number, value: number): number[] {
  return [...varint(number << 3), ...varint(value)];
}

/** A field that holds bytes, a text or a message. */
export function bytesField(
  number: number,
  content: string | ArrayLike<number>,
): number[] {
  const bytes = typeof content === "string"
    ? new TextEncoder().encode(content)
    : content;
  return [
    ...varint(number << 3 | 2),
    ...varint(bytes.length),
    ...Array.from(bytes),
  ];
}

/** A TensorProto with its values as raw bytes. */
export function tensorMessage(
  name: string,
  { dims, data }: OnnxTensor,
): number[] {
  const type =
    Object.entries(TYPES).find(([each]) => each === data.constructor.name)
      ?.[1] ?? 7;
  return [
    ...dims.flatMap((dim) => intField(1, dim)),
    ...intField(2, type),
    ...bytesField(8, name),
    ...bytesField(
      9,
      new Uint8Array(data.buffer, data.byteOffset, data.byteLength),
    ),
  ];
}

/** Writes a graph as an ONNX file that `readOnnx()` reads back. */
export function writeOnnx(graph: OnnxGraph): Uint8Array {
  const nodes = graph.nodes.map((node) => [
    ...node.inputs.flatMap((name) => bytesField(1, name)),
    ...node.outputs.flatMap((name) => bytesField(2, name)),
    ...bytesField(4, node.op),
    ...[...node.ints].flatMap(([name, ints]) =>
      bytesField(5, [
        ...bytesField(1, name),
        ...ints.flatMap((int) => intField(8, int)),
      ])
    ),
  ]);
  const body = [
    ...nodes.flatMap((message) => bytesField(1, message)),
    ...[...graph.tensors].flatMap(([name, tensor]) =>
      bytesField(5, tensorMessage(name, tensor))
    ),
    ...graph.inputs.flatMap((name) => bytesField(11, bytesField(1, name))),
    ...graph.outputs.flatMap((name) => bytesField(12, bytesField(1, name))),
  ];
  return Uint8Array.from([...intField(1, 8), ...bytesField(7, body)]);
}
