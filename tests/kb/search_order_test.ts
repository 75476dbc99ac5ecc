import assert from "node:assert/strict";
import { join } from "node:path";
import { KbError, type KbErrorCode } from "../../lib/core/mod.ts";
import type { Kb, SearchAnswer } from "../../lib/kb/mod.ts";
import { seededRandom } from "../helpers/random_vectors.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

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

/** A base with one document in the collection `small` beside 300 nearer ones in `big`. */
async function openLopsided() {
  const temp = openTempKb();
  for (let i = 0; i < 300; i++) {
    temp.kb.addNote(`alpha beta ${i}`, { title: "n", collection: "big" });
  }
  temp.kb.addNote("alpha and many other words that lead away from the query", {
    title: "wanted",
    collection: "small",
    tags: ["auth"],
  });
  temp.kb.addNote("alpha elsewhere", {
    title: "other",
    tags: ["authentication"],
  });
  await temp.kb.embed();
  return temp;
}

Deno.test("search() applies filters inside both retrievers, so that a small collection beside a big one is not starved", async () => {
  await using temp = await openLopsided();
  const filters = [
    { query: "alpha beta", options: { collection: "small" } },
    { query: "alpha beta", options: { tags: ["auth"] } },
    { query: "alpha beta in:small", options: {} },
    { query: "alpha beta tag:auth", options: {} },
  ];
  for (const retriever of ["fts", "vector", "hybrid"] as const) {
    for (const { query, options } of filters) {
      const answer = await temp.kb.search(query, { ...options, retriever });
      assert.deepEqual(titlesOf(answer), ["wanted"], `${retriever} ${query}`);
      assert.equal(answer.total, 1);
    }
    const none = await temp.kb.search("alpha", { tags: ["aut"], retriever });
    assert.deepEqual(none.hits, []);
  }
});

Deno.test("search() pages through a ranking without gaps or repeats", async () => {
  await using temp = openTempKb();
  // Words the query does not have and forms only the index joins, so that both legs disagree.
  const random = seededRandom(5);
  const times = (word: string, most: number) =>
    `${word} `.repeat(1 + Math.floor(random() * most));
  for (let i = 0; i < 500; i++) {
    temp.kb.addNote(
      `${times("alphas", 6)}${times("betas", 6)}u${i} v${i} ${times("x", 20)}`,
      { title: "n" },
    );
  }
  await temp.kb.embed();
  for (const retriever of ["fts", "vector", "hybrid"] as const) {
    const seen: number[] = [];
    let scoreMax = 1;
    for (let offset = 0; offset < 500; offset += 50) {
      const options = { retriever, limit: 50, offset };
      const { hits } = await temp.kb.search("alpha beta", options);
      for (const [index, { rank, score, chunkId }] of hits.entries()) {
        assert.equal(rank, offset + index + 1);
        assert.ok(score <= scoreMax);
        scoreMax = score;
        seen.push(chunkId);
      }
    }
    assert.equal(seen.length, 500, retriever);
    assert.equal(new Set(seen).size, 500, retriever);
  }
});

Deno.test("search() fills a page from deeper down when many hits share a document", async () => {
  await using temp = openTempKb();
  const sections = Array.from(
    { length: 260 },
    (_, i) => `# S${i}\n\nalpha ${i}`,
  );
  const root = temp.folder({
    "a.md": sections.join("\n\n"),
    "b.md": "alpha and quite a few other words that make it the last of all",
  });
  await temp.kb.add(root);
  await temp.kb.embed();
  const answer = await temp.kb.search("alpha", { groupBy: "document" });
  assert.deepEqual(answer.hits.map((hit) => hit.path), [
    join(root, "a.md"),
    join(root, "b.md"),
  ]);
  assert.equal(answer.total, 2);
});

Deno.test("search() by vector looks past hits that an exclusion takes out", async () => {
  await using temp = openTempKb();
  for (let i = 0; i < 250; i++) {
    temp.kb.addNote(`alpha gpu ${i}`, { title: "n" });
  }
  temp.kb.addNote("other words", { title: "wanted" });
  await temp.kb.embed();
  const answer = await temp.kb.search("alpha -gpu", { retriever: "vector" });
  assert.deepEqual(titlesOf(answer), ["wanted"]);
});

