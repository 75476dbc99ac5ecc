import type { ChunkId } from "../core/mod.ts";
import type { Store } from "./driver.ts";

/** Entries of the change log that are kept for readers that follow it. */
const LOG_KEPT = 20_000;

/** Vectors read at a time. */
const PAGE_ROWS = 1000;

/** Which embedding model vectors belong to. */
export interface ModelRow {
  /** Integer id. */
  readonly id: number;
  /** Everything that decides a vector: model files, pooling, prefixes, chunker. */
  readonly identity: string;
  /** Short name, e.g. `bge-small-en-v1.5@1`. */
  readonly modelKey: string;
  /** Numbers per vector. */
  readonly dims: number;
}

const MODEL_COLUMNS = "id, identity, model_key AS modelKey, dims";

/** Finds a model by identity. */
export function findModel(
  store: Store,
  identity: string,
): ModelRow | undefined {
  return store.get<ModelRow>(
    `SELECT ${MODEL_COLUMNS} FROM models WHERE identity = ?`,
    identity,
  );
}

/** Stores a model, or finds the one of the same identity. */
export function putModel(
  store: Store,
  model: Omit<ModelRow, "id">,
): ModelRow {
  return findModel(store, model.identity) ?? store.write(() => {
    store.run(
      `INSERT INTO models(identity, model_key, dims, created_at) VALUES (?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
      model.identity,
      model.modelKey,
      model.dims,
      store.now(),
    );
    const row = findModel(store, model.identity);
    if (row === undefined) throw new Error("A model vanished while stored");
    return row;
  });
}

/** Lists models with how many vectors each has. */
export function listModelUse(store: Store): (ModelRow & { vectors: number })[] {
  return store.all(
    `SELECT ${MODEL_COLUMNS},
      (SELECT count(*) FROM chunk_vectors v WHERE v.model_id = models.id) AS vectors FROM models`,
  );
}

/** A chunk that waits for its vector. */
export interface PendingChunk {
  /** Which chunk. */
  readonly id: ChunkId;
  /** Context and text, as it is embedded. */
  readonly enrichedText: string;
  /** Tokens of the text alone. */
  readonly tokenCount: number;
}

/** Reads chunks without a vector of this model, oldest first, ids above `after`. */
export function listPendingChunks(
  store: Store,
  modelId: number,
  limit: number,
  after = 0,
): PendingChunk[] {
  return store.all<PendingChunk>(
    `SELECT t.id, t.enriched_text AS enrichedText, c.token_count AS tokenCount
     FROM chunks c JOIN chunk_texts t ON t.id = c.id
     WHERE c.id > ? AND NOT EXISTS
       (SELECT 1 FROM chunk_vectors v WHERE v.chunk_id = c.id AND v.model_id = ?)
     ORDER BY c.id LIMIT ?`,
    after,
    modelId,
    limit,
  );
}

/** Counts chunks without a vector of this model, and their tokens. */
export function countPending(
  store: Store,
  modelId: number | undefined,
): { chunks: number; tokens: number } {
  return store.get<{ chunks: number; tokens: number }>(
    `SELECT count(*) AS chunks, COALESCE(sum(token_count), 0) AS tokens FROM chunks c
     WHERE NOT EXISTS
       (SELECT 1 FROM chunk_vectors v WHERE v.chunk_id = c.id AND v.model_id = ?)`,
    modelId ?? -1,
  ) ?? { chunks: 0, tokens: 0 };
}

/** Finds a vector this model made of the same text before. */
export function findVectorByHash(
  store: Store,
  modelId: number,
  textHash: Uint8Array,
): Uint8Array | undefined {
  return store.get<{ vector: Uint8Array }>(
    `SELECT vector FROM chunk_vectors
     WHERE model_id = ? AND substr(text_hash, 1, 8) = ? AND text_hash = ? LIMIT 1`,
    modelId,
    textHash.subarray(0, 8),
    textHash,
  )?.vector;
}

/** One vector to store. */
export interface VectorInput {
  /** Which chunk. */
  readonly chunkId: ChunkId;
  /** Quantised vector, as `lib/search` writes it. */
  readonly vector: Uint8Array;
  /** First 16 bytes of the SHA-256 of the embedded text. */
  readonly textHash: Uint8Array;
}

/** Stores vectors of chunks that still exist. */
export function putVectors(
  store: Store,
  modelId: number,
  inputs: readonly VectorInput[],
): void {
  store.write(() => {
    for (const { chunkId, vector, textHash } of inputs) {
      store.run(
        `INSERT OR REPLACE INTO chunk_vectors(chunk_id, model_id, vector, text_hash)
         SELECT id, ?, ?, ? FROM chunks WHERE id = ?`,
        modelId,
        vector,
        textHash,
        chunkId,
      );
    }
    store.run(
      "DELETE FROM vector_log WHERE seq <= (SELECT max(seq) FROM vector_log) - ?",
      LOG_KEPT,
    );
  });
}

/** Where the change log of vectors stands. */
export interface VectorLogState {
  /** Oldest entry kept; 0 when the log is empty. */
  readonly first: number;
  /** Newest entry ever written; 0 when there never was one. */
  readonly last: number;
}

/** Reads where the change log stands. */
export function readVectorLog(store: Store): VectorLogState {
  return store.get<VectorLogState>(
    `SELECT COALESCE((SELECT min(seq) FROM vector_log), 0) AS first,
      COALESCE((SELECT seq FROM sqlite_sequence WHERE name = 'vector_log'), 0) AS last`,
  ) ?? { first: 0, last: 0 };
}

/** Reads which chunks' vectors changed after an entry. */
export function listVectorChanges(store: Store, after: number): ChunkId[] {
  return store.all<{ id: ChunkId }>(
    "SELECT DISTINCT chunk_id AS id FROM vector_log WHERE seq > ?",
    after,
  ).map((row) => row.id);
}

/** Reads the vector of one chunk. */
export function findVector(
  store: Store,
  modelId: number,
  chunkId: ChunkId,
): Uint8Array | undefined {
  return store.get<{ vector: Uint8Array }>(
    "SELECT vector FROM chunk_vectors WHERE chunk_id = ? AND model_id = ?",
    chunkId,
    modelId,
  )?.vector;
}

/** Reads all vectors of a model by rising chunk id; of one moment only inside {@linkcode Store.read}. */
export function* iterateVectors(
  store: Store,
  modelId: number,
): IterableIterator<{ chunk_id: ChunkId; vector: Uint8Array }> {
  let after = 0;
  while (true) {
    // The plus keeps SQLite off the index by hash, which would sort all vectors for every page.
    const page = store.all<{ chunk_id: ChunkId; vector: Uint8Array }>(
      `SELECT chunk_id, vector FROM chunk_vectors WHERE +model_id = ? AND chunk_id > ?
       ORDER BY chunk_id LIMIT ?`,
      modelId,
      after,
      PAGE_ROWS,
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    after = last.chunk_id;
  }
}

/** Counts the chunks of the base, and those that have a vector of a model. */
export function countVectors(
  store: Store,
  modelId: number,
): { chunks: number; vectors: number } {
  return store.get<{ chunks: number; vectors: number }>(
    `SELECT (SELECT count(*) FROM chunks) AS chunks,
      (SELECT count(*) FROM chunk_vectors WHERE model_id = ?) AS vectors`,
    modelId,
  ) ?? { chunks: 0, vectors: 0 };
}

/** Removes a model with all its vectors; one that is not there is passed over. */
export function dropModel(store: Store, identity: string): void {
  store.write(() => {
    const id = findModel(store, identity)?.id;
    if (id === undefined) return;
    store.run("DELETE FROM chunk_vectors WHERE model_id = ?", id);
    store.run("DELETE FROM models WHERE id = ?", id);
  });
}

/** Puts the vectors of one model in the place of another's, and drops those of all others. */
export function takeOverVectors(
  store: Store,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  store.write(() => {
    // A chunk stored since the last batch has no new vector yet, and keeps the one it has.
    store.run(
      `DELETE FROM chunk_vectors WHERE model_id <> ? AND (model_id <> ? OR EXISTS
         (SELECT 1 FROM chunk_vectors n WHERE n.chunk_id = chunk_vectors.chunk_id AND n.model_id = ?))`,
      from,
      to,
      from,
    );
    store.run(
      "UPDATE chunk_vectors SET model_id = ? WHERE model_id = ?",
      to,
      from,
    );
    store.run("DELETE FROM models WHERE id <> ? AND id <> ?", to, from);
  });
}
