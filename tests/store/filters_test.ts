import assert from "node:assert/strict";
import {
  type DocumentFilter,
  isRestricting,
  listAllowedChunks,
  listDocuments,
  matchChunks,
  type Store,
  toFilterSql,
  updateDocument,
} from "../../lib/store/mod.ts";
import {
  addDocument,
  chunksOf,
  openTempStore,
  toDocumentInput,
} from "../helpers/temp_store.ts";

function docidsOf(store: Store, filter: DocumentFilter): string[] {
  const where = toFilterSql(filter);
  return listDocuments(store, { where, limit: 100, offset: 0, sort: "title" })
    .documents.map((row) => row.docid);
}

const LOOKALIKES = [
  "auth",
  "authentication",
  "Auth",
  "a_b",
  "axb",
  "50%",
  "50",
  "500",
  "c++",
  "c",
  "日本",
  "日本語",
  "a'b",
  "a,b",
  "*",
  "",
];

Deno.test.each(LOOKALIKES.map((tag) => ({ tag })))(
  'toFilterSql() finds the tag "$tag" and none that looks like it',
  ({ tag }) => {
    using store = openTempStore();
    for (const name of LOOKALIKES) {
      addDocument(store, `doc ${name}`, { tags: [name] });
    }
    assert.deepEqual(docidsOf(store, { tags: [tag] }), [`doc ${tag}`]);
  },
);

Deno.test.each<{ rule: string; filter: DocumentFilter; docids: string[] }>([
  { rule: "everything without parts", filter: {}, docids: ["a", "b", "c"] },
  {
    rule: "everything with no tags",
    filter: { tags: [] },
    docids: ["a", "b", "c"],
  },
  {
    rule: "documents with all tags",
    filter: { tags: ["x", "y"] },
    docids: ["b"],
  },
  {
    rule: "nothing with a tag nobody has",
    filter: { tags: ["x", "z"] },
    docids: [],
  },
  { rule: "an exact type", filter: { docType: "note" }, docids: ["b", "c"] },
  { rule: "no type by its beginning", filter: { docType: "no" }, docids: [] },
  {
    rule: "an exact collection",
    filter: { collection: "memory" },
    docids: ["a", "b"],
  },
  {
    rule: "no collection in other case",
    filter: { collection: "Memory" },
    docids: [],
  },
  {
    rule: "changes at a moment or after it",
    filter: { after: "2026-02-01T00:00:00.000Z" },
    docids: ["b", "c"],
  },
  {
    rule: "changes before a moment",
    filter: { before: "2026-02-01T00:00:00.000Z" },
    docids: ["a"],
  },
  {
    rule: "a day by its date alone",
    filter: { after: "2026-02-01", before: "2026-02-02" },
    docids: ["b"],
  },
  {
    rule: "what meets every part",
    filter: { tags: ["x"], docType: "note", collection: "memory" },
    docids: ["b"],
  },
])("toFilterSql() keeps $rule", ({ filter, docids }) => {
  let time = "2026-01-01T00:00:00.000Z";
  using store = openTempStore(() => time);
  addDocument(store, "a", { tags: ["x", "collection:memory"] });
  time = "2026-02-01T00:00:00.000Z";
  addDocument(store, "b", {
    docType: "note",
    tags: ["x", "y", "collection:memory"],
  });
  const { id } = addDocument(store, "c", {
    docType: "note",
    tags: ["y", "collection:documents"],
    createdAt: "2025-01-01T00:00:00.000Z",
  });
  time = "2026-03-01T00:00:00.000Z";
  updateDocument(store, id, toDocumentInput("c", { docType: "note" }));
  assert.deepEqual(docidsOf(store, filter), docids);
});

Deno.test("toFilterSql() puts values nowhere but in its values", () => {
  const nasty = "' OR 1=1 --";
  const { sql, values } = toFilterSql({
    tags: [nasty],
    docType: nasty,
    collection: nasty,
    after: nasty,
    before: nasty,
  });
  assert.equal(sql.includes("OR 1=1"), false);
  assert.deepEqual(values, [
    nasty,
    `collection:${nasty}`,
    nasty,
    nasty,
    nasty,
  ]);
});

Deno.test.each<{ filter: DocumentFilter; restricts: boolean }>([
  { filter: {}, restricts: false },
  { filter: { tags: [] }, restricts: false },
  { filter: { tags: ["x"] }, restricts: true },
  { filter: { docType: "" }, restricts: true },
  { filter: { collection: "memory" }, restricts: true },
  { filter: { after: "2026" }, restricts: true },
  { filter: { before: "2026" }, restricts: true },
])(
  "isRestricting() answers $restricts for $filter",
  ({ filter, restricts }) => {
    assert.equal(isRestricting(filter), restricts);
  },
);

Deno.test("a filter restricts matchChunks() and listAllowedChunks()", () => {
  using store = openTempStore();
  const a = addDocument(store, "a", {
    texts: ["common first", "common second"],
    tags: ["auth"],
  });
  const b = addDocument(store, "b", {
    texts: ["common third"],
    tags: ["authentication"],
  });
  const ofA = a.sections.flatMap((id) => chunksOf(store, id));
  const ofB = b.sections.flatMap((id) => chunksOf(store, id));
  const found = (filter: DocumentFilter) =>
    matchChunks(store, "common", { limit: 10, filter })
      .map((hit) => hit.chunkId).toSorted();
  assert.deepEqual(found({}), [...ofA, ...ofB]);
  assert.deepEqual(found({ tags: ["auth"] }), ofA);
  assert.deepEqual(found({ tags: ["authentication"] }), ofB);
  assert.deepEqual(found({ tags: ["nobody"] }), []);
  assert.deepEqual(listAllowedChunks(store, { tags: ["auth"] }), new Set(ofA));
  assert.deepEqual(listAllowedChunks(store, {}), new Set([...ofA, ...ofB]));
  assert.deepEqual(listAllowedChunks(store, { tags: ["nobody"] }), new Set());
});

Deno.test("a filter lets a shared section through by any document that has it", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", { texts: ["common"] });
  addDocument(store, "b", { texts: ["common"], tags: ["x"] });
  const chunks = chunksOf(store, sections[0]);
  const filter = { tags: ["x"] };
  assert.deepEqual(listAllowedChunks(store, filter), new Set(chunks));
  assert.equal(matchChunks(store, "common", { limit: 10, filter }).length, 1);
});
