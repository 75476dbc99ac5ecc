import assert from "node:assert/strict";
import { rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { KbError, type KbErrorCode } from "../../lib/core/mod.ts";
import { type Kb, openKb } from "../../lib/kb/mod.ts";
import { openStore } from "../../lib/store/mod.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { openTempKb } from "../helpers/temp_kb.ts";
import { assertIntact, countRows, plain } from "../helpers/temp_store.ts";

function hasCode(code: KbErrorCode, part = ""): (error: unknown) => boolean {
  return (error) =>
    error instanceof KbError && error.code === code &&
    error.message.includes(part);
}

Deno.test("list() pages, sorts and filters documents", async () => {
  let minute = 10;
  await using temp = openTempKb({
    now: () => `2026-01-01T00:${minute++}:00.000Z`,
  });
  const { kb } = temp;
  kb.addNote("first", { title: "b", tags: ["x"], collection: "memory" });
  kb.addNote("second", { title: "a", tags: ["x", "y"] });
  await kb.add(temp.folder({ "c.md": "third" }));
  const titles = (options: Parameters<Kb["list"]>[0]) =>
    kb.list(options).documents.map(({ title }) => title);
  assert.deepEqual(titles({}), ["c", "a", "b"]);
  assert.deepEqual(titles({ sort: "title" }), ["a", "b", "c"]);
  assert.deepEqual(titles({ tags: ["x"] }), ["a", "b"]);
  assert.deepEqual(titles({ tags: ["x", "y"] }), ["a"]);
  assert.deepEqual(titles({ docType: "markdown" }), ["c"]);
  assert.deepEqual(titles({ collection: "memory" }), ["b"]);
  assert.deepEqual(titles({ limit: 1, offset: 1 }), ["a"]);
  assert.equal(kb.list({ limit: 1 }).total, 3);
  assert.deepEqual(plain(kb.listTags()), [
    { name: "collection:documents", documents: 2 },
    { name: "collection:memory", documents: 1 },
    { name: "x", documents: 2 },
    { name: "y", documents: 1 },
  ]);
});

Deno.test.each([{ limit: 0 }, { limit: 10_001 }, { offset: -1 }, {
  limit: NaN,
}])(
  "list() refuses $limit documents from $offset",
  async (options) => {
    await using temp = openTempKb();
    assert.throws(() => temp.kb.list(options), RangeError);
  },
);

Deno.test("get() and info() find a document by id, docid and path, and a section by kbid", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const root = temp.folder({
    "a.md":
      "---\nauthor: Ann\ntags: [x]\n---\n# One\n\nalpha\n\n## Two\n\nbeta\n",
  });
  await kb.add(root);
  const path = join(root, "a.md");
  const info = kb.info(path);
  assert.equal(info.title, "One");
  assert.equal(info.path, path);
  assert.equal(info.collection, "documents");
  assert.deepEqual(info.tags, ["x"]);
  assert.equal(info.metadata["author"], "Ann");
  assert.deepEqual(info.warnings, []);
  assert.equal(info.updatedAt, null);
  assert.deepEqual(
    info.sections.map((s) => [s.headingPath, s.lineStart, s.lineEnd]),
    [[["One"], 5, 7], [["One", "Two"], 9, 11]],
  );
  for (const ref of [String(info.id), info.docid, path]) {
    assert.deepEqual(kb.info(ref), info);
    const { text } = kb.get(ref);
    assert.equal(text, "# One\n\nalpha\n\n## Two\n\nbeta");
  }
  const kbid = info.sections[1]!.kbid;
  const section = kb.get(kbid);
  assert.equal(section.kbid, kbid);
  assert.equal(section.text, "## Two\n\nbeta");
  assert.equal(section.document?.id, info.id);
});

