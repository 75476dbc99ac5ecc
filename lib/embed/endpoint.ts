import { KbError, LIMITS, sha256Hex } from "../core/mod.ts";
import { DIMS_MAX, DIMS_STEP } from "./model_card.ts";
import { modelUnavailable } from "./registry.ts";
import type { Embedder, EmbeddingBatch, EmbedOptions } from "./types.ts";

/** An endpoint that makes vectors, as OpenAI has it. */
export interface EndpointOptions {
  /** Address to which `/embeddings` is added, e.g. `http://localhost:11434/v1`. */
  readonly url: string;
  /** Name of the model there. */
  readonly model: string;
  /** Numbers in each of its vectors; a multiple of 16, at most 8192. */
  readonly dims: number;
  /** Key, sent as `Authorization: Bearer`. */
  readonly key?: string;
  /** Window of the model in tokens; default 512. */
  readonly windowTokens?: number;
  /** Longest time one answer may take in ms; default 60,000. */
  readonly timeoutMs?: number;
  /** Pause before the second try in ms, doubled for each after; default 500. */
  readonly retryMs?: number;
}

const WINDOW_TOKENS = 512;
const TIMEOUT_MS = 60_000;
const RETRY_MS = 500;
const TRIES = 4;
/** Longest pause that an endpoint may ask for. */
const PAUSE_MS_MAX = 30_000;
/** Characters of an answer that an error repeats. */
const QUOTED_CHARS = 200;

/** A failure after which trying again may help. */
class Passing extends Error {
  readonly waitMs: number | undefined;
  constructor(message: string, waitMs?: number) {
    super(message);
    this.waitMs = waitMs;
  }
}

/**
 * Opens an endpoint as an embedder. Texts are sent to it, and nothing is before the first.
 *
 * What the endpoint refuses for a while (429, 5xx, no connection) is tried four times in all.
 *
 * @throws {KbError} `invalid_input` if the address is none, or `dims` is none that can be searched.
 */
export function openEndpoint(options: EndpointOptions): Embedder {
  const { url, dims, model } = options;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new KbError(
      "invalid_input",
      `Cannot use "${url}" as an endpoint of embeddings: it must be an http or https address`,
    );
  }
  if (!(dims >= DIMS_STEP && dims <= DIMS_MAX && dims % DIMS_STEP === 0)) {
    throw new KbError(
      "invalid_input",
      `Cannot use vectors of ${dims} numbers of the endpoint: it must be a multiple of ${DIMS_STEP}, at most ${DIMS_MAX}`,
    );
  }
  return new EndpointEmbedder(
    options,
    `${model}:${sha256Hex(`${url} ${dims}`).slice(0, 8)}`,
  );
}

class EndpointEmbedder implements Embedder {
  readonly dims: number;
  readonly modelId: string;
  readonly windowTokens: number;
  readonly #options: EndpointOptions;
  readonly #closed = new AbortController();

  constructor(options: EndpointOptions, modelId: string) {
    this.#options = options;
    this.dims = options.dims;
    this.modelId = modelId;
    this.windowTokens = options.windowTokens ?? WINDOW_TOKENS;
  }

  async embed(
    texts: readonly string[],
    { signal }: EmbedOptions,
  ): Promise<EmbeddingBatch> {
    if (texts.length < 1 || texts.length > LIMITS.embedTexts) {
      throw new RangeError(
        `Cannot embed ${texts.length} texts: must be 1 to ${LIMITS.embedTexts}`,
      );
    }
    if (texts.some((text) => text === "")) {
      throw new RangeError("Cannot embed an empty text");
    }
    const stop = AbortSignal.any([
      this.#closed.signal,
      ...(signal === undefined ? [] : [signal]),
    ]);
    const { retryMs = RETRY_MS } = this.#options;
    for (let attempt = 1;; attempt++) {
      try {
        return this.#toBatch(await this.#ask(texts, stop), texts.length);
      } catch (error) {
        if (stop.aborted) {
          throw new KbError(
            "cancelled",
            "Cannot embed the texts: it was no longer wanted",
          );
        }
        if (!(error instanceof Passing)) throw error;
        if (attempt === TRIES) throw this.#unavailable(error.message, error);
        const waitMs = error.waitMs ?? retryMs * 2 ** (attempt - 1);
        await pause(Math.min(waitMs, PAUSE_MS_MAX), stop);
      }
    }
  }

