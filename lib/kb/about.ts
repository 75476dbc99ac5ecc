/**
 * The part of the facade that says what kbdb is made of. Loads nothing that reads texts, as that takes
 * longer than the answer.
 *
 * @module
 */
export { ONNX_RUNTIME_VERSION } from "../embed/mod.ts";
export { inspectSqlite } from "./inspect.ts";
export { listModels, type ModelOptions } from "./known_models.ts";
