import assert from "node:assert/strict";
import { type ChunkId, KbError } from "../../lib/core/mod.ts";
import { dequantizeVector } from "../../lib/embed/mod.ts";
import {
  embedPending,
  type EmbedPendingOptions,
  type Progress,
} from "../../lib/ingest/mod.ts";
import {
  countPending,
  deleteDocument,
  findVector,
  type ModelRow,
  placeSection,
  putModel,
  refreshContext,
  type Store,
} from "../../lib/store/mod.ts";
import {
  FAKE_DIMS,
  type FakeEmbedder,
  fakeEmbedder,
  type FakeEmbedderOptions,
  fakeVector,
} from "../helpers/fake_embedder.ts";
import {
  addDocument,
  chunksOf,
  countRows,
  openTempStore,
  putWithChunks,
  toSectionInput,
} from "../helpers/temp_store.ts";

function putFake(store: Store, identity = "fake"): ModelRow {
  return putModel(store, { identity, modelKey: "fake@1", dims: FAKE_DIMS });
}

function run(
  store: Store,
  embedder: FakeEmbedder,
  rest: Partial<EmbedPendingOptions> = {},
) {
  return embedPending(store, { embedder, model: putFake(store), ...rest });
}

/** Adds a document with a section of one word and a number each. */
function addMany(store: Store, count: number): void {
  addDocument(store, "many", {
    texts: Array.from({ length: count }, (_, index) => `word ${index}`),
  });
}

/** Adds sections of different content whose only chunk has the same text. */
function addEqualChunks(store: Store, text: string, count: number): ChunkId[] {
  const { id } = addDocument(store, "equal");
  return store.write(() =>
    Array.from({ length: count }, (_, index) => {
      const input = toSectionInput(`${text}${index}`);
      const chunks = input.chunks.map((chunk) => ({ ...chunk, text }));
      const section = putWithChunks(store, { ...input, chunks });
      const place = { headingPath: [], lineStart: 1, lineEnd: 1 };
      placeSection(store, id, index, section.id, place);
      return chunksOf(store, section.id)[0]!;
    })
  );
}

function isCancelled(error: unknown): boolean {
  return error instanceof KbError && error.code === "cancelled";
}

Deno.test("embedPending() makes the vector of context and text, as a passage", async () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", {
    texts: ["alpha beta"],
    context: "Title > Heading",
  });
  const embedder = fakeEmbedder();
  const report = await run(store, embedder);
  assert.deepEqual(report, { embedded: 1, reused: 0, cut: 0, failed: [] });
  assert.equal(embedder.texts.length, 1);
  const [text = ""] = embedder.texts;
  assert.match(text, /^Title > Heading\s+alpha beta$/);
  const [chunk] = chunksOf(store, sections[0]);
  const stored = dequantizeVector(
    findVector(store, putFake(store).id, chunk!) ?? new Uint8Array(),
  );
  for (const [index, value] of fakeVector(text).entries()) {
    assert.ok(Math.abs(value - (stored[index] ?? NaN)) < 5e-3);
  }
});

Deno.test("embedPending() embeds nothing twice", async () => {
  using store = openTempStore();
  addMany(store, 70);
  const embedder = fakeEmbedder();
  assert.equal((await run(store, embedder)).embedded, 70);
  assert.equal(embedder.texts.length, 70);
  assert.deepEqual(await run(store, embedder), {
    embedded: 0,
    reused: 0,
    cut: 0,
    failed: [],
  });
  assert.equal(embedder.texts.length, 70);
});

Deno.test("embedPending() gives equal texts one vector", async () => {
  using store = openTempStore();
  const model = putFake(store);
  const [a, b] = addEqualChunks(store, "same words", 2);
  const embedder = fakeEmbedder();
  const report = await run(store, embedder);
  assert.deepEqual(report, { embedded: 1, reused: 1, cut: 0, failed: [] });
  assert.deepEqual(embedder.texts, ["same words"]);
  assert.deepEqual(
    findVector(store, model.id, a!),
    findVector(store, model.id, b!),
  );
});

Deno.test("embedPending() takes the vector that an equal text has already", async () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["same words"] });
  const embedder = fakeEmbedder();
  await run(store, embedder);
  addEqualChunks(store, "same words", 1);
  const report = await run(store, embedder);
  assert.deepEqual(report, { embedded: 0, reused: 1, cut: 0, failed: [] });
  assert.equal(embedder.texts.length, 1);
});

Deno.test("embedPending() never takes the vector of another model", async () => {
  using store = openTempStore();
  addMany(store, 3);
  const embedder = fakeEmbedder();
  await run(store, embedder);
  const other = putFake(store, "other");
  const report = await run(store, embedder, { model: other });
  assert.equal(report.embedded, 3);
  assert.equal(countRows(store, "chunk_vectors"), 6);
});

