import assert from "node:assert/strict";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

Deno.test("updateNote() replaces the text and keeps ids, tags and creation time", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { documentId } = kb.addNote("The spare key hangs behind the boiler.", {
    docid: "key",
    tags: ["home"],
    collection: "memory",
  });
  await kb.embed();
  const before = kb.info("key");
  const { document, changed, degraded } = await kb.updateNote(
    "key",
    "The spare key is under the mat.",
  );
  assert.deepEqual([changed, degraded], [true, []]);
  assert.deepEqual(
    [document.id, document.docid, document.tags, document.collection],
    [documentId, "key", ["home"], "memory"],
  );
  assert.equal(document.createdAt, before.createdAt);
  assert.notEqual(document.updatedAt, null);
  assert.equal(document.title, "The spare key is under the mat.");
  assert.equal(kb.get("key").text, "The spare key is under the mat.");
  assert.notEqual(kb.info("key").contentHash, before.contentHash);
  assert.deepEqual((await kb.search("boiler", { retriever: "fts" })).hits, []);
  const found = await kb.search("mat", { retriever: "vector" });
  assert.equal(found.hits[0]?.docid, "key");
  assert.equal(kb.status().vectors.pendingChunks, 0);
  assert.equal((await kb.check()).ok, true);
});

Deno.test("updateNote() makes several chunks of a long text, each with its vector", async () => {
  await using temp = openTempKb({
    embedder: fakeEmbedder({ windowTokens: 64 }),
  });
  const { kb } = temp;
  kb.addNote("short", { docid: "n" });
  await kb.embed();
  const text = Array.from(
    { length: 60 },
    (_, n) => `Sentence number ${n} of this note, with 🚀 in it.`,
  )
    .join("\n\n");
  await kb.updateNote("n", text);
  assert.ok((kb.info("n").sections[0]?.chunkCount ?? 0) > 3);
  assert.equal(kb.status().vectors.pendingChunks, 0);
});

Deno.test("updateNote() leaves a note as it was when a vector fails", async () => {
  await using temp = openTempKb({
    embedder: fakeEmbedder({ failOn: "poison" }),
  });
  const { kb } = temp;
  kb.addNote("before", { docid: "n" });
  await kb.embed();
  await assert.rejects(kb.updateNote("n", "poison"), {
    code: "model_unavailable",
    message: /it is as it was/,
  });
  assert.equal(kb.get("n").text, "before");
  assert.equal(kb.info("n").updatedAt, null);
  assert.deepEqual(kb.noteHistory("n"), []);
  assert.equal(
    (await kb.search("before", { retriever: "vector" })).hits.length,
    1,
  );
});

Deno.test("updateNote() works without a model and says what is missing", async () => {
  await using temp = openTempKb({ model: "nowhere" });
  const { kb } = temp;
  kb.addNote("before", { docid: "n" });
  const { degraded } = await kb.updateNote("n", "after");
  assert.deepEqual(degraded, ["no_vectors"]);
  assert.equal(kb.get("n").text, "after");
});

Deno.test("updateNote() changes nothing for the same text", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("same", { docid: "n" });
  assert.equal((await kb.updateNote("n", "same\r\n")).changed, false);
  assert.equal(kb.info("n").updatedAt, null);
});

Deno.test.each([
  {
    rule: "a document that is not there",
    ref: "99",
    text: "a",
    code: "not_found",
  },
  {
    rule: "a document that is no note",
    ref: "doc",
    text: "a",
    code: "invalid_input",
  },
  { rule: "a blank text", ref: "n", text: " ", code: "invalid_input" },
  {
    rule: "a text with a NUL character",
    ref: "n",
    text: "a\0",
    code: "invalid_input",
  },
])("updateNote() refuses $rule", async ({ ref, text, code }) => {
  await using temp = openTempKb();
  temp.kb.addNote("note", { docid: "n" });
  temp.kb.learn("text", { docid: "doc" });
  await assert.rejects(temp.kb.updateNote(ref, text), { code });
  assert.equal(temp.kb.get("n").text, "note");
});

Deno.test("updateNote() keeps a section that another note has too", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("one", { docid: "a", title: "A" });
  kb.addNote("two", { docid: "b", title: "B" });
  await kb.updateNote("b", "one");
  await kb.updateNote("a", "three");
  assert.equal(kb.get("b").text, "one");
  assert.equal((await kb.check()).ok, true);
});

Deno.test("noteHistory(), diffNote() and restoreNote() bring back what a note said", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("# Key\n\nbehind the boiler", { docid: "n" });
  await kb.updateNote("n", "# Key\n\nunder the mat");
  await kb.updateNote("n", "# Keys\n\nunder the mat");
  assert.deepEqual(
    kb.noteHistory("n").map((
      { version, title, content },
    ) => [version, title, content]),
    [[1, "Key", "# Key\n\nbehind the boiler"], [
      2,
      "Key",
      "# Key\n\nunder the mat",
    ]],
  );
  const diff = kb.diffNote("n", { from: 1 });
  assert.match(diff, /^-behind the boiler$/m);
  assert.match(diff, /^\+under the mat$/m);
  assert.equal(kb.diffNote("n", { from: 1, to: 1 }), "");
  const { document } = await kb.restoreNote("n", 1);
  assert.equal(document.title, "Key");
  assert.equal(kb.get("n").text, "# Key\n\nbehind the boiler");
  assert.equal(kb.noteHistory("n").length, 3);
  await assert.rejects(kb.restoreNote("n", 9), {
    code: "not_found",
    message: /1 to 3/,
  });
  assert.throws(() => kb.diffNote("n", { from: 9 }), { code: "not_found" });
});

Deno.test("tag() adds and removes tags, moves between collections, and dates the change", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("note", { docid: "n", tags: ["a"] });
  const moved = kb.tag("n", {
    add: ["b", "collection:memory"],
    remove: ["a", "x"],
  });
  assert.deepEqual([moved.tags, moved.collection], [["b"], "memory"]);
  assert.notEqual(moved.updatedAt, null);
  assert.deepEqual(
    kb.tag("n", { remove: ["collection:memory"] }).collection,
    "documents",
  );
  assert.throws(() => kb.tag("n", { add: ["a\nb"] }), {
    code: "invalid_input",
  });
  assert.throws(() => kb.tag("n", { add: ["collection: "] }), {
    code: "invalid_input",
  });
  assert.throws(() => kb.tag("gone", { add: ["a"] }), { code: "not_found" });
});

Deno.test("tag() of what is there already changes nothing", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("note", { docid: "n", tags: ["a"] });
  assert.equal(
    kb.tag("n", { add: ["a", "collection:documents"] }).updatedAt,
    null,
  );
});
