import assert from "node:assert/strict";
import { join } from "node:path";
import { KbError, type KbErrorCode } from "../../lib/core/mod.ts";
import {
  type Embedder,
  type EmbeddingBatch,
  listModels,
  type ModelSpec,
  openEmbedder,
  type ResolvedModel,
} from "../../lib/embed/mod.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const [BGE] = listModels() as [ModelSpec];
/** A model no file of which is ever read. */
const MODEL: ResolvedModel = {
  spec: { ...BGE, id: "four@1", dims: 4 },
  dir: "nowhere",
  weightsPath: "nowhere/model.onnx",
  tokenizerPath: "nowhere/tokenizer.json",
};
const PASSAGE = { role: "passage" } as const;
const QUERY = { role: "query" } as const;

function openFake(workers = 1, worker = "fake_model"): Embedder {
  const workerUrl = new URL(`../helpers/workers/${worker}.ts`, import.meta.url);
  return openEmbedder(MODEL, { workers, workerUrl });
}

function hasCode(code: KbErrorCode, part = ""): (error: unknown) => boolean {
  return (error) =>
    error instanceof KbError && error.code === code &&
    error.message.includes(part);
}

/** One value of every row. */
function column(batch: EmbeddingBatch, index: number): number[] {
  return Array.from(
    { length: batch.rows },
    (_, row) => batch.data[row * batch.dims + index] ?? NaN,
  );
}
/** In which order a worker answered the rows, from 1. */
const turns = (batch: EmbeddingBatch) => column(batch, 0);
const roles = (batch: EmbeddingBatch) => column(batch, 1);
const numbers = (batch: EmbeddingBatch) => column(batch, 2);

Deno.test("openEmbedder() tells what the model is and starts nothing", async () => {
  await using embedder = openFake(1, "stops_loading");
  assert.equal(embedder.dims, 4);
  assert.equal(embedder.modelId, "four@1");
  assert.equal(embedder.windowTokens, 512);
});

Deno.test.each([{ workers: 1 }, { workers: 3 }])(
  "embed() answers rows in the order given with $workers workers",
  async ({ workers }) => {
    await using embedder = openFake(workers);
    const texts = Array.from({ length: 64 }, (_, index) => `text ${index}`);
    const batch = await embedder.embed(texts, PASSAGE);
    assert.equal(batch.rows, 64);
    assert.equal(batch.dims, 4);
    assert.equal(batch.modelId, "four@1");
    assert.equal(batch.data.length, 256);
    assert.deepEqual(numbers(batch), [...texts.keys()]);
    assert.deepEqual(batch.cutRows, []);
    assert.deepEqual(batch.failedRows ?? [], []);
  },
);

Deno.test("embed() takes queries before passages", async () => {
  await using embedder = openFake();
  const passages = embedder.embed(["a 1", "a 2", "a 3"], PASSAGE);
  const first = embedder.embed(["q 1"], QUERY);
  const second = embedder.embed(["q 2", "q 3"], QUERY);
  assert.deepEqual(turns(await first), [1]);
  assert.deepEqual(turns(await second), [2, 3]);
  assert.deepEqual(turns(await passages), [4, 5, 6]);
  assert.deepEqual(roles(await passages), [0, 0, 0]);
  assert.deepEqual(roles(await second), [1, 1]);
});

Deno.test("embed() says which texts were cut", async () => {
  await using embedder = openFake(2);
  const batch = await embedder.embed(["cut 0", "a 1", "cut 2"], PASSAGE);
  assert.deepEqual(batch.cutRows, [0, 2]);
  assert.deepEqual(numbers(batch), [0, 1, 2]);
});

Deno.test("embed() says which texts the model failed on and gives the others whole", async () => {
  await using embedder = openFake();
  const batch = await embedder.embed(["a 1", "fail 2", "a 3"], PASSAGE);
  assert.deepEqual(batch.failedRows, [{ row: 1, message: "no such word" }]);
  assert.deepEqual(numbers(batch), [1, 0, 3]);
  assert.deepEqual([...batch.data.subarray(4, 8)], [0, 0, 0, 0]);
});

Deno.test.each([
  { rule: "no text", texts: [] },
  { rule: "65 texts", texts: Array.from({ length: 65 }, () => "a") },
  { rule: "an empty text", texts: ["a", ""] },
])("embed() refuses $rule", async ({ texts }) => {
  await using embedder = openFake(1, "stops_loading");
  assert.throws(() => embedder.embed(texts, PASSAGE), RangeError);
});

