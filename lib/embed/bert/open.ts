import { readBert } from "./bert_graph.ts";
import { BertEncoder } from "./encoder.ts";
import { readOnnx } from "./onnx_reader.ts";

/**
 * Opens the encoder of an ONNX file if it is one that {@linkcode BertEncoder} can run.
 *
 * @param file The file's bytes.
 * @param windowTokens Most tokens of a text.
 * @returns The encoder; `undefined` if the file holds another kind of model.
 */
export function openBert(
  file: Uint8Array,
  windowTokens: number,
): BertEncoder | undefined {
  try {
    return new BertEncoder(readBert(readOnnx(file)), { windowTokens });
  } catch (error) {
    // What is not recognised is left to a general runtime, which knows better what is wrong with it.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}
