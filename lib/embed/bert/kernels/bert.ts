// @ts-nocheck: AssemblyScript, whose types TypeScript does not know.
// Run scripts/build_kernels.ts after a change: it compiles this file into bert_wasm.ts, once with
// relaxed SIMD and once without. encoder.ts owns the memory; these files read and write where they
// are told. Matrices are row-major float32 unless they say otherwise. `rows` is a multiple of 4, the
// length of a row a multiple of 16.

export { attention } from "./attention.ts";
export { addCodes, expInPlace, gelu, layerNorm } from "./elementwise.ts";
export { linear, pack, quantize } from "./linear.ts";
