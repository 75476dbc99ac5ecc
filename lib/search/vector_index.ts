import type { ChunkId } from "../core/mod.ts";
import {
  findVector,
  iterateVectors,
  listVectorChanges,
  type ModelRow,
  readVectorLog,
  type Store,
} from "../store/mod.ts";
import { VectorBlock, type VectorScan } from "./vector_block.ts";

/** A chunk with its cosine. */
export interface RankedVector {
  /** Which chunk. */
  readonly chunkId: ChunkId;
  /** -1 to 1. */
  readonly cosine: number;
}

/** A query against a {@linkcode VectorIndex}. */
export interface VectorSearch {
  /** Up to `limit` chunks, nearest first, chosen from `allow` where given. */
  top(limit: number, allow?: ReadonlySet<ChunkId>): RankedVector[];
  /** Cosine of one chunk; `undefined` if it has no vector. */
  score(chunkId: ChunkId): number | undefined;
}

/** Rows the scan hands on beyond those asked for, as finer scores may bring them in. */
const SPARE_ROWS = 50;

/**
 * The vectors of one model, kept in memory and in step with the store.
 *
 * The scan compares every vector's int8 values; its best are scored again with all 12 bits, which
 * brings their order to that of float32.
 */
export class VectorIndex {
  readonly #store: Store;
  readonly #model: ModelRow;
  readonly #block: VectorBlock;
  /** Newest change taken in; `undefined` before the first load. */
  #seen: number | undefined;

  /** Makes an index of a stored model; nothing is loaded yet. */
  constructor(store: Store, model: ModelRow) {
    this.#store = store;
    this.#model = model;
    this.#block = new VectorBlock(model.dims);
  }

  /** Vectors held. */
  get size(): number {
    return this.#block.size;
  }

  /** Takes in what this or another process changed; loads everything the first time. */
  sync(): void {
    this.#store.read(() => {
      const { first, last } = readVectorLog(this.#store);
      const seen = this.#seen;
      if (seen === last) return;
      // Entries older than the log keeps are lost, so only a full load is sure.
      if (seen === undefined || seen + 1 < first) this.#load();
      else this.#follow(seen);
      this.#seen = last;
    });
  }

  /** Prepares a query of the model's dimensions. */
  search(query: Float32Array): VectorSearch {
    const scan = this.#block.scan(query);
    return {
      top: (limit, allow) => rank(scan, limit, allow),
      score: (chunkId) => scan.fineScore(chunkId),
    };
  }

  #load(): void {
    this.#block.clear();
    for (const row of iterateVectors(this.#store, this.#model.id)) {
      this.#block.set(row.chunk_id, row.vector);
    }
  }

  #follow(seen: number): void {
    for (const id of listVectorChanges(this.#store, seen)) {
      const vector = findVector(this.#store, this.#model.id, id);
      if (vector === undefined) this.#block.delete(id);
      else this.#block.set(id, vector);
    }
  }
}

/** The nearest chunks by the scan, in the order of the finer scores. */
function rank(
  scan: VectorScan,
  limit: number,
  allow?: ReadonlySet<ChunkId>,
): RankedVector[] {
  return scan.top(limit + SPARE_ROWS, allow)
    .map(({ id, score }) => ({
      chunkId: id as ChunkId,
      cosine: scan.fineScore(id) ?? score,
    }))
    .sort((a, b) => b.cosine - a.cosine || a.chunkId - b.chunkId)
    .slice(0, limit);
}
