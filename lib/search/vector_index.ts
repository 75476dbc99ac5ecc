import type { ChunkId } from "../core/mod.ts";
import { fineCosine } from "../embed/mod.ts";
import {
  findVector,
  iterateVectors,
  listVectorChanges,
  listVectors,
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

/** Best of the scan that are put in order by the full vectors: half again as many as are asked for. */
const RESCORE_SHARE = 1.5;
/** Most chunks that are scored by the full vectors, which are read from the store. */
const RESCORE_MAX = 64;

/**
 * The vectors of one model, kept in memory and in step with the store.
 *
 * The scan compares every vector's int8 values; the best are scored again with what the store has
 * of them, which brings the order to that of float32.
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
      top: (limit, allow) => this.#top(scan, query, limit, allow),
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

  #top(
    scan: VectorScan,
    query: Float32Array,
    limit: number,
    allow?: ReadonlySet<ChunkId>,
  ): RankedVector[] {
    const fine = Math.min(Math.ceil(limit * RESCORE_SHARE), RESCORE_MAX);
    const hits = scan.top(Math.max(limit, fine), allow);
    const vectors = listVectors(
      this.#store,
      this.#model.id,
      hits.slice(0, fine).map(({ id }) => id as ChunkId),
    );
    const ranked = hits.map(({ id, score }) => {
      const chunkId = id as ChunkId;
      const vector = vectors.get(chunkId);
      return {
        chunkId,
        cosine: vector === undefined ? score : fineCosine(vector, query),
      };
    });
    ranked.sort((a, b) => b.cosine - a.cosine || a.chunkId - b.chunkId);
    return ranked.slice(0, limit);
  }
}