  close(): Promise<void> {
    this.#closed.abort();
    return Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #unavailable(fact: string, cause?: unknown): KbError {
    return modelUnavailable(this.#options.model, fact, cause);
  }

  async #ask(texts: readonly string[], stop: AbortSignal): Promise<unknown> {
    const { url, model, key, timeoutMs = TIMEOUT_MS } = this.#options;
    const address = `${url.replace(/\/+$/, "")}/embeddings`;
    const timeout = AbortSignal.timeout(timeoutMs);
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(address, {
        method: "POST",
        signal: AbortSignal.any([stop, timeout]),
        headers: {
          "Content-Type": "application/json",
          ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        },
        body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
      });
      text = await answer.text();
    } catch (error) {
      throw this.#explain(error, address, timeout.aborted ? timeoutMs : 0);
    }
    if (answer.ok) return this.#parse(text, address);
    const { status } = answer;
    const said = text.slice(0, QUOTED_CHARS).toWellFormed()
      .replaceAll(/\s+/g, " ");
    const fact = `${address} answered ${status}: ${said}`;
    if (status === 429 || status >= 500 || status === 408) {
      const seconds = Number(answer.headers.get("retry-after") ?? NaN);
      throw new Passing(fact, seconds >= 0 ? seconds * 1000 : undefined);
    }
    throw this.#unavailable(
      status === 401 || status === 403
        ? `${fact}. Check KB_EMBEDDINGS_KEY`
        : status === 404
        ? `${fact}. Check embeddingsUrl and embeddingsModel`
        : fact,
    );
  }

  #parse(text: string, address: string): unknown {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw this.#unavailable(
        `${address} gave no JSON but "${
          text.slice(0, QUOTED_CHARS).toWellFormed()
        }". Check embeddingsUrl`,
        error,
      );
    }
  }

  #explain(error: unknown, address: string, timedOutMs: number): unknown {
    if (!(error instanceof Error)) return error;
    if (error.name === "NotCapable" || error.name === "PermissionDenied") {
      return this.#unavailable(
        `this process may not reach ${
          new URL(address).host
        }; run the command with deno run --allow-all`,
        error,
      );
    }
    return new Passing(
      timedOutMs > 0
        ? `${address} gave no answer within ${timedOutMs} ms`
        : `${address} cannot be reached (${error.message})`,
    );
  }

  /** Puts the vectors of an answer in the order of the texts, each of length 1. */
  #toBatch(answer: unknown, rows: number): EmbeddingBatch {
    const { dims, modelId } = this;
    const list = (answer as { data?: unknown } | null)?.data;
    if (!Array.isArray(list) || list.length !== rows) {
      throw this.#unavailable(
        `the endpoint gave ${
          Array.isArray(list) ? list.length : "no"
        } vectors for ${rows} texts`,
      );
    }
    const data = new Float32Array(rows * dims);
    const seen = new Set<number>();
    for (const [place, entry] of list.entries()) {
      const { index = place, embedding } = entry as {
        index?: number;
        embedding?: unknown;
      };
      if (!Array.isArray(embedding) || embedding.length !== dims) {
        throw this.#unavailable(
          `the endpoint gives vectors of ${
            Array.isArray(embedding) ? embedding.length : "no"
          } numbers, embeddingsDims says ${dims}. Correct embeddingsDims, then run: kbdb embed`,
        );
      }
      if (!(index >= 0 && index < rows) || seen.has(index)) {
        throw this.#unavailable("the endpoint numbers its vectors wrongly");
      }
      seen.add(index);
      const length = Math.hypot(...embedding);
      if (!(length > 0 && Number.isFinite(length))) {
        throw this.#unavailable("the endpoint gave a vector without direction");
      }
      data.set(embedding.map((value) => value / length), index * dims);
    }
    return { data, rows, dims, cutRows: [], modelId };
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
