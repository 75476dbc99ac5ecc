import { KbError } from "../core/mod.ts";
import {
  type SearchContext,
  type SearchOptions,
  VectorIndex,
} from "../search/mod.ts";
import {
  countPending,
  countVectors,
  listModelUse,
  type ModelRow,
  readChangeMark,
  type Store,
} from "../store/mod.ts";
import { type BaseModel, findModelOf } from "./models.ts";
import type { VectorStatus } from "./types.ts";

/** What the searches of an open base share: its vectors in memory, and how many are missing. */
export class Retrieval {
  readonly #store: Store;
  readonly #model: BaseModel;
  #index: VectorIndex | undefined;
  /** Chunks without a vector, and of which state of the base that is the count. */
  #pending = { chunks: 0, countedAt: "" };

  /** Takes the base; nothing is read yet. */
  constructor(store: Store, model: BaseModel) {
    this.#store = store;
    this.#model = model;
  }

  /** What a search of this base works with. */
  context({ retriever }: SearchOptions): SearchContext {
    const store = this.#store;
    if (retriever === "fts") return { store, vectors: "", pendingChunks: 0 };
    const row = findModelOf(this.#store, this.#model);
    const pendingChunks = this.#countPendingChunks(row);
    const { problem } = this.#model;
    if (problem !== undefined) {
      return { store, vectors: problem, pendingChunks };
    }
    return {
      store,
      vectors: {
        index: this.#vectorIndex(row),
        embedQuery: (text, signal) => this.#embedQuery(text, signal),
      },
      pendingChunks,
    };
  }

  /** Counts chunks without a vector, again only after a change, as counting reads two whole indexes. */
  #countPendingChunks(row: ModelRow | undefined): number {
    const store = this.#store;
    return store.read(() => {
      const modelId = row?.id ?? -1;
      const countedAt = `${modelId} ${readChangeMark(store)}`;
      if (this.#pending.countedAt !== countedAt) {
        const { chunks, vectors } = countVectors(store, modelId);
        this.#pending = { chunks: chunks - vectors, countedAt };
      }
      return this.#pending.chunks;
    });
  }

  /** The index of the model's vectors; an empty one, as a search stores nothing, before there are any. */
  #vectorIndex(row: ModelRow | undefined): VectorIndex {
    if (row !== undefined) {
      return this.#index ??= new VectorIndex(this.#store, row);
    }
    const { id: modelKey, dims } = this.#model;
    return new VectorIndex(this.#store, {
      id: -1,
      identity: "",
      modelKey,
      dims,
    });
  }

  async #embedQuery(text: string, signal?: AbortSignal): Promise<Float32Array> {
    const { data, failedRows = [] } = await this.#model.embedder().embed(
      [text],
      signal === undefined ? { role: "query" } : { role: "query", signal },
    );
    const [failed] = failedRows;
    if (failed !== undefined) {
      throw new KbError(
        "model_unavailable",
        `The model failed on the query: ${failed.message}`,
      );
    }
    return data;
  }

  /** Says which model makes the vectors and how many there are. */
  vectorStatus(): VectorStatus {
    const { problem } = this.#model;
    const row = findModelOf(this.#store, this.#model);
    const pending = countPending(this.#store, row?.id);
    const use = listModelUse(this.#store);
    const own = use.find(({ id }) => id === row?.id)?.vectors ?? 0;
    return {
      model: this.#model.id,
      dims: this.#model.dims,
      available: problem === undefined,
      ...(problem === undefined ? {} : { problem }),
      vectors: own,
      pendingChunks: pending.chunks,
      pendingTokens: pending.tokens,
      otherVectors: use.reduce((sum, { vectors }) => sum + vectors, 0) - own,
    };
  }
}
