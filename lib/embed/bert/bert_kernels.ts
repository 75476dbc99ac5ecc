import { BERT_RELAXED_WASM, BERT_WASM } from "./kernels/bert_wasm.ts";

/** What kernels/bert.ts exports; addresses are bytes into the imported memory. */
export interface BertKernels {
  addCodes(
    codes: number,
    zeroPoint: number,
    scale: number,
    dims: number,
    out: number,
  ): void;
  attention(
    qkv: number,
    tokens: number,
    queries: number,
    heads: number,
    headDims: number,
    scratch: number,
    out: number,
  ): void;
  expInPlace(x: number, count: number): void;
  gelu(x: number, count: number): void;
  layerNorm(
    x: number,
    residual: number,
    weight: number,
    bias: number,
    epsilon: number,
    rows: number,
    dims: number,
    out: number,
  ): void;
  linear(
    x: number,
    scales: number,
    rows: number,
    inputs: number,
    packed: number,
    params: number,
    outputs: number,
    columns: number,
    out: number,
    stride: number,
  ): void;
  pack(
    weights: number,
    inputs: number,
    outputs: number,
    packed: number,
    corrections: number,
  ): void;
  quantize(
    x: number,
    rows: number,
    dims: number,
    out: number,
    scales: number,
  ): void;
}

/** Which build of the kernels to run; both give the same numbers. */
export type KernelBuild = "relaxed" | "plain";

function decode(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** The faster build among those that the runtime can run. */
export function bestBuild(): KernelBuild {
  return WebAssembly.validate(decode(BERT_RELAXED_WASM)) ? "relaxed" : "plain";
}

/**
 * Compiles the kernels over a memory.
 *
 * @throws {WebAssembly.CompileError} If the runtime lacks the instructions of the build.
 */
export function loadKernels(
  memory: WebAssembly.Memory,
  build: KernelBuild,
): BertKernels {
  const base64 = build === "relaxed" ? BERT_RELAXED_WASM : BERT_WASM;
  const module = new WebAssembly.Module(decode(base64));
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  return exports as unknown as BertKernels;
}
