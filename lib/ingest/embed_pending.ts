import { KbError, sha256, toHex } from "../core/mod.ts";
import {
  type Embedder,
  type EmbeddingBatch,
  quantizeVector,
} from "../embed/mod.ts";
import {
  countPending,
  findVectorByHash,
  listPendingChunks,
  type ModelRow,
  type PendingChunk,
  putVectors,
  type Store,
  type VectorInput,
} from "../store/mod.ts";
import type { Progress } from "./types.ts";

/** Options for {@linkcode embedPending}. */
export interface EmbedPendingOptions {
  /** Makes the vectors. */
  readonly embedder: Embedder;
  /** Model the vectors are stored under. */
  readonly model: ModelRow;
  /** Stops between batches; what is stored by then stays. */
  readonly signal?: AbortSignal;
  /** Called as the work goes on, sizes in tokens. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What making the missing vectors came to. */
export interface EmbedReport {
  /** Chunks that got a vector from the model. */
  readonly embedded: number;
  /** Chunks that got the vector of an equal text. */
  readonly reused: number;
  /** Chunks whose text was cut to the model's window. */
  readonly cut: number;
  /** Chunks the model failed on; they are found by word only. */
  readonly failed: readonly {
    readonly chunkId: number;
    readonly message: string;
  }[];
}

/** Chunks given to the embedder at a time, and stored in one transaction. */
const PAGE_CHUNKS = 32;
const TEXT_HASH_BYTES = 16;

/** Names a text that was embedded: the first 16 bytes of its SHA-256. */
export function toTextHash(text: string): Uint8Array {
  return sha256(text).subarray(0, TEXT_HASH_BYTES);
}

interface Page {
  readonly chunks: readonly PendingChunk[];
  /** One entry a chunk. */
  readonly hashes: readonly Uint8Array[];
  /** Chunks to embed, one for each different text. */
  readonly fresh: readonly number[];
  readonly batch: Promise<EmbeddingBatch> | undefined;
}

/**
 * Makes the vectors of all chunks that have none of this model, oldest first.
 *
 * A text that has a vector already is not embedded again. One page is embedded while the next
 * is read, so that no worker waits for the store.
 *
 * @throws {KbError} `model_unavailable` if the model cannot be loaded; `cancelled` if `signal` aborts.
 */
export async function embedPending(
  store: Store,
  options: EmbedPendingOptions,
): Promise<EmbedReport> {
  const { model, signal, onProgress } = options;
  const total = countPending(store, model.id);
  const failed: { chunkId: number; message: string }[] = [];
  const report = { embedded: 0, reused: 0, cut: 0, failed };
  let doneSize = 0;
  let done = 0;
  let after = 0;
  function startPage(): Page | undefined {
    const chunks = listPendingChunks(store, model.id, PAGE_CHUNKS, after);
    const last = chunks.at(-1);
    if (last === undefined) return undefined;
    after = last.id;
    const page = toPage(store, chunks, options);
    // A page may be left before it is awaited, or wait behind another: its rejection is handled
    // where it is awaited, and must not count as unhandled until then.
    page.batch?.catch(() => {});
    return page;
  }
  let page = startPage();
  while (page !== undefined) {
    if (signal?.aborted === true) {
      throw new KbError(
        "cancelled",
        "Making vectors was stopped; those made stay",
      );
    }
    const next = startPage();
    const batch = await page.batch;
    const { vectors, ...counts } = toVectors(store, model, page, batch, failed);
    putCurrent(store, model, page, vectors);
    report.embedded += counts.embedded;
    report.reused += counts.reused;
    report.cut += batch?.cutRows.length ?? 0;
    done += page.chunks.length;
    for (const chunk of page.chunks) doneSize += chunk.tokenCount;
    onProgress?.({
      phase: "embed",
      done,
      total: Math.max(done, total.chunks),
      doneSize,
      totalSize: Math.max(doneSize, total.tokens),
    });
    page = next;
  }
  return report;
}

/** Looks up what is known already and starts embedding the rest. */
function toPage(
  store: Store,
  chunks: readonly PendingChunk[],
  { embedder, model, signal }: EmbedPendingOptions,
): Page {
  const hashes = chunks.map((chunk) => toTextHash(chunk.enrichedText));
  const texts = new Set<string>();
  const fresh = [...chunks.keys()].filter((index) => {
    const text = chunks[index]?.enrichedText ?? "";
    const hash = hashes[index];
    if (texts.has(text) || hash === undefined) return false;
    texts.add(text);
    return findVectorByHash(store, model.id, hash) === undefined;
  });
  const batch = fresh.length === 0 ? undefined : embedder.embed(
    fresh.map((index) => chunks[index]?.enrichedText ?? ""),
    signal === undefined ? { role: "passage" } : { role: "passage", signal },
  );
  return { chunks, hashes, fresh, batch };
}

/** Stores vectors, but none of a chunk whose text changed while it was embedded: that one waits anew. */
function putCurrent(
  store: Store,
  model: ModelRow,
  { chunks }: Page,
  vectors: readonly VectorInput[],
): void {
  const [first] = chunks;
  if (first === undefined) return;
  store.write(() => {
    const pending = listPendingChunks(
      store,
      model.id,
      chunks.length,
      first.id - 1,
    );
    const texts = new Map(pending.map((row) => [row.id, row.enrichedText]));
    const current = new Set(
      chunks.filter(({ id, enrichedText }) => texts.get(id) === enrichedText)
        .map(({ id }) => id),
    );
    putVectors(
      store,
      model.id,
      vectors.filter(({ chunkId }) => current.has(chunkId)),
    );
  });
}

/** Finds or makes the vectors of a page's chunks. */
function toVectors(
  store: Store,
  model: ModelRow,
  { chunks, hashes, fresh }: Page,
  batch: EmbeddingBatch | undefined,
  failed: { chunkId: number; message: string }[],
): { vectors: VectorInput[]; embedded: number; reused: number } {
  const failures = new Map(
    batch?.failedRows?.map(({ row, message }) => [fresh[row], message]),
  );
  const made = new Map<string, Uint8Array>();
  for (const [row, index] of fresh.entries()) {
    const hash = hashes[index];
    if (batch === undefined || hash === undefined || failures.has(index)) {
      continue;
    }
    const { data, dims } = batch;
    made.set(
      toHex(hash),
      quantizeVector(data.subarray(row * dims, (row + 1) * dims)),
    );
  }
  const vectors: VectorInput[] = [];
  for (const [index, { id }] of chunks.entries()) {
    const textHash = hashes[index];
    if (textHash === undefined) continue;
    const vector = made.get(toHex(textHash)) ??
      findVectorByHash(store, model.id, textHash);
    if (vector !== undefined) vectors.push({ chunkId: id, vector, textHash });
    else {
      failed.push({
        chunkId: id,
        message: failures.get(index) ?? "An equal text could not be embedded",
      });
    }
  }
  return { vectors, embedded: made.size, reused: vectors.length - made.size };
}
