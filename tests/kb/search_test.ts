import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { KbError, type KbErrorCode } from "../../lib/core/mod.ts";
import {
  type DocumentFilter,
  type Kb,
  openKb,
  type SearchAnswer,
} from "../../lib/kb/mod.ts";
import { openStore } from "../../lib/store/mod.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { openTempKb } from "../helpers/temp_kb.ts";
import { countRows } from "../helpers/temp_store.ts";

function hasCode(code: KbErrorCode, part = ""): (error: unknown) => boolean {
  return (error) =>
    error instanceof KbError && error.code === code &&
    error.message.includes(part);
}

/** Titles of the documents that were hit, best first. */
function titlesOf(answer: SearchAnswer): string[] {
  return answer.hits.map((hit) => hit.documentTitle ?? "");
}

/** Adds notes by title, in the order given. */
function addNotes(kb: Kb, notes: Readonly<Record<string, string>>): void {
  for (const [title, text] of Object.entries(notes)) {
    kb.addNote(text, { title });
  }
}

Deno.test("search() finds by word and by meaning, and puts what both like first", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  addNotes(kb, {
    near: "boiler manual pressure valve",
    both: "boiler manual pressure valve spare key",
    word: "key",
    far: "entirely unrelated things",
  });
  await kb.embed();
  const answer = await kb.search("boiler manual spare key");
  assert.deepEqual(answer.degraded, []);
  assert.deepEqual(answer.notes, []);
  assert.equal(titlesOf(answer)[0], "both");
  // Found by their vectors too, so that even what shares no word is in the ranking.
  assert.deepEqual(titlesOf(answer).toSorted(), [
    "both",
    "far",
    "near",
    "word",
  ]);
  assert.equal(answer.total, 4);
  const [hit] = answer.hits;
  assert.equal(hit?.rank, 1);
  assert.equal(hit?.docType, "note");
  assert.equal(hit?.path, null);
  assert.deepEqual(hit?.matchedTerms, ["boiler", "manual", "spare", "key"]);
  for (const { score } of answer.hits) assert.ok(score >= 0 && score <= 1);
});

Deno.test("search() by vector only finds what shares no exact word form", async () => {
  await using temp = openTempKb();
  addNotes(temp.kb, { a: "red green blue", b: "one two three" });
  await temp.kb.embed();
  const answer = await temp.kb.search("green blue", { retriever: "vector" });
  assert.deepEqual(titlesOf(answer), ["a", "b"]);
});

Deno.test("search() by fts needs no model and says nothing of vectors", async () => {
  await using temp = openTempKb({ model: "no-such-model" });
  addNotes(temp.kb, { a: "alpha beta", b: "gamma" });
  const answer = await temp.kb.search("alpha", { retriever: "fts" });
  assert.deepEqual(titlesOf(answer), ["a"]);
  assert.deepEqual(answer.degraded, []);
  assert.deepEqual(answer.notes, []);
});

Deno.test("search() by fts does not ask the embedder", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("alpha");
  await temp.kb.search("alpha", { retriever: "fts" });
  assert.deepEqual(temp.embedder.texts, []);
});

Deno.test("search() and searchStats() keep to a path and to metadata, by word and by meaning", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const folder = temp.folder({
    "a.md": "---\nowner: ann\n---\n# A\n\nboiler manual\n",
    "b.md": "---\nowner: bob\n---\n# B\n\nboiler manual\n",
  });
  await kb.add(folder);
  await kb.embed();
  for (const retriever of ["fts", "vector", "hybrid"] as const) {
    const titles = async (filter: DocumentFilter) =>
      titlesOf(await kb.search("boiler manual", { retriever, ...filter }));
    assert.deepEqual(await titles({ sourcePath: join(folder, "b.md") }), ["B"]);
    assert.deepEqual(await titles({ metadata: { owner: "ann" } }), ["A"]);
    assert.deepEqual(await titles({ metadata: { owner: "eve" } }), []);
  }
  const { byType } = kb.searchStats("boiler", { metadata: { owner: "ann" } });
  assert.deepEqual(byType, { markdown: 1 });
});

