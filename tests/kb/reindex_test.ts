import assert from "node:assert/strict";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

Deno.test("reindex() makes every vector anew while search by meaning goes on", async () => {
  let onEmbed: (() => Promise<void>) | undefined;
  const embedder = fakeEmbedder({ onEmbed: async () => await onEmbed?.() });
  await using temp = openTempKb({ embedder });
  const { kb } = temp;
  for (const text of ["the boiler hums", "the relay clicks"]) kb.addNote(text);
  await kb.embed();
  let found = 0;
  onEmbed = async () => {
    onEmbed = undefined;
    kb.addNote("stored meanwhile");
    const { hits } = await kb.search("boiler hums", { retriever: "vector" });
    found = hits.length;
  };
  const seen: number[] = [];
  const report = await kb.reindex({
    onProgress: ({ done }) => seen.push(done),
  });
  assert.equal(found, 2);
  assert.ok(report.embedded >= 2);
  assert.ok(seen.length > 0);
  await kb.embed();
  const status = kb.status();
  assert.deepEqual(
    [
      status.vectors.vectors,
      status.vectors.pendingChunks,
      status.vectors.otherVectors,
    ],
    [3, 0, 0],
  );
  assert.equal(
    (await kb.search("boiler hums", { retriever: "vector" })).hits.length,
    3,
  );
  assert.equal((await kb.check()).ok, true);
});

Deno.test("reindex() keeps the old vectors when it is stopped, and drops those of other models", async () => {
  await using other = openTempKb({
    embedder: fakeEmbedder({ modelId: "old@1" }),
  });
  other.kb.addNote("the boiler hums");
  await other.kb.embed();
  await using temp = openTempKb({ dir: other.dir });
  const { kb } = temp;
  await kb.embed();
  assert.equal(kb.status().vectors.otherVectors, 1);
  await assert.rejects(kb.reindex({ signal: AbortSignal.abort() }), {
    code: "cancelled",
  });
  assert.equal(
    (await kb.search("boiler", { retriever: "vector" })).hits.length,
    1,
  );
  await kb.reindex();
  assert.equal(kb.status().vectors.otherVectors, 0);
  assert.equal(kb.status().vectors.vectors, 1);
});
