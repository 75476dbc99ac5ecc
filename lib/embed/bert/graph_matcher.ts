import type { OnnxGraph, OnnxNode, TensorData } from "./onnx_reader.ts";

/** Operations that compute the shape of something and no value of a vector. */
const SHAPE_OPS = new Set(["Shape", "Gather", "Unsqueeze", "Concat"]);

/** Says that a graph is not of the expected form. */
export function mismatch(fact: string): TypeError {
  return new TypeError(`Not a known encoder: ${fact}`);
}

/** Fails unless something holds that the expected form has. */
export function expect(condition: boolean, fact: string): void {
  if (!condition) throw mismatch(fact);
}

/**
 * Takes a graph apart from its output backwards, and remembers what it has taken.
 *
 * Every method throws a `TypeError` where the graph is not as asked for.
 */
export class GraphMatcher {
  readonly #graph: OnnxGraph;
  readonly #producers = new Map<string, OnnxNode>();
  readonly #taken = new Set<OnnxNode>();

  constructor(graph: OnnxGraph) {
    this.#graph = graph;
    for (const node of graph.nodes) {
      for (const output of node.outputs) this.#producers.set(output, node);
    }
  }

  /** The operation that computes a value; `undefined` for inputs and constants. */
  producerOf(name: string | undefined): OnnxNode | undefined {
    return name === undefined ? undefined : this.#producers.get(name);
  }

  /** Takes the operation that computes a value, which must be of one kind. */
  take(name: string | undefined, op: string): OnnxNode {
    const node = this.producerOf(name);
    if (node === undefined || node.op !== op) {
      throw mismatch(
        `"${name}" is made by ${node?.op ?? "nothing"} instead of ${op}`,
      );
    }
    this.#taken.add(node);
    return node;
  }

  /** Takes a sum or product of a computed value and a constant, in either order. */
  takeWithConstant(
    name: string | undefined,
    op: string,
  ): { value: string; constant: Float32Array } {
    const [left = "", right = ""] = this.take(name, op).inputs;
    return this.#graph.tensors.has(left)
      ? { value: right, constant: this.floats(left) }
      : { value: left, constant: this.floats(right) };
  }

  /** Of the two inputs of an operation, the one made by an operation of some kind, then the other. */
  inOrder(node: OnnxNode, firstOp: string): [string, string] {
    const [left = "", right = ""] = node.inputs;
    return this.producerOf(left)?.op === firstOp
      ? [left, right]
      : [right, left];
  }

  /** A constant. */
  tensor(
    name: string | undefined,
  ): { dims: readonly number[]; data: TensorData } {
    const tensor = this.#graph.tensors.get(name ?? "");
    if (tensor === undefined) throw mismatch(`"${name}" is not a constant`);
    return tensor;
  }

  /** A constant of float32 values. */
  floats(name: string | undefined): Float32Array {
    const { data } = this.tensor(name);
    if (data instanceof Float32Array) return data;
    throw mismatch(`"${name}" is not float32`);
  }

  /** A constant of one value. */
  scalar(name: string | undefined): number {
    const { data } = this.tensor(name);
    const [value] = data;
    if (value === undefined || data.length !== 1) {
      throw mismatch(`"${name}" is not a single value`);
    }
    return Number(value);
  }

  /** Fails if anything is left that has a part in a value: the graph does more than what was taken. */
  expectAllTaken(): void {
    for (const node of this.#graph.nodes) {
      if (!this.#taken.has(node) && !SHAPE_OPS.has(node.op)) {
        throw mismatch(`unexpected ${node.op} that makes "${node.outputs[0]}"`);
      }
    }
  }
}
