import { openBert } from "./bert/open.ts";
import type { FromWorker, ToWorker, WorkerPort } from "./protocol.ts";
import {
  type ModelSpec,
  modelUnavailable,
  readWeights,
  type ResolvedModel,
} from "./registry.ts";
import { loadTokenizer, type Tokenizer } from "./tokenizer.ts";
import type { Device } from "./types.ts";

/** Runs a model on the tokens of one text. */
interface Encoder {
  /**
   * Computes a vector for each token.
   *
   * @param options `firstOnly`: the rows after the first are not looked at.
   */
  run(
    ids: Int32Array,
    options: { readonly firstOnly: boolean },
  ): Float32Array | Promise<Float32Array>;
}

interface LoadedModel {
  readonly spec: ModelSpec;
  readonly tokenizer: Tokenizer;
  readonly encoder: Encoder;
}

/** A text of a few tokens, run once so that the first query does not pay for compilation. */
const WARM_UP_TEXT = "warm up";

/**
 * Serves one model to a client over a port: the only way to what runs models.
 *
 * @param port The worker's end of the channel.
 */
export function serveEmbedder(port: WorkerPort): void {
  let model: LoadedModel | undefined;
  async function answer(message: ToWorker): Promise<FromWorker> {
    if (message.type === "load") {
      model = await load(message.model, message.device);
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
async function load(
  model: ResolvedModel,
  device: Device,
): Promise<LoadedModel> {
  const { spec } = model;
  const tokenizer = loadTokenizer(model);
  const weights = await readWeights(model);
  // A network of 8-bit weights gains nothing on a graphics card, so that is taken only if asked for.
  const own = device === "webgpu"
    ? undefined
    : openBert(weights, spec.windowTokens);
  const encoder = own ?? await openOnnx(weights, spec, device);
  const loaded = { spec, tokenizer, encoder };
  await embed(loaded, WARM_UP_TEXT, "query");
  return loaded;
}

/** Opens a model that our own encoder does not know, or is not to run; the runtime is loaded only then. */
async function openOnnx(
  weights: Uint8Array,
  spec: ModelSpec,
  device: Device,
): Promise<Encoder> {
  const hasCard = device !== "cpu" && await hasGraphicsCard();
  if (device === "webgpu" && !hasCard) {
    throw modelUnavailable(
      spec.id,
      "the device is webgpu (KB_DEVICE), and there is no WebGPU adapter here; set KB_DEVICE=cpu or auto",
    );
  }
  const { OnnxEncoder } = await import("./onnx_encoder.ts");
  // Whoever asks for a graphics card is told when it cannot run the model.
  const last = device === "webgpu" ? [] : ["wasm"];
  return await OnnxEncoder.open(weights, [
    ...(hasCard ? ["webgpu"] : []),
    ...last,
  ]);
}

/** Whether WebGPU has an adapter that is not made of software. */
async function hasGraphicsCard(): Promise<boolean> {
  const { gpu } = (globalThis as GlobalWithGpu).navigator ?? {};
  const adapter = await gpu?.requestAdapter().catch(() => null);
  return adapter !== null && adapter !== undefined &&
    adapter.info?.isFallbackAdapter !== true;
}

/** The part of WebGPU that is looked at; not every runtime has it. */
interface GlobalWithGpu {
  readonly navigator?: {
    readonly gpu?: {
      requestAdapter(): Promise<
        { readonly info?: { readonly isFallbackAdapter?: boolean } } | null
      >;
    };
  };
}

/** Runs one text through the model. */
async function embed(
  { spec, tokenizer, encoder }: LoadedModel,
  text: string,
  role: "query" | "passage",
): Promise<{ vector: Float32Array; cut: boolean }> {
  const prefix = role === "query" ? spec.queryPrefix : spec.passagePrefix;
  const { ids, cut } = tokenizer.encode(prefix + text, spec.windowTokens);
  const hidden = await encoder.run(ids, { firstOnly: spec.pooling === "cls" });
  const { length } = hidden;
  if (length !== spec.dims && length !== spec.dims * ids.length) {
    throw new Error(
      `The model gives ${
        length / ids.length
      } numbers a token, ${spec.dims} were expected`,
    );
  }
  return { vector: toUnitLength(pool(hidden, spec, ids.length)), cut };
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
