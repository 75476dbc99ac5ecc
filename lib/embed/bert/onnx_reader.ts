/** Values of a tensor, by its ONNX element type. */
export type TensorData =
  | Float32Array
  | Uint8Array
  | Int8Array
  | Int32Array
  | BigInt64Array;

/** A constant of a graph. */
export interface OnnxTensor {
  /** Length in each dimension; `[]` for a single value. */
  readonly dims: readonly number[];
  /** Row-major values; may be a view of the file's bytes. */
  readonly data: TensorData;
}

/** One operation of a graph. */
export interface OnnxNode {
  /** Operator, e.g. `"MatMulInteger"`. */
  readonly op: string;
  /** Names of the values it takes, in order. */
  readonly inputs: readonly string[];
  /** Names of the values it gives, in order. */
  readonly outputs: readonly string[];
  /** Attributes that are an integer or a list of integers. */
  readonly ints: ReadonlyMap<string, readonly number[]>;
}

/** The parts of an ONNX file that say what it computes. */
export interface OnnxGraph {
  /** Operations in the order of the file, without constants. */
  readonly nodes: readonly OnnxNode[];
  /** Weights and constants by name. */
  readonly tensors: ReadonlyMap<string, OnnxTensor>;
  /** Names of the values to be given. */
  readonly inputs: readonly string[];
  /** Names of the values to be computed. */
  readonly outputs: readonly string[];
}

const VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5;
/** Content of a varint field. */
const NO_BYTES = new Uint8Array();
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** One field of a protocol buffers message. */
interface Field {
  readonly number: number;
  /** Value of a varint; 0 for other fields. */
  readonly int: number;
  /** Content of any other field. */
  readonly bytes: Uint8Array;
}

/** Reads a varint as a safe integer and says where it ends. */
function readVarint(bytes: Uint8Array, from: number): [number, number] {
  const first = bytes[from];
  if (first !== undefined && first < 128) return [first, from + 1];
  let value = 0n;
  for (let at = from, shift = 0n; shift < 70n; at++, shift += 7n) {
    const byte = bytes[at];
    if (byte === undefined) break;
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return [Number(BigInt.asIntN(64, value)), at + 1];
  }
  throw new TypeError("Not an ONNX file: a number has no end");
}

/** Walks over the fields of a message. */
function* fieldsOf(message: Uint8Array): Generator<Field> {
  let at = 0;
  while (at < message.length) {
    const [key, start] = readVarint(message, at);
    const number = key >>> 3;
    const kind = key & 7;
    if (kind === VARINT) {
      const [int, end] = readVarint(message, start);
      yield { number, int, bytes: NO_BYTES };
      at = end;
      continue;
    }
    let size = kind === FIXED64 ? 8 : 4;
    let from = start;
    if (kind === BYTES) [size, from] = readVarint(message, start);
    else if (kind !== FIXED64 && kind !== FIXED32) {
      throw new TypeError(`Not an ONNX file: unknown wire type ${kind}`);
    }
    at = from + size;
    if (size < 0 || at > message.length) {
      throw new TypeError("Not an ONNX file: a field goes over the end");
    }
    yield { number, int: 0, bytes: message.subarray(from, at) };
  }
}

/** Adds the numbers of a repeated integer field, packed or not. */
function addInts({ int, bytes }: Field, to: number[]): void {
  if (bytes === NO_BYTES) {
    to.push(int);
    return;
  }
  for (let at = 0; at < bytes.length;) {
    const [value, end] = readVarint(bytes, at);
    to.push(value);
    at = end;
  }
}

/** Views bytes as another element type, copied because a file aligns nothing. */
function toTensorData(type: number, bytes: Uint8Array): TensorData | undefined {
  if (type === 2) return bytes;
  if (type === 3) {
    return new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  }
  if (bytes.length % (type === 7 ? 8 : 4) !== 0) return undefined;
  // The slice() of a Buffer would be a view.
  const { buffer } = new Uint8Array(bytes);
  if (type === 1) return new Float32Array(buffer);
  if (type === 6) return new Int32Array(buffer);
  return type === 7 ? new BigInt64Array(buffer) : undefined;
}

/** Makes the bytes of a tensor whose values stand one by one. */
function toRaw(type: number, ints: readonly number[]): Uint8Array {
  if (type === 2 || type === 3) return Uint8Array.from(ints);
  if (type === 6) return new Uint8Array(Int32Array.from(ints).buffer);
  return new Uint8Array(BigInt64Array.from(ints, BigInt).buffer);
}