Deno.test("get(), info() and remove() follow links to a path that was added", async () => {
  await using temp = openTempKb();
  const root = temp.folder({ "a.md": "alpha", "b/c.md": "gamma" });
  await temp.kb.add(root);
  const link = join(temp.dir, "..", "link");
  symlinkSync(root, link);
  assert.equal(temp.kb.get(join(link, "a.md")).text, "alpha");
  rmSync(join(root, "a.md"));
  assert.equal(temp.kb.info(join(link, "a.md")).path, join(root, "a.md"));
  assert.equal(temp.kb.remove(join(link, "b")).length, 1);
  assert.equal(temp.kb.remove(link).length, 1);
});

Deno.test.each([
  { what: "an id", ref: "999" },
  { what: "a docid", ref: "doc-nothing" },
  { what: "a path", ref: "no/such/file.md" },
  { what: "a kbid", ref: "0".repeat(26) },
  { what: "nothing", ref: "%" },
])(
  "get(), info() and remove() say not_found of $what that is unknown",
  async ({ ref }) => {
    await using temp = openTempKb();
    temp.kb.addNote("alpha");
    for (const name of ["get", "info", "remove"] as const) {
      assert.throws(() => temp.kb[name](ref), hasCode("not_found", ref));
    }
    assert.equal(temp.kb.list().total, 1);
  },
);

Deno.test("remove() takes out a document, or all below a folder, and says which", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const root = temp.folder({ "a/b.md": "x", "a/c/d.md": "y", "ab.md": "z" });
  await kb.add(root);
  const removed = kb.remove(join(root, "a"));
  assert.deepEqual(removed.map(({ path }) => path).sort(), [
    join(root, "a/b.md"),
    join(root, "a/c/d.md"),
  ]);
  assert.deepEqual(kb.remove(join(root, "ab.md")).map(({ title }) => title), [
    "ab",
  ]);
  assert.equal(kb.list().total, 0);
});

Deno.test("status() says what the base holds and how many chunks wait", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await kb.add(temp.folder({ "a.md": "# A\n\nalpha\n\n# B\n\nbeta" }));
  kb.addNote("gamma", { collection: "memory" });
  const before = kb.status();
  assert.equal(before.dir, temp.dir);
  assert.equal(before.documents, 2);
  assert.equal(before.sections, 3);
  assert.equal(before.chunks, 3);
  assert.deepEqual(before.documentsByType, { markdown: 1, note: 1 });
  assert.deepEqual(before.documentsByCollection, { documents: 1, memory: 1 });
  assert.ok(before.databaseBytes > 0);
  assert.equal(before.vectors.model, "fake@1");
  assert.equal(before.vectors.available, true);
  assert.equal(before.vectors.pendingChunks, 3);
  assert.ok(before.vectors.pendingTokens > 3);
  assert.equal(before.vectors.vectors, 0);
  assert.equal((await kb.embed()).embedded, 3);
  const after = kb.status().vectors;
  assert.equal(after.pendingChunks, 0);
  assert.equal(after.pendingTokens, 0);
  assert.equal(after.vectors, 3);
  assert.equal(after.otherVectors, 0);
});

Deno.test("status() tells vectors of another model apart, and search() does not use them", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("alpha beta");
  await temp.kb.embed();
  const other = fakeEmbedder({ modelId: "other@1" });
  await using kb = openKb({ dir: temp.dir, embedder: other });
  const { vectors } = kb.status();
  assert.equal(vectors.vectors, 0);
  assert.equal(vectors.otherVectors, 1);
  assert.equal(vectors.pendingChunks, 1);
  const answer = await kb.search("alpha");
  assert.deepEqual(answer.degraded, ["no_vectors"]);
  assert.equal(answer.hits.length, 1);
});

Deno.test("embed() asks no model when nothing waits", async () => {
  await using temp = openTempKb();
  assert.equal((await temp.kb.embed()).embedded, 0);
  temp.kb.addNote("alpha");
  await temp.kb.embed();
  await temp.kb.embed();
  assert.equal(temp.embedder.texts.length, 1);
});

Deno.test("add() and embed() do nothing for a folder that did not change", async () => {
  await using temp = openTempKb();
  const root = temp.folder({ "a.md": "alpha", "b.md": "beta" });
  await temp.kb.add(root);
  await temp.kb.embed();
  const again = await temp.kb.add(root);
  assert.deepEqual(again.counts, { unchanged: 2 });
  assert.equal(temp.kb.status().vectors.pendingChunks, 0);
  assert.equal((await temp.kb.embed()).embedded, 0);
});

