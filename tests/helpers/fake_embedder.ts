import { KbError, LIMITS, sha256 } from "../../lib/core/mod.ts";
import type { Embedder, EmbeddingBatch } from "../../lib/embed/mod.ts";

/** Numbers per vector of a fake embedder: one for each byte of a SHA-256. */
export const FAKE_DIMS = 32;

/** How a fake embedder behaves. */
export interface FakeEmbedderOptions {
  /** Texts that hold this cannot be embedded. */
  readonly failOn?: string;
  /** Registry id it goes by; default `fake@1`. */
  readonly modelId?: string;
  /** Longest text in words and marks; default 512. */
  readonly windowTokens?: number;
  /** Awaited before each batch, e.g. to abort while it is under way. */
  readonly onEmbed?: (texts: readonly string[]) => void | Promise<void>;
}

/** An embedder without a model that remembers what it was asked for. */
export interface FakeEmbedder extends Embedder {
  /** Every text it was given, in order. */
  readonly texts: readonly string[];
  /** How often it was closed. */
  readonly closed: number;
}

/** Makes an embedder whose vectors come from hashed words: texts that share words are near. */
export function fakeEmbedder(options: FakeEmbedderOptions = {}): FakeEmbedder {
  const { failOn, modelId = "fake@1", windowTokens = 512, onEmbed } = options;
  const texts: string[] = [];
  let closed = 0;

  async function run(
    batch: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<EmbeddingBatch> {
    await onEmbed?.(batch);
    if (closed > 0 || signal?.aborted === true) {
      throw new KbError("cancelled", "Cannot embed the texts: not wanted");
    }
    texts.push(...batch);
    const data = new Float32Array(batch.length * FAKE_DIMS);
    const failedRows: { row: number; message: string }[] = [];
    for (const [row, text] of batch.entries()) {
      if (failOn !== undefined && text.includes(failOn)) {
        failedRows.push({ row, message: "The fake model fails on this" });
      } else data.set(fakeVector(text), row * FAKE_DIMS);
    }
    return {
      data,
      rows: batch.length,
      dims: FAKE_DIMS,
      cutRows: [...batch.keys()].filter((row) =>
        (batch[row] ?? "").split(/\s+/u).length > windowTokens
      ),
      ...(failedRows.length === 0 ? {} : { failedRows }),
      modelId,
    };
  }

  return {
    dims: FAKE_DIMS,
    modelId,
    windowTokens,
    texts,
    get closed(): number {
      return closed;
    },
    embed(batch, { signal }): Promise<EmbeddingBatch> {
      if (batch.length < 1 || batch.length > LIMITS.embedTexts) {
        throw new RangeError(`Cannot embed ${batch.length} texts`);
      }
      if (batch.includes("")) throw new RangeError("Cannot embed nothing");
      return run(batch, signal);
    },
    close(): Promise<void> {
      closed++;
      return Promise.resolve();
    },
    [Symbol.asyncDispose](): Promise<void> {
      return this.close();
    },
  };
}

/** The unit vector a fake embedder gives a text. */
export function fakeVector(text: string): Float32Array {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text];
  const sum = new Float32Array(FAKE_DIMS);
  for (const word of words) {
    for (const [index, byte] of sha256(word).entries()) {
      sum[index] = (sum[index] ?? 0) + byte - 127.5;
    }
  }
  const length = Math.hypot(...sum);
  return sum.map((value) => value / length);
}
