import assert from "node:assert/strict";
import type { DocumentId } from "../../lib/core/mod.ts";
import {
  deleteDocument,
  findDocument,
  findDocumentsBy,
  insertDocument,
  insertLink,
  listDocuments,
  listSources,
  listTagsOf,
  matchChunks,
  type SourceStat,
  toFilterSql,
  touchSource,
  updateDocument,
} from "../../lib/store/mod.ts";
import {
  addDocument,
  assertIntact,
  chunksOf,
  countRows,
  embedAll,
  NOW,
  openTempStore,
  toDocumentInput,
} from "../helpers/temp_store.ts";

const STAT: SourceStat = { sizeBytes: 12, mtimeMs: 1000.5, seenMs: 2000 };
const NOBODY = 999 as DocumentId;
const LINK = {
  type: "link",
  target: "b.md",
  targetPath: "/notes/b.md",
  label: "b",
  contextSnippet: "See b.",
  line: 1,
} as const;

Deno.test("insertDocument() stores all it is given", () => {
  using store = openTempStore();
  const input = toDocumentInput("doc-a", {
    title: "Ein Titel ✓",
    docType: "markdown",
    mime: "text/markdown",
    sourcePath: "/notes/a.md",
    metadata: { tags: ["x"], nested: { n: 1, none: null } },
    warnings: ["One line was cut"],
    createdAt: "2025-12-31T00:00:00.000Z",
  });
  const id = insertDocument(store, input, STAT);
  assert.deepEqual(findDocument(store, id), { ...input, id, updatedAt: null });
});

Deno.test("insertDocument() takes the store's time when the source tells none", () => {
  using store = openTempStore();
  const id = insertDocument(store, toDocumentInput("a"));
  assert.equal(findDocument(store, id)?.createdAt, NOW);
});

Deno.test("insertDocument() refuses a docid that is taken", () => {
  using store = openTempStore();
  insertDocument(store, toDocumentInput("a"));
  assert.throws(() => insertDocument(store, toDocumentInput("a")), /UNIQUE/);
});

Deno.test("insertDocument() never gives an id a second time", () => {
  using store = openTempStore();
  const first = insertDocument(store, toDocumentInput("a"));
  deleteDocument(store, first);
  assert.ok(insertDocument(store, toDocumentInput("a")) > first);
});

Deno.test("updateDocument() keeps id, docid, tags and creation time and notes the change", () => {
  let time = "2026-01-01T00:00:00.000Z";
  using store = openTempStore(() => time);
  const { id } = addDocument(store, "a", { tags: ["kept"] });
  time = "2026-02-01T00:00:00.000Z";
  const input = toDocumentInput("a", { title: "New", contentHash: "ff" });
  updateDocument(store, id, input);
  assert.deepEqual(findDocument(store, id), {
    ...input,
    id,
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-02-01T00:00:00.000Z",
  });
  assert.deepEqual(listTagsOf(store, id), ["kept"]);
});

Deno.test("touchSource() notes the newer look and nothing else", () => {
  using store = openTempStore();
  const input = toDocumentInput("a", { sourcePath: "/a" });
  const id = insertDocument(store, input, STAT);
  const before = findDocument(store, id);
  const newer = { ...STAT, mtimeMs: 3000, seenMs: 4000 };
  touchSource(store, id, newer);
  assert.deepEqual(listSources(store, "/a", "/").get("/a")?.stat, newer);
  assert.deepEqual(findDocument(store, id), before);
});