/** Reads a TensorProto; the tensor is `undefined` if it has another element type or lies elsewhere. */
function readTensor(
  message: Uint8Array,
): { name: string; tensor: OnnxTensor | undefined } {
  const dims: number[] = [];
  const ints: number[] = [];
  let name = "";
  let type = 0;
  let raw: Uint8Array | undefined;
  let external = false;
  for (const field of fieldsOf(message)) {
    if (field.number === 1) addInts(field, dims);
    else if (field.number === 2) type = field.int;
    else if (field.number === 4) raw = field.bytes;
    else if (field.number === 5 || field.number === 7) addInts(field, ints);
    else if (field.number === 8) name = UTF8.decode(field.bytes);
    else if (field.number === 9) raw = field.bytes;
    else if (field.number === 14) external = field.int === 1;
  }
  const data = toTensorData(type, raw ?? toRaw(type, ints));
  const length = dims.reduce((product, dim) => product * dim, 1);
  const whole = data !== undefined && !external && data.length === length;
  return { name, tensor: whole ? { dims, data } : undefined };
}

/** An attribute's integers, or the tensor of a constant. */
function readAttribute(
  message: Uint8Array,
): { name: string; ints: number[]; tensor: OnnxTensor | undefined } {
  const ints: number[] = [];
  let name = "";
  let tensor: OnnxTensor | undefined;
  for (const field of fieldsOf(message)) {
    if (field.number === 1) name = UTF8.decode(field.bytes);
    else if (field.number === 3 || field.number === 8) addInts(field, ints);
    else if (field.number === 5) tensor = readTensor(field.bytes).tensor;
  }
  return { name, ints, tensor };
}

/** Reads a NodeProto, and the tensor of a constant. */
function readNode(
  message: Uint8Array,
): { node: OnnxNode; tensor: OnnxTensor | undefined } {
  const inputs: string[] = [];
  const outputs: string[] = [];
  const ints = new Map<string, readonly number[]>();
  let op = "";
  let tensor: OnnxTensor | undefined;
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 1) inputs.push(UTF8.decode(bytes));
    else if (number === 2) outputs.push(UTF8.decode(bytes));
    else if (number === 4) op = UTF8.decode(bytes);
    else if (number === 5) {
      const attribute = readAttribute(bytes);
      ints.set(attribute.name, attribute.ints);
      tensor ??= attribute.tensor;
    }
  }
  return { node: { op, inputs, outputs, ints }, tensor };
}

/** The name of a ValueInfoProto. */
function readName(message: Uint8Array): string {
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 1) return UTF8.decode(bytes);
  }
  return "";
}

/** Reads a GraphProto. */
function readGraph(message: Uint8Array): OnnxGraph {
  const nodes: OnnxNode[] = [];
  const tensors = new Map<string, OnnxTensor>();
  const inputs: string[] = [];
  const outputs: string[] = [];
  for (const { number, bytes } of fieldsOf(message)) {
    if (number === 1) {
      const { node, tensor } = readNode(bytes);
      if (node.op !== "Constant") nodes.push(node);
      else if (tensor !== undefined) {
        tensors.set(node.outputs[0] ?? "", tensor);
      }
    } else if (number === 5) {
      const { name, tensor } = readTensor(bytes);
      if (tensor !== undefined) tensors.set(name, tensor);
    } else if (number === 11) inputs.push(readName(bytes));
    else if (number === 12) outputs.push(readName(bytes));
  }
  return {
    nodes,
    tensors,
    // Old files list the weights among the inputs.
    inputs: inputs.filter((name) => !tensors.has(name)),
    outputs,
  };
}

/**
 * Reads the graph of an ONNX file: protocol buffers, of which only what an encoder needs.
 *
 * Pure. Tensors of an element type other than float32, int8, uint8, int32 and int64, and those kept
 * in other files, are left out.
 *
 * @param file The file's bytes; large tensors of the result are views of them.
 * @returns Operations, constants, inputs and outputs.
 * @throws {TypeError} If the bytes are not an ONNX model.
 */
export function readOnnx(file: Uint8Array): OnnxGraph {
  for (const { number, bytes } of fieldsOf(file)) {
    if (number === 7) return readGraph(bytes);
  }
  throw new TypeError("Not an ONNX file: it has no graph");
}
