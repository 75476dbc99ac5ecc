import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  openEmbedder,
  quantizeVector,
  resolveModel,
} from "../../lib/embed/mod.ts";
import type { ChunkId } from "../../lib/core/mod.ts";
import { VectorIndex } from "../../lib/search/mod.ts";
import {
  listPendingChunks,
  type ModelRow,
  openStore,
  putVectors,
  type Store,
} from "../../lib/store/mod.ts";
import { type Bases, databaseOf, putBenchModel } from "./bases.ts";
import { ROOT } from "./child.ts";
import { Random } from "./random.ts";
import { sampleChunks } from "./sample.ts";
import type { Report } from "./table.ts";

const TOP = 10;
/** Chunks a search asks the index for. */
const CANDIDATES = 200;
const PAGE_CHUNKS = 1000;
const NO_MODEL = -1;
const BATCH_TEXTS = 32;
const REAL_CHUNKS = 1000;
const REAL_QUERIES = 100;
/** Words of a held-out chunk that make a query. */
const REAL_QUERY_WORDS = 12;

/** A vector as it was before it was quantized. */
interface ExactVector {
  readonly chunkId: ChunkId;
  readonly vector: Float32Array;
}

/** Compares the index with an exact search over generated vectors. */
export async function benchRecall(
  bases: Bases,
  report: Report,
  { planned, queries }: { readonly planned: number; readonly queries: number },
): Promise<void> {
  const { dir, chunks, vectors } = await bases.generated(planned);
  using store = openStore(databaseOf(dir));
  const exact = listChunkIds(store).map((chunkId, index) => ({
    chunkId,
    vector: vectors.at(index),
  }));
  const random = new Random(queries);
  report({
    part: "recall",
    measure: `recall@${TOP}, ${chunks} clustered vectors`,
    value: recallOf(
      store,
      putBenchModel(store, vectors.dims),
      exact,
      Array.from({ length: queries }, () => vectors.query(random)),
    ),
    note: `against float32, ${queries} queries`,
  });
  if (hasCachedBase()) {
    report({
      part: "recall",
      measure: "real vectors",
      value:
        "the cached evaluation bases hold quantized vectors only; --recall embeds anew",
    });
  }
}

/** Compares the index with an exact search over vectors of real chunks. */
export async function benchRealRecall(
  bases: Bases,
  report: Report,
  { data, scale }: { readonly data: string; readonly scale: number },
): Promise<void> {
  const wanted = Math.ceil(REAL_CHUNKS * scale);
  const asked = Math.ceil(REAL_QUERIES * scale);
  const { dir, chunks } = await sampleChunks(bases, data, wanted + asked);
  const heldOut = chunks.filter((_, index) =>
    index % Math.floor(chunks.length / asked) === 0
  ).slice(0, asked);
  const kept = chunks.filter((chunk) => !heldOut.includes(chunk));
  const passages = await embedAll(
    kept.map(({ enrichedText }) => enrichedText),
    "passage",
  );
  const queries = await embedAll(
    heldOut.map(({ enrichedText }) =>
      enrichedText.split(/\s+/u).slice(-REAL_QUERY_WORDS).join(" ")
    ),
    "query",
  );
  const exact = kept.flatMap(({ id }, index) => {
    const vector = passages[index];
    return vector === undefined ? [] : [{ chunkId: id, vector }];
  });
  using store = openStore(databaseOf(dir));
  const model = putBenchModel(store, resolveModel().spec.dims);
  putVectors(
    store,
    model.id,
    exact.map(({ chunkId, vector }) => ({
      chunkId,
      vector: quantizeVector(vector),
      textHash: new Uint8Array(16),
    })),
  );
  report({
    part: "recall",
    measure: `recall@${TOP}, ${exact.length} real chunks`,
    value: recallOf(store, model, exact, queries),
    note: `against float32, ${queries.length} queries`,
  });
}

/** Share of the exact ten nearest that are among the index's first ten. */
function recallOf(
  store: Store,
  model: ModelRow,
  exact: readonly ExactVector[],
  queries: readonly Float32Array[],
): number {
  const index = new VectorIndex(store, model);
  index.sync();
  let found = 0;
  let wanted = 0;
  for (const query of queries) {
    const near = new Set(
      index.search(query).top(CANDIDATES).slice(0, TOP)
        .map(({ chunkId }) => chunkId),
    );
    const nearest = exactTop(exact, query);
    wanted += nearest.length;
    found += nearest.filter((chunkId) => near.has(chunkId)).length;
  }
  return found / wanted;
}

/** The nearest by the float32 dot product, which is the cosine of unit vectors. */
function exactTop(
  exact: readonly ExactVector[],
  query: Float32Array,
): ChunkId[] {
  return exact.map(({ chunkId, vector }) => ({
    chunkId,
    cosine: dot(vector, query),
  })).sort((a, b) => b.cosine - a.cosine || a.chunkId - b.chunkId)
    .slice(0, TOP).map(({ chunkId }) => chunkId);
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) {
    sum += (a[index] ?? 0) * (b[index] ?? 0);
  }
  return sum;
}

function listChunkIds(store: Store): ChunkId[] {
  const ids: ChunkId[] = [];
  let after = 0;
  while (true) {
    const page = listPendingChunks(store, NO_MODEL, PAGE_CHUNKS, after);
    const last = page.at(-1);
    if (last === undefined) return ids;
    ids.push(...page.map(({ id }) => id));
    after = last.id;
  }
}

async function embedAll(
  texts: readonly string[],
  role: "query" | "passage",
): Promise<Float32Array[]> {
  await using embedder = openEmbedder(resolveModel());
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += BATCH_TEXTS) {
    const { data, rows, dims } = await embedder.embed(
      texts.slice(from, from + BATCH_TEXTS),
      { role },
    );
    for (let row = 0; row < rows; row++) {
      vectors.push(data.slice(row * dims, (row + 1) * dims));
    }
  }
  return vectors;
}

/** Says whether an evaluation left a base behind. */
function hasCachedBase(): boolean {
  const cache = join(ROOT, ".cache/eval");
  return existsSync(cache) &&
    readdirSync(cache).some((name) =>
      existsSync(databaseOf(join(cache, name)))
    );
}