Deno.test.each([
  { what: "is unknown", model: "no-such-model", says: "no such model" },
  {
    what: "is a missing folder",
    model: "./no/such/folder",
    says: "is missing",
  },
])("a model that $what never breaks keyword search", async (row) => {
  await using temp = openTempKb({ model: row.model });
  const { kb } = temp;
  await kb.add(temp.folder({ "a.md": "alpha beta" }));
  const answer = await kb.search("alpha");
  assert.deepEqual(titlesOf(answer), ["a"]);
  assert.deepEqual(answer.degraded, ["no_vectors"]);
  assert.ok(answer.notes.some((note) => note.includes(row.says)));
  const { vectors } = kb.status();
  assert.equal(vectors.available, false);
  assert.ok(vectors.problem?.includes(row.says));
  assert.equal(vectors.pendingChunks, 1);
  await assert.rejects(kb.embed(), hasCode("model_unavailable", row.says));
  await assert.rejects(
    kb.search("alpha", { retriever: "vector" }),
    hasCode("model_unavailable", row.says),
  );
});

Deno.test("search() says no_vectors while nothing is embedded, and what to run", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("alpha");
  const answer = await temp.kb.search("alpha");
  assert.equal(answer.hits.length, 1);
  assert.deepEqual(answer.degraded, ["no_vectors"]);
  assert.deepEqual(answer.notes, ["No text has a vector yet; run: kbdb embed"]);
  assert.deepEqual(temp.embedder.texts, []);
});

Deno.test("search() says vectors_pending while some chunks wait, and still finds them", async () => {
  await using temp = openTempKb();
  addNotes(temp.kb, { a: "alpha one" });
  await temp.kb.embed();
  addNotes(temp.kb, { b: "alpha two", c: "alpha three" });
  const answer = await temp.kb.search("alpha");
  assert.deepEqual(answer.degraded, ["vectors_pending"]);
  assert.match(answer.notes.join(), /^2 chunks have no vector yet/);
  assert.deepEqual(titlesOf(answer).toSorted(), ["a", "b", "c"]);
});

Deno.test("search() counts the chunks that wait again after each change, another process's too", async () => {
  await using temp = openTempKb();
  await using other = openKb({ dir: temp.dir, embedder: fakeEmbedder() });
  const { kb } = temp;
  const waiting = async () => {
    const { notes } = await kb.search("alpha");
    assert.deepEqual((await kb.search("alpha")).notes, notes);
    return Number(notes[0]?.match(/^\d+/)?.[0] ?? 0);
  };
  kb.addNote("alpha one");
  await kb.embed();
  assert.equal(await waiting(), 0);
  const own = kb.addNote("alpha two");
  assert.equal(await waiting(), 1);
  other.addNote("alpha three");
  assert.equal(await waiting(), 2);
  kb.remove(String(own.documentId));
  assert.equal(await waiting(), 1);
  await other.embed();
  assert.equal(await waiting(), 0);
});

Deno.test("search() falls back to words when the embedder fails on the query", async () => {
  await using temp = openTempKb({
    embedder: fakeEmbedder({ failOn: "poison" }),
  });
  temp.kb.addNote("alpha");
  await temp.kb.embed();
  const answer = await temp.kb.search("alpha poison");
  assert.equal(answer.hits.length, 1);
  assert.deepEqual(answer.degraded, ["no_vectors"]);
  assert.match(answer.notes.join(), /failed on the query/);
});

Deno.test("search() stores nothing", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("alpha");
  await temp.kb.search("alpha");
  using store = openStore(join(temp.dir, "kb.db"));
  assert.equal(countRows(store, "models"), 0);
});

Deno.test("search() sees vectors that another connection made", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("alpha");
  assert.deepEqual((await temp.kb.search("alpha")).degraded, ["no_vectors"]);
  await using other = openKb({ dir: temp.dir, embedder: fakeEmbedder() });
  await other.embed();
  assert.deepEqual((await temp.kb.search("alpha")).degraded, []);
  other.addNote("beta");
  await other.embed();
  const answer = await temp.kb.search("beta", { retriever: "vector" });
  assert.equal(answer.hits[0]?.text, "beta");
});

Deno.test("search() ends as cancelled when its signal aborts", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("alpha");
  await temp.kb.embed();
  await assert.rejects(
    temp.kb.search("alpha", { signal: AbortSignal.abort() }),
    hasCode("cancelled"),
  );
});

