import type { ChunkId } from "../core/mod.ts";
import {
  findVector,
  iterateVectors,
  listVectorChanges,
  type ModelRow,
  readVectorLog,
  type Store,
} from "../store/mod.ts";
import { VectorBlock } from "./vector_block.ts";

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

/** The vectors of one model, kept in memory and in step with the store. */
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
      top: (limit, allow) =>
        scan.top(limit, allow).map(({ id, score }) => ({
          chunkId: id as ChunkId,
          cosine: score,
        })),
      score: (chunkId) => scan.score(chunkId),
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
