import assert from "node:assert/strict";
import { type ChunkId, sha256 } from "../../lib/core/mod.ts";
import {
  countPending,
  deleteDocument,
  findModel,
  findVector,
  findVectorByHash,
  iterateVectors,
  listModelUse,
  listPendingChunks,
  listVectorChanges,
  putModel,
  putVectors,
  readVectorLog,
  refreshContext,
  type Store,
} from "../../lib/store/mod.ts";
import {
  addDocument,
  assertIntact,
  chunksOf,
  countRows,
  embedAll,
  openTempStore,
  plain,
} from "../helpers/temp_store.ts";

const MODEL = { identity: "files, pooling", modelKey: "small@1", dims: 4 };
const HASH = sha256("text").slice(0, 16);
const GONE = 999 as ChunkId;

function vector(...numbers: number[]): Uint8Array {
  return Uint8Array.from(numbers);
}

/** Adds one document with a chunk a text; answers the chunks. */
function addChunks(store: Store, ...texts: string[]): ChunkId[] {
  return addDocument(store, texts.join(), { texts }).sections.flatMap((id) =>
    chunksOf(store, id)
  );
}

Deno.test("putModel() stores an identity once", () => {
  using store = openTempStore();
  assert.equal(findModel(store, MODEL.identity), undefined);
  const stored = putModel(store, MODEL);
  assert.deepEqual({ ...stored }, { ...MODEL, id: stored.id });
  assert.deepEqual(putModel(store, { ...MODEL, modelKey: "other" }), stored);
  assert.deepEqual(findModel(store, MODEL.identity), stored);
  assert.notEqual(putModel(store, { ...MODEL, identity: "b" }).id, stored.id);
});

Deno.test("listModelUse() counts the vectors of each model", () => {
  using store = openTempStore();
  addChunks(store, "one", "two");
  putModel(store, MODEL);
  embedAll(store, "used");
  assert.deepEqual(
    listModelUse(store).map((row) => [row.identity, row.vectors]),
    [[MODEL.identity, 0], ["used", 2]],
  );
});

Deno.test("listPendingChunks() gives chunks without a vector of the model, oldest first", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", {
    texts: ["one", "two words", "three"],
    context: "Title",
  });
  const [a = GONE, b = GONE, c = GONE] = sections.flatMap((id) =>
    chunksOf(store, id)
  );
  const { id } = putModel(store, MODEL);
  assert.deepEqual(plain(listPendingChunks(store, id, 2)), [
    { id: a, enrichedText: "Title\n\none", tokenCount: 1 },
    { id: b, enrichedText: "Title\n\ntwo words", tokenCount: 2 },
  ]);
  const ids = (limit: number, after?: ChunkId) =>
    listPendingChunks(store, id, limit, after).map((row) => row.id);
  assert.deepEqual(ids(10, a), [b, c]);
  putVectors(store, id, [{ chunkId: b, vector: vector(1), textHash: HASH }]);
  assert.deepEqual(ids(10), [a, c]);
  assert.deepEqual(ids(10, c), []);
});

Deno.test("countPending() counts chunks and tokens for one model, or for none yet", () => {
  using store = openTempStore();
  const { id } = putModel(store, MODEL);
  assert.deepEqual({ ...countPending(store, id) }, { chunks: 0, tokens: 0 });
  const [chunkId = GONE] = addChunks(store, "one", "two words");
  assert.deepEqual({ ...countPending(store, id) }, { chunks: 2, tokens: 3 });
  putVectors(store, id, [{ chunkId, vector: vector(1), textHash: HASH }]);
  assert.deepEqual({ ...countPending(store, id) }, { chunks: 1, tokens: 2 });
  const none = countPending(store, undefined);
  assert.deepEqual({ ...none }, { chunks: 2, tokens: 3 });
  const other = putModel(store, { ...MODEL, identity: "other" });
  assert.equal(countPending(store, other.id).chunks, 2);
});

Deno.test("putVectors() stores, replaces and keeps models apart", () => {
  using store = openTempStore();
  const [chunkId = GONE] = addChunks(store, "one");
  const a = putModel(store, MODEL).id;
  const b = putModel(store, { ...MODEL, identity: "b" }).id;
  putVectors(store, a, [{ chunkId, vector: vector(1), textHash: HASH }]);
  putVectors(store, b, [{ chunkId, vector: vector(2), textHash: HASH }]);
  putVectors(store, a, [{ chunkId, vector: vector(3), textHash: HASH }]);
  assert.deepEqual(findVector(store, a, chunkId), vector(3));
  assert.deepEqual(findVector(store, b, chunkId), vector(2));
  assert.equal(countRows(store, "chunk_vectors"), 2);
});

