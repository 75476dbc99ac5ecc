import * as ort from "onnxruntime-web";

/** Runs any sentence encoder in onnxruntime-web, one text at a time. The only file that runs ONNX. */
export class OnnxEncoder {
  readonly #session: ort.InferenceSession;

  private constructor(session: ort.InferenceSession) {
    this.#session = session;
  }

  /**
   * Opens a model.
   *
   * @param file Bytes of an ONNX file.
   * @param providers What runs it, the first that can.
   * @throws {Error} If the runtime cannot load it.
   */
  static async open(
    file: Uint8Array,
    providers: readonly string[],
  ): Promise<OnnxEncoder> {
    // One thread a worker: a pool of such workers embeds more a second than one with as many threads.
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = "error";
    return new OnnxEncoder(
      await ort.InferenceSession.create(file, {
        executionProviders: [...providers],
        graphOptimizationLevel: "all",
      }),
    );
  }

  /**
   * Computes the vectors of a text's tokens.
   *
   * @returns One row for each token.
   * @throws {TypeError} If the model's first output is not float32.
   */
  async run(ids: Int32Array): Promise<Float32Array> {
    const output = await this.#session.run(this.#toFeeds(ids));
    const hidden = Object.values(output)[0]?.data;
    if (!(hidden instanceof Float32Array)) {
      throw new TypeError("The model gave no float32 output");
    }
    const rows = hidden.slice();
    for (const tensor of Object.values(output)) tensor.dispose();
    return rows;
  }

  /** Inputs of a BERT encoder for one row without padding. */
  #toFeeds(ids: Int32Array): Record<string, ort.Tensor> {
    const feeds: Record<string, ort.Tensor> = {};
    for (const name of this.#session.inputNames) {
      const values = name === "input_ids"
        ? BigInt64Array.from(ids, BigInt)
        : new BigInt64Array(ids.length).fill(
          name === "attention_mask" ? 1n : 0n,
        );
      feeds[name] = new ort.Tensor("int64", values, [1, ids.length]);
    }
    return feeds;
  }
}