Deno.test.each([
  { root: "/n/a", found: ["/n/a/b.md", "/n/a/\u{10fffd}.md", "/n/a/日本.md"] },
  { root: "/n/a/", found: ["/n/a/b.md", "/n/a/\u{10fffd}.md", "/n/a/日本.md"] },
  { root: "/n/a.md", found: ["/n/a.md"] },
  { root: "/n/%", found: [] },
  {
    root: "/",
    found: [
      "/n/a.md",
      "/n/a/b.md",
      "/n/a/\u{10fffd}.md",
      "/n/a/日本.md",
      "/n/ab.md",
    ],
  },
])(
  "listSources() finds the files at or below $root only",
  ({ root, found }) => {
    using store = openTempStore();
    const paths = [
      "/n/a.md",
      "/n/a/b.md",
      "/n/a/日本.md",
      "/n/a/\u{10fffd}.md",
      "/n/ab.md",
      "named note",
    ];
    for (const path of paths) {
      insertDocument(store, toDocumentInput(path, { sourcePath: path }), STAT);
    }
    insertDocument(store, toDocumentInput("no path"));
    assert.deepEqual(
      [...listSources(store, root, "/").keys()].sort(),
      found.toSorted(),
    );
  },
);

Deno.test("listSources() says what is known of a file", () => {
  using store = openTempStore();
  const a = toDocumentInput("a", { sourcePath: "/a" });
  const b = toDocumentInput("b", { sourcePath: "/b" });
  const idA = insertDocument(store, a, STAT);
  const idB = insertDocument(store, b);
  const sources = listSources(store, "/", "/");
  assert.deepEqual(sources.get("/a"), {
    id: idA,
    contentHash: a.contentHash,
    stat: STAT,
  });
  assert.deepEqual(sources.get("/b"), {
    id: idB,
    contentHash: b.contentHash,
    stat: undefined,
  });
});

Deno.test("findDocument() gives undefined for an id that is not there", () => {
  using store = openTempStore();
  assert.equal(findDocument(store, NOBODY), undefined);
});

Deno.test.each(
  [
    { column: "docid", value: "a", found: ["a"] },
    { column: "source_path", value: "/x", found: ["a", "b"] },
    { column: "content_hash", value: "00", found: ["a", "b"] },
    { column: "docid", value: "A", found: [] },
  ] as const,
)(
  "findDocumentsBy() finds by $column = $value, oldest first",
  ({ column, value, found }) => {
    using store = openTempStore();
    for (const docid of ["a", "b"]) {
      addDocument(store, docid, { sourcePath: "/x", contentHash: "00" });
    }
    addDocument(store, "c");
    assert.deepEqual(
      findDocumentsBy(store, column, value).map((row) => row.docid),
      found,
    );
  },
);

Deno.test("deleteDocument() removes sections, chunks, index entries, vectors, links and tags", () => {
  using store = openTempStore();
  const { id, sections } = addDocument(store, "a", {
    texts: ["first text", "second text"],
    tags: ["x", "collection:memory"],
  });
  for (const section of sections) insertLink(store, id, section, LINK);
  embedAll(store);
  assert.equal(countRows(store, "chunk_vectors"), 2);

  assert.equal(deleteDocument(store, id), true);
  const tables = [
    "documents",
    "sections",
    "document_sections",
    "chunks",
    "chunks_fts_docsize",
    "chunk_vectors",
    "links",
    "document_tags",
  ];
  for (const table of tables) assert.equal(countRows(store, table), 0, table);
  assert.deepEqual(matchChunks(store, "text", { limit: 10 }), []);
  assertIntact(store);
});

Deno.test("deleteDocument() leaves a section that another document has, with chunks, index and vectors", () => {
  using store = openTempStore();
  const a = addDocument(store, "a", { texts: ["own words", "shared words"] });
  const b = addDocument(store, "b", { texts: ["shared words"] });
  const [, shared] = a.sections;
  assert.deepEqual(b.sections, [shared]);
  insertLink(store, a.id, shared!, LINK);
  insertLink(store, b.id, shared!, LINK);
  embedAll(store);

  deleteDocument(store, a.id);
  assert.equal(countRows(store, "sections"), 1);
  assert.equal(countRows(store, "chunk_vectors"), 1);
  assert.equal(countRows(store, "links", `document_id = ${b.id}`), 1);
  assert.equal(countRows(store, "links"), 1);
  assert.deepEqual(
    matchChunks(store, "words", { limit: 10 }).map((hit) => hit.chunkId),
    chunksOf(store, shared),
  );
  assertIntact(store);

  deleteDocument(store, b.id);
  assert.equal(countRows(store, "sections"), 0);
  assertIntact(store);
});

