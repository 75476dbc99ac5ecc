import assert from "node:assert/strict";
import { KbError } from "../../lib/core/mod.ts";
import {
  countMatches,
  deleteDocument,
  listMatchingSections,
  matchChunks,
  optimizeFullText,
  refreshContext,
  type Store,
} from "../../lib/store/mod.ts";
import {
  addDocument,
  assertIntact,
  openTempStore,
} from "../helpers/temp_store.ts";

function textsFor(store: Store, expression: string): string[] {
  return matchChunks(store, expression, { limit: 100 }).map((hit) =>
    store.get<{ text: string }>(
      "SELECT text FROM chunk_texts WHERE id = ?",
      hit.chunkId,
    )?.text ?? "gone"
  );
}

Deno.test.each([
  { limit: 0 },
  { limit: -1 },
  { limit: 1001 },
  { limit: NaN },
  { limit: Infinity },
])("matchChunks() refuses a limit of $limit", ({ limit }) => {
  using store = openTempStore();
  assert.throws(() => matchChunks(store, "a", { limit }), RangeError);
});

Deno.test("matchChunks() gives the best first, with positive scores, up to the limit", () => {
  using store = openTempStore();
  addDocument(store, "a", {
    texts: [
      "apple apple apple",
      "apple and many other words that are not about fruit at all",
      "pear",
    ],
  });
  const hits = matchChunks(store, "apple", { limit: 1000 });
  assert.equal(hits.length, 2);
  const [first, second] = hits;
  assert.ok(first !== undefined && second !== undefined);
  assert.ok(first.score > second.score && second.score > 0);
  assert.deepEqual(matchChunks(store, "apple", { limit: 1 }), [first]);
});

Deno.test("matchChunks() gives [] when nothing matches", () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["apple"] });
  assert.deepEqual(matchChunks(store, "pear", { limit: 10 }), []);
});

Deno.test("matchChunks() weighs a word in the context above one in the text", () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["apple pie"], context: "pear cake" });
  addDocument(store, "b", { texts: ["pear pie"], context: "apple cake" });
  assert.deepEqual(textsFor(store, "apple"), ["pear pie", "apple pie"]);
});

Deno.test.each([
  { text: "running", query: "run" },
  { text: "Straße", query: "straße" },
  { text: "Café", query: "cafe" },
  { text: "ＡＢＣ １２", query: '"１２"' },
  { text: "Ελλάδα", query: "ΕΛΛΆΔΑ" },
  { text: "पुस्तकें", query: '"पुस्तकें"' },
  { text: "snake_case", query: '"snake case"' },
])('matchChunks() finds "$text" by $query', ({ text, query }) => {
  using store = openTempStore();
  addDocument(store, "a", { texts: [text] });
  assert.deepEqual(textsFor(store, query), [text]);
});

Deno.test("chunks_fts follows every insert, context update and delete", () => {
  using store = openTempStore();
  assertIntact(store);
  const a = addDocument(store, "a", {
    texts: ["alpha one", "shared two", "日本 three"],
    context: "before",
  });
  const b = addDocument(store, "b", { texts: ["shared two", "beta four"] });
  assertIntact(store);
  assert.equal(countMatches(store, "before"), 3);

  refreshContext(store, a.sections[0]!, "after");
  assertIntact(store);
  assert.deepEqual(textsFor(store, "after"), ["alpha one"]);

  deleteDocument(store, a.id);
  assertIntact(store);
  assert.deepEqual(textsFor(store, "alpha OR after OR three"), []);
  assert.deepEqual(textsFor(store, "shared"), ["shared two"]);

  deleteDocument(store, b.id);
  assertIntact(store);
  assert.equal(countMatches(store, "shared OR beta"), 0);
});

Deno.test("chunks_fts is as before after a write that is rolled back", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { texts: ["kept"] });
  assert.throws(() =>
    store.write(() => {
      deleteDocument(store, id);
      addDocument(store, "b", { texts: ["undone"] });
      throw new Error("stop");
    })
  );
  assert.deepEqual(textsFor(store, "kept OR undone"), ["kept"]);
  assertIntact(store);
});

Deno.test("chunks_fts tells by its integrity check when an entry is not what is stored", () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["kept"] });
  store.run("INSERT INTO chunks_fts(rowid, title, text) VALUES (1, '', 'x')");
  assert.throws(
    () => assertIntact(store),
    (error: unknown) => error instanceof KbError && error.code === "corrupt",
  );
});

Deno.test("countMatches() counts chunks, not words", () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["apple apple", "apple pear", "plum"] });
  assert.equal(countMatches(store, "apple"), 2);
  assert.equal(countMatches(store, "fig"), 0);
});

Deno.test("listMatchingSections() names each section once, up to the limit, within the filter", () => {
  using store = openTempStore();
  const a = addDocument(store, "a", { texts: ["apple", "pear"] });
  const b = addDocument(store, "b", { texts: ["apple pie"], tags: ["x"] });
  const [apple] = a.sections;
  const found = listMatchingSections(store, "apple", 10);
  assert.deepEqual(found.toSorted(), [apple, ...b.sections]);
  assert.equal(listMatchingSections(store, "apple", 1).length, 1);
  assert.deepEqual(
    listMatchingSections(store, "apple", 10, { tags: ["x"] }),
    b.sections,
  );
});

Deno.test("optimizeFullText() changes no answer", () => {
  using store = openTempStore();
  for (const name of ["a", "b", "c"]) {
    addDocument(store, name, { texts: [`apple ${name}`] });
  }
  const before = matchChunks(store, "apple", { limit: 10 });
  optimizeFullText(store);
  assert.deepEqual(matchChunks(store, "apple", { limit: 10 }), before);
  assertIntact(store);
});