Deno.test("putVectors() passes over a chunk that vanished and stores the others", () => {
  using store = openTempStore();
  const [kept = GONE] = addChunks(store, "kept");
  const { id: documentId, sections } = addDocument(store, "b", {
    texts: ["gone"],
  });
  const [gone = GONE] = chunksOf(store, sections[0]);
  const { id } = putModel(store, MODEL);
  deleteDocument(store, documentId);
  putVectors(
    store,
    id,
    [gone, kept].map((chunkId) => ({
      chunkId,
      vector: vector(1),
      textHash: HASH,
    })),
  );
  assert.equal(findVector(store, id, gone), undefined);
  assert.deepEqual(findVector(store, id, kept), vector(1));
  assert.deepEqual(listVectorChanges(store, 0), [kept]);
  assertIntact(store);
});

Deno.test("findVectorByHash() finds what this model made of the same text", () => {
  using store = openTempStore();
  const [chunkId = GONE] = addChunks(store, "one");
  const a = putModel(store, MODEL).id;
  const b = putModel(store, { ...MODEL, identity: "b" }).id;
  assert.equal(findVectorByHash(store, a, HASH), undefined);
  putVectors(store, a, [{ chunkId, vector: vector(7, 8), textHash: HASH }]);
  assert.deepEqual(findVectorByHash(store, a, HASH), vector(7, 8));
  assert.equal(findVectorByHash(store, b, HASH), undefined);
  assert.equal(
    findVectorByHash(store, a, sha256("other").slice(0, 16)),
    undefined,
  );
});

Deno.test("iterateVectors() gives every vector of one model by chunk, past one page too", () => {
  using store = openTempStore();
  const texts = Array.from({ length: 2001 }, (_, i) => `text ${i}`);
  const chunks = addChunks(store, ...texts);
  const { id: empty } = putModel(store, MODEL);
  const id = embedAll(store, "full");
  assert.deepEqual([...iterateVectors(store, empty)], []);
  assert.deepEqual(
    Array.from(iterateVectors(store, id), (row) => row.chunk_id),
    chunks,
  );
  putVectors(store, empty, [{
    chunkId: chunks[1] ?? GONE,
    vector: vector(5),
    textHash: HASH,
  }]);
  assert.deepEqual(plain(iterateVectors(store, empty)), [
    { chunk_id: chunks[1], vector: vector(5) },
  ]);
});

Deno.test("readVectorLog() stands at 0 in a new base", () => {
  using store = openTempStore();
  assert.deepEqual({ ...readVectorLog(store) }, { first: 0, last: 0 });
  assert.deepEqual(listVectorChanges(store, 0), []);
});

Deno.test("readVectorLog() moves with every vector put, replaced or removed", () => {
  using store = openTempStore();
  const a = addDocument(store, "a", { texts: ["one"] });
  const b = addDocument(store, "b", { texts: ["two"] });
  const [one = GONE] = chunksOf(store, a.sections[0]);
  const [two = GONE] = chunksOf(store, b.sections[0]);
  const { id } = putModel(store, MODEL);
  let seen = 0;
  const changes = () => {
    const ids = listVectorChanges(store, seen);
    seen = readVectorLog(store).last;
    return ids.toSorted();
  };
  const put = (...chunks: ChunkId[]) =>
    putVectors(
      store,
      id,
      chunks.map((chunkId) => ({
        chunkId,
        vector: vector(1),
        textHash: HASH,
      })),
    );
  put(one, two);
  assert.deepEqual(changes(), [one, two]);
  assert.deepEqual(changes(), []);
  put(one);
  put(one);
  assert.deepEqual(changes(), [one]);
  refreshContext(store, b.sections[0]!, "new");
  assert.deepEqual(changes(), [two]);
  deleteDocument(store, a.id);
  assert.deepEqual(changes(), [one]);
  deleteDocument(store, b.id);
  assert.deepEqual(changes(), []);
});

Deno.test("readVectorLog() stays where it was after a write that is rolled back", () => {
  using store = openTempStore();
  addChunks(store, "one");
  embedAll(store);
  const before = readVectorLog(store);
  assert.throws(() =>
    store.write(() => {
      embedAll(store);
      throw new Error("stop");
    })
  );
  assert.deepEqual(readVectorLog(store), before);
});

Deno.test("putVectors() keeps the newest 20000 changes and says where they begin", () => {
  using store = openTempStore();
  const [chunkId = GONE] = addChunks(store, "one");
  store.run(
    `INSERT INTO vector_log(chunk_id)
     WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20005)
     SELECT i FROM n`,
  );
  const { id } = putModel(store, MODEL);
  putVectors(store, id, [{ chunkId, vector: vector(1), textHash: HASH }]);
  assert.deepEqual({ ...readVectorLog(store) }, { first: 7, last: 20006 });
  assert.equal(countRows(store, "vector_log"), 20_000);
});
