import assert from "node:assert/strict";
import { type DaemonSource, withDaemon } from "../../lib/client/mod.ts";
import { startRemote } from "../helpers/remote.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** Is never there. */
const NEVER: DaemonSource = {
  find: () => Promise.resolve(undefined),
  start: () => new Promise(() => {}),
};

/** Cannot be started. */
const NONE: DaemonSource = {
  find: () => Promise.resolve(undefined),
  start: () => Promise.resolve(undefined),
};

Deno.test("a search that a daemon is not ready for in time answers by word and says so", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("The valve sticks.");
  const engine = withDaemon(temp.kb, NEVER, { searchWaitMs: 20 });
  const answer = await engine.search("valve");
  assert.equal(answer.hits.length, 1);
  assert.deepEqual(answer.degraded, ["no_vectors"]);
  assert.match(answer.notes.join(" "), /found by word only; search again/);
  assert.deepEqual(temp.embedder.texts, []);
});

Deno.test("who waits for a daemon does so no longer than its signal lets it", async () => {
  await using temp = openTempKb();
  const engine = withDaemon(temp.kb, NEVER);
  for (const call of ["search", "embed"] as const) {
    const stopping = new AbortController();
    const { signal } = stopping;
    const work = call === "search"
      ? engine.search("valve", { signal })
      : engine.embed({ signal });
    stopping.abort();
    await assert.rejects(async () => await work, { code: "cancelled" });
  }
});

Deno.test("without a daemon this process does what needs the model", async () => {
  await using temp = openTempKb();
  const engine = withDaemon(temp.kb, NONE);
  await engine.addNote("The valve sticks.");
  assert.equal((await engine.embed()).embedded, 1);
  const { degraded } = await engine.search("valve");
  assert.deepEqual(degraded, []);
  const by = await engine.search("valve", { retriever: "vector" });
  assert.equal(by.hits.length, 1);
  assert.equal((await engine.list()).total, 1);
  const { changed } = await engine.updateNote("1", "The valve is new.");
  assert.ok(changed);
});

Deno.test("a daemon does what needs the model, and one that has ended is looked for again", async () => {
  await using temp = openTempKb();
  let starts = 0;
  const engine = withDaemon(temp.kb, {
    find: () => Promise.resolve(undefined),
    async start() {
      starts++;
      if (starts > 1) return undefined;
      const remote = await startRemote();
      await remote.engine.addNote("The daemon has another base.");
      ended = remote.server;
      return remote.engine;
    },
  });
  let ended: AsyncDisposable | undefined;
  assert.equal((await engine.search("another")).total, 1);
  assert.equal((await engine.embed()).embedded, 1);
  assert.equal((await engine.list()).total, 0);
  await ended?.[Symbol.asyncDispose]();
  temp.kb.addNote("Here is the word.");
  assert.equal((await engine.search("word")).hits.length, 1);
});
