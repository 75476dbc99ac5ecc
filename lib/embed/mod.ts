/**
 * Text in, vectors out: model registry, tokenizer, and a client for the worker that runs the model.
 *
 * @module
 */
export { ONNX_RUNTIME_VERSION } from "./onnx_version.ts";
export { openEmbedder, type OpenEmbedderOptions } from "./client.ts";
export {
  MODEL_HUB,
  pullModel,
  type PullModelOptions,
  type PullProgress,
  type PullReport,
} from "./download.ts";
export { dequantizeVector, quantizeVector, vectorBytes } from "./quantize.ts";
export { type EndpointOptions, openEndpoint } from "./endpoint.ts";
export { registerModel, type RegisterModelOptions } from "./local_model.ts";
export {
  listModels,
  type ModelFile,
  modelIdentity,
  type ModelSpec,
  type ResolvedModel,
  resolveModel,
  type ResolveModelOptions,
  specOf,
  verifyModel,
} from "./registry.ts";
export { rotateVector } from "./rotate.ts";
export {
  type Encoding,
  loadTokenizer,
  type Tokenizer,
  type TokenizerDefinition,
} from "./tokenizer.ts";
export type { WordPieceModel } from "./word_pieces.ts";
export type {
  Device,
  Embedder,
  EmbeddingBatch,
  EmbedOptions,
  FailedRow,
} from "./types.ts";