Deno.test("search() filters by type and by time", async () => {
  let day = 1;
  await using temp = openTempKb({
    now: () => `2026-01-0${day}T00:00:00.000Z`,
  });
  const { kb } = temp;
  kb.addNote("alpha note", { title: "note" });
  day = 5;
  await kb.add(temp.folder({ "file.md": "alpha file" }));
  await kb.embed();
  const titles = async (query: string) => titlesOf(await kb.search(query));
  assert.deepEqual(await titles("alpha type:note"), ["note"]);
  assert.deepEqual(await titles("alpha type:markdown"), ["file"]);
  assert.deepEqual(await titles("alpha after:2026-01-03"), ["file"]);
  assert.deepEqual(await titles("alpha before:2026-01-03"), ["note"]);
  await assert.rejects(
    kb.search("alpha after:tomorrow"),
    hasCode("invalid_query", "after:tomorrow"),
  );
});

Deno.test("search() keeps exclusions and phrases for hits found by vector", async () => {
  await using temp = openTempKb();
  addNotes(temp.kb, {
    a: "red fox jumps",
    b: "red dog fox",
    c: "fox red gpu",
  });
  await temp.kb.embed();
  for (const retriever of ["fts", "vector", "hybrid"] as const) {
    const titles = async (query: string) =>
      titlesOf(await temp.kb.search(query, { retriever })).toSorted();
    assert.deepEqual(await titles("red fox -gpu"), ["a", "b"], retriever);
    assert.deepEqual(await titles('"red fox"'), ["a"], retriever);
    assert.deepEqual(await titles('fox -"red fox"'), ["b", "c"], retriever);
  }
});

Deno.test("search() gives a text that stands in three documents one place", async () => {
  await using temp = openTempKb();
  const text = "# Shared\n\nalpha beta\n";
  const root = temp.folder({
    "a.md": text,
    "b.md": text,
    "c.md": `# Own\n\nomega\n\n${text}`,
  });
  await temp.kb.add(root);
  await temp.kb.embed();
  const { hits, total } = await temp.kb.search("alpha beta");
  assert.equal(hits.length, 2);
  assert.equal(total, 2);
  const [hit] = hits;
  assert.equal(hit?.path, join(root, "a.md"));
  assert.equal(hit?.lineStart, 1);
  assert.deepEqual(
    hit?.alsoIn.map(({ path, lineStart }) => [path, lineStart]),
    [[join(root, "b.md"), 1], [join(root, "c.md"), 5]],
  );
});

Deno.test("search() shows only places that pass the filter", async () => {
  await using temp = openTempKb();
  const one = temp.folder({ "a.md": "alpha beta" });
  const two = temp.folder({ "b.md": "alpha beta" });
  await temp.kb.add(one, { collection: "one" });
  await temp.kb.add(two, { collection: "two" });
  await temp.kb.embed();
  const { hits } = await temp.kb.search("alpha", { collection: "two" });
  assert.equal(hits.length, 1);
  assert.equal(hits[0]?.path, join(two, "b.md"));
  assert.deepEqual(hits[0]?.alsoIn, []);
});

Deno.test("search() by document gives each document one place", async () => {
  await using temp = openTempKb();
  const root = temp.folder({
    "a.md": "# A\n\nalpha one\n\n# B\n\nalpha two\n\n# C\n\nalpha three\n",
    "b.md": "alpha four",
  });
  await temp.kb.add(root);
  await temp.kb.embed();
  const sections = await temp.kb.search("alpha");
  assert.equal(sections.hits.length, 4);
  assert.equal(sections.total, 4);
  const documents = await temp.kb.search("alpha", { groupBy: "document" });
  assert.deepEqual(titlesOf(documents).toSorted(), ["A", "b"]);
  assert.equal(documents.total, 2);
});

Deno.test("search() leaves out hits below the threshold", async () => {
  await using temp = openTempKb();
  addNotes(temp.kb, {
    a: "alpha beta",
    b: "alpha other words",
    c: "unrelated",
  });
  await temp.kb.embed();
  const all = (await temp.kb.search("alpha beta")).hits;
  const threshold = all[1]?.score ?? 1;
  const { hits } = await temp.kb.search("alpha beta", { threshold });
  assert.deepEqual(
    hits.map(({ chunkId }) => chunkId),
    all.slice(0, 2).map(({ chunkId }) => chunkId),
  );
});