Deno.test.each([
  { limit: 0 },
  { limit: 101 },
  { limit: 1.5 },
  { limit: NaN },
  { offset: -1 },
  { offset: 1001 },
  { threshold: 1.1 },
  { threshold: NaN },
  { vectorWeight: 2 },
])(
  "search() refuses limit $limit, offset $offset, threshold $threshold, weight $vectorWeight",
  async (options) => {
    await using temp = openTempKb();
    temp.kb.addNote("alpha");
    await assert.rejects(temp.kb.search("alpha", options), RangeError);
  },
);

Deno.test.each([{ query: "" }, { query: " ?! … " }, { query: "tag:x" }])(
  'search() answers "$query", which has no word, with nothing and a note',
  async ({ query }) => {
    await using temp = openTempKb();
    temp.kb.addNote("alpha", { tags: ["x"] });
    const answer = await temp.kb.search(query);
    assert.deepEqual(answer, {
      hits: [],
      total: 0,
      degraded: [],
      notes: ["The query has no word to search for"],
    });
  },
);

Deno.test("search() refuses a query above the limit", async () => {
  await using temp = openTempKb();
  await assert.rejects(
    temp.kb.search("x".repeat(10_001)),
    hasCode("invalid_query"),
  );
});

Deno.test("search() explains ranks, scores and times when asked", async () => {
  await using temp = openTempKb();
  addNotes(temp.kb, { a: "alpha beta", b: "gamma" });
  await temp.kb.embed();
  const plain = await temp.kb.search("alpha beta");
  assert.equal(plain.timings, undefined);
  assert.equal(plain.hits[0]?.explanation, undefined);
  const { hits, timings } = await temp.kb.search("alpha beta", {
    explain: true,
  });
  const [first, second] = hits.map((hit) => hit.explanation);
  assert.equal(first?.lexicalRank, 1);
  assert.equal(first?.vectorRank, 1);
  assert.ok((first?.lexicalScore ?? 0) > 0);
  assert.ok(Math.abs(first?.cosine ?? 2) <= 1);
  assert.equal(second?.lexicalRank, undefined);
  assert.equal(second?.vectorRank, 2);
  assert.ok((first?.vectorWeight ?? 2) <= 1);
  assert.deepEqual(Object.keys(timings ?? {}).sort(), [
    "embedMs",
    "fuseMs",
    "lexicalMs",
    "vectorMs",
  ]);
  for (const ms of Object.values(timings ?? {})) assert.ok(ms >= 0);
});

Deno.test("search() tells the lines of a hit in its file", async () => {
  await using temp = openTempKb();
  const root = temp.folder({
    "a.md": "---\ntitle: T\n---\n\n# One\n\nalpha\n\n# Two\n\nbeta\n",
  });
  await temp.kb.add(root);
  const { hits: [hit] } = await temp.kb.search("beta", { retriever: "fts" });
  assert.deepEqual([hit?.lineStart, hit?.lineEnd], [9, 11]);
  assert.deepEqual(hit?.headingPath, ["Two"]);
  assert.equal(hit?.documentTitle, "T");
});

Deno.test("searchStats() counts chunks by word, and documents by type and collection", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("alpha beta", { collection: "memory" });
  await kb.add(temp.folder({ "a.md": "alpha" }));
  assert.deepEqual(kb.searchStats("alpha beta gamma"), {
    terms: [
      { term: "alpha", chunks: 2 },
      { term: "beta", chunks: 1 },
      { term: "gamma", chunks: 0 },
    ],
    byType: { markdown: 1, note: 1 },
    byCollection: { documents: 1, memory: 1 },
  });
});

Deno.test("a changed file is found by its new text only, in both indexes", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const root = temp.folder({ "a.md": "alpha words", "b.md": "beta" });
  await kb.add(root);
  await kb.embed();
  await kb.search("alpha");
  writeFileSync(join(root, "a.md"), "omega words");
  await kb.add(root);
  await kb.embed();
  assert.deepEqual(
    (await kb.search("alpha", { retriever: "fts" })).hits,
    [],
  );
  const { hits } = await kb.search("omega", { retriever: "vector" });
  assert.deepEqual(hits.map((hit) => hit.text), ["omega words", "beta"]);
});
