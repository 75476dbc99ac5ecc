import { rmSync } from "node:fs";
import { join } from "node:path";
import { openKb } from "../../mod.ts";
import {
  modelIdentity,
  quantizeVector,
  resolveModel,
} from "../../lib/embed/mod.ts";
import { CHUNKER_VERSION } from "../../lib/ingest/mod.ts";
import {
  listPendingChunks,
  type ModelRow,
  openStore,
  putModel,
  putVectors,
  type Store,
} from "../../lib/store/mod.ts";
import { sha256 } from "../../lib/core/mod.ts";
import { Vocabulary, writeCorpus } from "./text.ts";
import { BENCH_MODEL, ClusteredVectors } from "./vectors.ts";

/** A base of generated text and vectors. */
export interface GeneratedBase {
  /** Directory of the base. */
  readonly dir: string;
  /** Chunks, each with a vector. */
  readonly chunks: number;
  /** Vector of the chunk with the n-th smallest id. */
  readonly vectors: ClusteredVectors;
  /** Bytes of the files it was made from. */
  readonly textBytes: number;
  /** Time it took to make, in ms. */
  readonly buildMs: number;
}

const PAGE_CHUNKS = 1000;
const TEXT_HASH_BYTES = 16;

/** Path of a base's database. */
export function databaseOf(dir: string): string {
  return join(dir, "kb.db");
}

/** The row generated vectors are stored under. */
export function putBenchModel(store: Store, dims: number): ModelRow {
  return putModel(store, {
    identity: `${BENCH_MODEL}:${CHUNKER_VERSION}`,
    modelKey: BENCH_MODEL,
    dims,
  });
}

/** Temporary bases of a run, made when first asked for. */
export class Bases {
  /** Directory all of them are in. */
  readonly dir: string;
  /** Words they are made of. */
  readonly vocabulary: Vocabulary = new Vocabulary();
  readonly #made = new Map<number, Promise<GeneratedBase>>();

  /** Makes them in an empty directory. */
  constructor(dir: string) {
    this.dir = dir;
  }

  /** The base of so many chunks. */
  generated(chunks: number): Promise<GeneratedBase> {
    let base = this.#made.get(chunks);
    if (base === undefined) {
      base = this.#build(chunks);
      this.#made.set(chunks, base);
    }
    return base;
  }

  async #build(planned: number): Promise<GeneratedBase> {
    const started = performance.now();
    const corpus = join(this.dir, `corpus-${planned}`);
    const dir = join(this.dir, `base-${planned}`);
    const textBytes = writeCorpus(corpus, planned, this.vocabulary);
    await using kb = openKb({ dir });
    await kb.add(corpus);
    const { chunks } = kb.status();
    rmSync(corpus, { recursive: true });
    const vectors = new ClusteredVectors(chunks);
    using store = openStore(databaseOf(dir));
    writeVectors(store, vectors, putBenchModel(store, vectors.dims));
    const buildMs = performance.now() - started;
    return { dir, chunks, vectors, textBytes, buildMs };
  }
}

/** Stores vectors as those of the model that ships, so that it can be asked for queries. */
export function putModelVectors(dir: string, vectors: ClusteredVectors): void {
  const { spec } = resolveModel();
  using store = openStore(databaseOf(dir));
  const model = putModel(store, {
    identity: modelIdentity(spec, CHUNKER_VERSION),
    modelKey: spec.id,
    dims: spec.dims,
  });
  writeVectors(store, vectors, model);
}

/** Gives every chunk its vector, by rising id. */
function writeVectors(
  store: Store,
  vectors: ClusteredVectors,
  model: ModelRow,
): void {
  let index = 0;
  let after = 0;
  while (true) {
    const page = listPendingChunks(store, model.id, PAGE_CHUNKS, after);
    const last = page.at(-1);
    if (last === undefined) return;
    putVectors(
      store,
      model.id,
      page.map(({ id, enrichedText }) => ({
        chunkId: id,
        vector: quantizeVector(vectors.at(index++)),
        textHash: sha256(enrichedText).subarray(0, TEXT_HASH_BYTES),
      })),
    );
    after = last.id;
  }
}
