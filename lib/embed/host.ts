import * as ort from "onnxruntime-web";
import type { FromWorker, ToWorker, WorkerPort } from "./protocol.ts";
import { type ModelSpec, readWeights, type ResolvedModel } from "./registry.ts";
import { loadTokenizer, type Tokenizer } from "./tokenizer.ts";

interface LoadedModel {
  readonly spec: ModelSpec;
  readonly tokenizer: Tokenizer;
  readonly session: ort.InferenceSession;
}

/** A text of a few tokens, run once so that the first query does not pay for compilation. */
const WARM_UP_TEXT = "warm up";

/**
 * Serves one model to a client over a port: the only file that runs ONNX.
 *
 * @param port The worker's end of the channel.
 */
export function serveEmbedder(port: WorkerPort): void {
  let model: LoadedModel | undefined;
  async function answer(message: ToWorker): Promise<FromWorker> {
    if (message.type === "load") {
      model = await load(message.model);
      return { type: "ready" };
    }
    if (model === undefined) throw new Error("The worker has no model yet");
    return {
      type: "vector",
      ...await embed(model, message.text, message.role),
    };
  }
  port.on("message", (message) => {
    answer(message).catch((error: unknown): FromWorker => ({
      type: message.type === "load" ? "unavailable" : "failed",
      message: error instanceof Error ? error.message : String(error),
    })).then((reply) => port.postMessage(reply));
  });
}

/** Reads, checks and warms a model. */
async function load(model: ResolvedModel): Promise<LoadedModel> {
  // One thread a worker: a pool of such workers embeds more a second than one with as many threads.
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  const tokenizer = loadTokenizer(model);
  const session = await ort.InferenceSession.create(await readWeights(model), {
    executionProviders: ["wasm"],
    graphOptimizationLevel: "all",
  });
  const loaded = { spec: model.spec, tokenizer, session };
  await embed(loaded, WARM_UP_TEXT, "query");
  return loaded;
}

/** Runs one text through the model. */
async function embed(
  { spec, tokenizer, session }: LoadedModel,
  text: string,
  role: "query" | "passage",
): Promise<{ vector: Float32Array; cut: boolean }> {
  const prefix = role === "query" ? spec.queryPrefix : spec.passagePrefix;
  const { ids, cut } = tokenizer.encode(prefix + text, spec.windowTokens);
  const output = await session.run(toFeeds(session, ids));
  const hidden = Object.values(output)[0];
  if (hidden === undefined || !(hidden.data instanceof Float32Array)) {
    throw new TypeError("The model gave no float32 output");
  }
  const vector = pool(hidden.data, spec, ids.length);
  for (const tensor of Object.values(output)) tensor.dispose();
  return { vector: toUnitLength(vector), cut };
}

/** Inputs of a BERT encoder for one row without padding. */
function toFeeds(
  session: ort.InferenceSession,
  ids: Int32Array,
): Record<string, ort.Tensor> {
  const feeds: Record<string, ort.Tensor> = {};
  for (const name of session.inputNames) {
    const values = name === "input_ids"
      ? BigInt64Array.from(ids, BigInt)
      : new BigInt64Array(ids.length).fill(name === "attention_mask" ? 1n : 0n);
    feeds[name] = new ort.Tensor("int64", values, [1, ids.length]);
  }
  return feeds;
}

/** Makes one vector of the tokens' vectors. */
function pool(
  hidden: Float32Array,
  spec: ModelSpec,
  tokens: number,
): Float32Array {
  const { dims } = spec;
  const vector = hidden.slice(0, dims);
  if (spec.pooling === "cls") return vector;
  for (let at = dims; at < tokens * dims; at++) {
    vector[at % dims] = (vector[at % dims] ?? 0) + (hidden[at] ?? 0);
  }
  return vector;
}

/** Scales a vector to length 1. */
function toUnitLength(vector: Float32Array): Float32Array {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!(squares > 0 && Number.isFinite(squares))) {
    throw new Error("The model gave no usable vector for this text");
  }
  return vector.map((value) => value / Math.sqrt(squares));
}