Deno.test.each([
  { rule: "an empty tag", options: { tags: [""] } },
  { rule: "a tag of two lines", options: { tags: ["a\nb"] } },
  { rule: "a long tag", options: { tags: ["x".repeat(201)] } },
  { rule: "a collection as a tag", options: { tags: ["collection:x"] } },
  { rule: "a blank collection", options: { collection: " " } },
  {
    rule: "too many tags",
    options: { tags: Array.from({ length: 201 }, (_, i) => `t${i}`) },
  },
])("add() and addNote() refuse $rule", async ({ options }) => {
  await using temp = openTempKb();
  const root = temp.folder({ "a.md": "alpha" });
  await assert.rejects(temp.kb.add(root, options), hasCode("invalid_input"));
  assert.throws(
    () => temp.kb.addNote("alpha", options),
    hasCode("invalid_input"),
  );
  assert.equal(temp.kb.list().total, 0);
});

Deno.test.each([
  {
    rule: "a Chinese word of two characters",
    text: "我们学习成语接龙游戏",
    query: "成语",
  },
  {
    rule: "a Japanese word of two characters",
    text: "東京都に住んでいます",
    query: "東京",
  },
  { rule: "a Thai word", text: "ภาษาไทยไม่มีช่องว่าง", query: "ไทย" },
  {
    rule: "a word without its diacritics",
    text: "Das Café heißt Müller",
    query: "cafe muller",
  },
  {
    rule: "a word with diacritics the text lacks",
    text: "a cafe on the corner",
    query: "café",
  },
  {
    rule: "another form of a word",
    text: "the runner was running",
    query: "runs",
  },
  { rule: "another case", text: "SQLite Database", query: "sqlite DATABASE" },
  { rule: "the start of a word", text: "configuration", query: "config*" },
])("search() by word finds $rule", async ({ text, query }) => {
  await using temp = openTempKb();
  temp.kb.addNote("quite another text 完全不同");
  temp.kb.addNote(text);
  const answer = await temp.kb.search(query, { retriever: "fts" });
  assert.deepEqual(answer.hits.map((hit) => hit.text), [text]);
});

Deno.test("adding and removing leaves nothing in either index", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const root = temp.folder({ "a.md": "# A\n\nalpha", "b.md": "beta alpha" });
  for (let round = 0; round < 3; round++) {
    await kb.add(root);
    const note = kb.addNote("alpha note").documentId;
    await kb.embed();
    assert.equal((await kb.search("alpha")).hits.length, 3);
    kb.remove(root);
    kb.remove(String(note));
    for (const retriever of ["fts", "vector", "hybrid"] as const) {
      assert.deepEqual((await kb.search("alpha", { retriever })).hits, []);
    }
  }
  const { documents, sections, chunks, vectors } = kb.status();
  assert.deepEqual([documents, sections, chunks], [0, 0, 0]);
  assert.equal(vectors.vectors, 0);
  using store = openStore(join(temp.dir, "kb.db"));
  assert.equal(countRows(store, "chunk_vectors"), 0);
  assertIntact(store);
});

Deno.test("openKb() finds again what was stored before", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("alpha");
  await temp.kb.embed();
  await temp.kb.close();
  assert.equal(temp.embedder.closed, 1);
  await using kb = openKb({ dir: temp.dir, embedder: fakeEmbedder() });
  const answer = await kb.search("alpha");
  assert.equal(answer.hits.length, 1);
  assert.deepEqual(answer.degraded, []);
});

Deno.test("add() cuts chunks to the window of the embedder in use", async () => {
  await using temp = openTempKb({
    embedder: fakeEmbedder({ windowTokens: 40 }),
  });
  temp.kb.addNote("some words of a note that is long enough ".repeat(50));
  const report = await temp.kb.embed();
  assert.equal(report.cut, 0);
  assert.ok(report.embedded >= 10, `${report.embedded}`);
});