Deno.test("deleteDocument() removes a section that stands twice in one document", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { texts: ["same", "same"] });
  assert.equal(countRows(store, "sections"), 1);
  deleteDocument(store, id);
  assert.equal(countRows(store, "sections"), 0);
  assertIntact(store);
});

Deno.test("deleteDocument() lets the same content be added again", () => {
  using store = openTempStore();
  const document = { texts: ["same words"], tags: ["x"] };
  const first = addDocument(store, "a", document);
  const [oldChunk] = chunksOf(store, first.sections[0]);
  embedAll(store);
  deleteDocument(store, first.id);

  const second = addDocument(store, "a", document);
  const [newChunk] = chunksOf(store, second.sections[0]);
  assert.notEqual(newChunk, oldChunk);
  assert.deepEqual(
    matchChunks(store, "words", { limit: 10 }).map((hit) => hit.chunkId),
    [newChunk],
  );
  assert.equal(countRows(store, "chunk_vectors"), 0);
  assert.deepEqual(listTagsOf(store, second.id), ["x"]);
  assertIntact(store);
});

Deno.test("deleteDocument() keeps the jobs of a document without their reference", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a");
  store.run(
    "INSERT INTO jobs(kind, document_id, created_at) VALUES ('add', ?, ?)",
    id,
    NOW,
  );
  deleteDocument(store, id);
  assert.equal(countRows(store, "jobs", "document_id IS NULL"), 1);
});

Deno.test("deleteDocument() answers false for an id that is not there", () => {
  using store = openTempStore();
  assert.equal(deleteDocument(store, NOBODY), false);
});

Deno.test.each(
  [
    { sort: "recent", docids: ["b", "c", "a"] },
    { sort: "title", docids: ["b", "a", "c"] },
    { sort: "path", docids: ["c", "b", "a"] },
  ] as const,
)("listDocuments() sorts by $sort", ({ sort, docids }) => {
  let time = "2026-01-05T00:00:00.000Z";
  using store = openTempStore(() => time);
  addDocument(store, "a", {
    title: "beta",
    sourcePath: "/3",
    createdAt: "2026-01-01T00:00:00.000Z",
  });
  const { id } = addDocument(store, "b", {
    title: "Alpha",
    sourcePath: "/2",
    createdAt: "2026-01-02T00:00:00.000Z",
  });
  addDocument(store, "c", {
    title: "Gamma",
    sourcePath: "/1",
    createdAt: "2026-01-03T00:00:00.000Z",
  });
  time = "2026-01-06T00:00:00.000Z";
  updateDocument(
    store,
    id,
    toDocumentInput("b", { title: "Alpha", sourcePath: "/2" }),
  );
  const { documents, total } = listDocuments(store, {
    where: toFilterSql({}),
    limit: 10,
    offset: 0,
    sort,
  });
  assert.deepEqual(documents.map((row) => row.docid), docids);
  assert.equal(total, 3);
});

Deno.test("listDocuments() pages through what passes the filter and counts it all", () => {
  using store = openTempStore();
  for (const docid of ["a", "b", "c", "d"]) {
    addDocument(store, docid, { tags: docid === "c" ? [] : ["x"] });
  }
  const where = toFilterSql({ tags: ["x"] });
  const page = (offset: number) =>
    listDocuments(store, { where, limit: 2, offset, sort: "title" });
  assert.deepEqual(page(0).documents.map((row) => row.docid), ["a", "b"]);
  assert.deepEqual(page(2).documents.map((row) => row.docid), ["d"]);
  assert.deepEqual(page(4), { documents: [], total: 3 });
});