Deno.test("embedPending() reports a text that cannot be embedded and embeds the rest", async () => {
  using store = openTempStore();
  const model = putFake(store);
  addMany(store, 40);
  const [bad] = addDocument(store, "b", { texts: ["poison"] }).sections;
  const [chunkId] = chunksOf(store, bad);
  const report = await run(store, fakeEmbedder({ failOn: "poison" }));
  assert.equal(report.embedded, 40);
  assert.deepEqual(report.failed, [
    { chunkId, message: "The fake model fails on this" },
  ]);
  assert.equal(countPending(store, model.id).chunks, 1);
  const again = await run(store, fakeEmbedder());
  assert.deepEqual(again, { embedded: 1, reused: 0, cut: 0, failed: [] });
});

Deno.test("embedPending() reports every chunk of a text that cannot be embedded", async () => {
  using store = openTempStore();
  const chunks = addEqualChunks(store, "poison", 2);
  const report = await run(store, fakeEmbedder({ failOn: "poison" }));
  assert.deepEqual(report.failed.map(({ chunkId }) => chunkId), chunks);
  assert.equal(report.embedded + report.reused, 0);
});

Deno.test("embedPending() counts texts that were cut", async () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["one two three four", "one"] });
  const report = await run(store, fakeEmbedder({ windowTokens: 3 }));
  assert.equal(report.cut, 1);
  assert.equal(report.embedded, 2);
});

Deno.test("embedPending() keeps what is done when it is cancelled, and goes on from there", async () => {
  using store = openTempStore();
  addMany(store, 100);
  const controller = new AbortController();
  const { signal } = controller;
  await assert.rejects(
    run(store, fakeEmbedder(), {
      signal,
      onProgress: () => controller.abort(),
    }),
    isCancelled,
  );
  const kept = countRows(store, "chunk_vectors");
  assert.ok(kept >= 32 && kept < 100, `${kept}`);
  const embedder = fakeEmbedder();
  assert.equal((await run(store, embedder)).embedded, 100 - kept);
  assert.equal(countRows(store, "chunk_vectors"), 100);
});

Deno.test("embedPending() is cancelled by a signal that aborted before, and leaves no rejection behind", async () => {
  using store = openTempStore();
  addMany(store, 100);
  await assert.rejects(
    run(store, fakeEmbedder(), { signal: AbortSignal.abort() }),
    isCancelled,
  );
  // A rejection that nobody handles would fail this test one turn later.
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.equal(countRows(store, "chunk_vectors"), 0);
});

Deno.test("embedPending() passes on that the model is unavailable", async () => {
  using store = openTempStore();
  addMany(store, 100);
  const embedder = fakeEmbedder({
    onEmbed: () => {
      throw new KbError("model_unavailable", "No model");
    },
  });
  await assert.rejects(
    run(store, embedder),
    (error: unknown) =>
      error instanceof KbError && error.code === "model_unavailable",
  );
  await new Promise((resolve) => setTimeout(resolve, 0));
});

Deno.test("embedPending() passes over a chunk that is deleted while it is embedded", async () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { texts: ["alpha"] });
  addDocument(store, "b", { texts: ["beta"] });
  const report = await run(
    store,
    once(() => deleteDocument(store, id)),
  );
  assert.deepEqual(report.failed, []);
  assert.equal(countRows(store, "chunk_vectors"), 1);
  assert.equal(countPending(store, putFake(store).id).chunks, 0);
});

Deno.test("embedPending() keeps no vector of a text that changed while it was embedded", async () => {
  using store = openTempStore();
  const model = putFake(store);
  const { sections } = addDocument(store, "a", {
    texts: ["alpha", "beta"],
    context: "Old title",
  });
  const change = () => refreshContext(store, sections[0]!, "New title");
  await run(store, once(change));
  assert.equal(countPending(store, model.id).chunks, 1);
  const embedder = fakeEmbedder();
  await run(store, embedder);
  assert.equal(embedder.texts.length, 1);
  assert.match(embedder.texts[0] ?? "", /^New title\s+alpha$/);
});

Deno.test("embedPending() tells how far it is, in tokens", async () => {
  using store = openTempStore();
  addMany(store, 40);
  const seen: Progress[] = [];
  await run(store, fakeEmbedder(), { onProgress: (at) => seen.push(at) });
  assert.deepEqual(seen, [
    { phase: "embed", done: 32, total: 40, doneSize: 64, totalSize: 80 },
    { phase: "embed", done: 40, total: 40, doneSize: 80, totalSize: 80 },
  ]);
});

/** An embedder during whose first batch something else happens. */
function once(action: () => void): FakeEmbedder {
  let done = false;
  const options: FakeEmbedderOptions = {
    onEmbed: () => {
      if (!done) action();
      done = true;
    },
  };
  return fakeEmbedder(options);
}