Deno.test("embed() ends as cancelled when its signal aborts, and the rest goes on", async () => {
  await using embedder = openFake();
  const controller = new AbortController();
  const dropped = embedder.embed(["a 1", "a 2"], {
    ...PASSAGE,
    signal: controller.signal,
  });
  const kept = embedder.embed(["a 3"], PASSAGE);
  controller.abort();
  await assert.rejects(dropped, hasCode("cancelled"));
  assert.deepEqual(turns(await kept), [1]);
});

Deno.test("embed() ends as cancelled when its signal aborts while a worker has the text", async () => {
  await using embedder = openFake(2);
  await embedder.embed(["a 1"], PASSAGE);
  const controller = new AbortController();
  const { signal } = controller;
  const dropped = embedder.embed(["hang"], { ...QUERY, signal });
  controller.abort();
  await assert.rejects(dropped, hasCode("cancelled"));
  assert.deepEqual(numbers(await embedder.embed(["a 2"], PASSAGE)), [2]);
});

Deno.test("embed() ends as cancelled at once when its signal has aborted before", async () => {
  await using embedder = openFake(1, "stops_loading");
  await assert.rejects(
    embedder.embed(["a"], { ...PASSAGE, signal: AbortSignal.abort() }),
    hasCode("cancelled"),
  );
});

Deno.test("close() ends what waits and what is under way as cancelled", async () => {
  const embedder = openFake();
  await embedder.embed(["a 1"], PASSAGE);
  const running = embedder.embed(["hang"], PASSAGE);
  const waiting = embedder.embed(["a 2"], QUERY);
  const results = Promise.allSettled([running, waiting]);
  await embedder.close();
  for (const result of await results) {
    assert.equal(result.status, "rejected");
    assert.ok(hasCode("cancelled")(result.reason));
  }
});

Deno.test("close() may be called twice, and nothing is embedded after it", async () => {
  const embedder = openFake();
  await embedder.close();
  await embedder.close();
  await assert.rejects(
    embedder.embed(["a"], PASSAGE),
    hasCode("cancelled"),
  );
});

Deno.test("embed() tries a text again when its worker crashed on it once", async () => {
  using temp = makeTempDir();
  await using embedder = openFake();
  const crash = `crash-once ${join(temp.path, "seen")} 2`;
  const batch = await embedder.embed(["a 1", crash, "a 3"], PASSAGE);
  assert.deepEqual(batch.failedRows ?? [], []);
  assert.deepEqual(numbers(batch), [1, 2, 3]);
  assert.deepEqual(turns(batch), [1, 1, 2]);
});

Deno.test.each([{ workers: 1 }, { workers: 2 }])(
  "embed() gives up one text that always crashes and keeps the others, with $workers workers",
  async ({ workers }) => {
    await using embedder = openFake(workers);
    const texts = ["a 1", "crash 2", "a 3", "a 4"];
    const batch = await embedder.embed(texts, PASSAGE);
    assert.deepEqual(batch.failedRows?.map(({ row }) => row), [1]);
    assert.match(batch.failedRows?.[0]?.message ?? "", /exit code 3/);
    assert.deepEqual(numbers(batch), [1, 0, 3, 4]);
    assert.deepEqual(numbers(await embedder.embed(["a 5"], QUERY)), [5]);
  },
);

Deno.test("embed() gives up many texts that crash without giving up the model", async () => {
  await using embedder = openFake();
  const batch = await embedder.embed(
    ["crash 0", "crash 1", "crash 2", "a 3"],
    PASSAGE,
  );
  assert.deepEqual(batch.failedRows?.map(({ row }) => row), [0, 1, 2]);
  assert.deepEqual(numbers(batch), [0, 0, 0, 3]);
});

Deno.test("embed() says model_unavailable when every worker stops while loading", async () => {
  await using embedder = openFake(2, "stops_loading");
  const calls = [
    embedder.embed(["a 1", "a 2"], PASSAGE),
    embedder.embed(["a 3"], QUERY),
  ];
  for (const call of calls) {
    await assert.rejects(
      call,
      hasCode("model_unavailable", "its worker stops"),
    );
  }
  await assert.rejects(
    embedder.embed(["a 4"], PASSAGE),
    hasCode("model_unavailable"),
  );
});

Deno.test("embed() says model_unavailable with the worker's words when it cannot load", async () => {
  await using embedder = openFake(2, "no_model");
  await assert.rejects(
    embedder.embed(["a 1", "a 2"], PASSAGE),
    hasCode("model_unavailable", "The weights are bad"),
  );
});
