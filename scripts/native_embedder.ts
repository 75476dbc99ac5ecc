import { readFileSync } from "node:fs";
import { join } from "node:path";
import { availableParallelism } from "node:os";
import * as ort from "onnxruntime-node";
import { loadTokenizer, resolveModel } from "../lib/embed/mod.ts";
import type { Embedder, EmbeddingBatch } from "../mod.ts";

/**
 * An embedder over onnxruntime-node, for measurements beside the product's own: the same weights
 * and tokenizer, native code, all cores, in the calling thread's process.
 */
export async function openNativeEmbedder(
  threads: number = availableParallelism(),
): Promise<Embedder> {
  const model = resolveModel();
  const { spec } = model;
  const tokenizer = loadTokenizer(model);
  const session = await ort.InferenceSession.create(
    readFileSync(join(model.dir, spec.weights.name)),
    { intraOpNumThreads: threads },
  );
  async function embedOne(
    text: string,
  ): Promise<{ vector: Float32Array; cut: boolean }> {
    const { ids, cut } = tokenizer.encode(text, spec.windowTokens);
    const tensor = (values: BigInt64Array) =>
      new ort.Tensor("int64", values, [1, ids.length]);
    const output = await session.run({
      input_ids: tensor(BigInt64Array.from(ids, BigInt)),
      attention_mask: tensor(new BigInt64Array(ids.length).fill(1n)),
      token_type_ids: tensor(new BigInt64Array(ids.length)),
    });
    const hidden = output[session.outputNames[0] ?? ""]?.data;
    if (!(hidden instanceof Float32Array)) {
      throw new TypeError("The model gave no float32 output");
    }
    const vector = hidden.slice(0, spec.dims);
    const length = Math.hypot(...vector);
    return { vector: vector.map((value) => value / length), cut };
  }
  return {
    dims: spec.dims,
    modelId: spec.id,
    windowTokens: spec.windowTokens,
    async embed(texts): Promise<EmbeddingBatch> {
      const data = new Float32Array(texts.length * spec.dims);
      const cutRows: number[] = [];
      for (const [row, text] of texts.entries()) {
        const { vector, cut } = await embedOne(text);
        data.set(vector, row * spec.dims);
        if (cut) cutRows.push(row);
      }
      return {
        data,
        rows: texts.length,
        dims: spec.dims,
        cutRows,
        modelId: spec.id,
      };
    },
    close: () => Promise.resolve(),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}
