import assert from "node:assert/strict";
import { type ChunkId, type SectionId, toKbid } from "../../lib/core/mod.ts";
import {
  clearPlacements,
  findSection,
  getChunks,
  insertChunks,
  insertLink,
  listSections,
  listSectionsOfChunks,
  matchChunks,
  placeSection,
  putSection,
  refreshContext,
  removeOrphanSections,
} from "../../lib/store/mod.ts";
import {
  addDocument,
  assertIntact,
  chunksOf,
  countRows,
  embedAll,
  openTempStore,
  plain,
  putWithChunks,
  toSectionInput,
} from "../helpers/temp_store.ts";

const CHUNK = { lineStart: 0, lineEnd: 0, tokenCount: 1 } as const;

Deno.test("putSection() stores a text once and keeps the context it came with", () => {
  using store = openTempStore();
  const first = putWithChunks(store, toSectionInput("text", "first"));
  assert.equal(first.created, true);
  const again = putWithChunks(store, toSectionInput("text", "second"));
  assert.deepEqual(again, { id: first.id, created: false });
  assert.equal(countRows(store, "sections", "context = 'first'"), 1);
  assert.equal(countRows(store, "chunks"), 1);
});

Deno.test("insertChunks() passes over a section that is gone and stores the others", () => {
  using store = openTempStore();
  const { id } = putSection(store, toSectionInput("text"));
  const { chunks } = toSectionInput("text");
  insertChunks(store, [
    { sectionId: 99 as SectionId, chunks },
    { sectionId: id, chunks },
  ]);
  assert.equal(chunksOf(store, id).length, 1);
  assert.equal(countRows(store, "chunks"), 1);
  assertIntact(store);
});

Deno.test("putSection() keeps size and hash of the text's bytes", () => {
  using store = openTempStore();
  putSection(store, toSectionInput("é日"));
  assert.equal(countRows(store, "sections", "size = 5"), 1);
  assert.equal(
    countRows(store, "sections", "length(content_sha256) = 32"),
    1,
  );
});

Deno.test("insertChunks() cuts chunks by code points", () => {
  using store = openTempStore();
  const text = "😀a𝒳é日";
  const { id } = putWithChunks(store, {
    ...toSectionInput(text),
    chunks: [[0, 2], [2, 1], [3, 2]].map(([start = 0, length = 0]) => ({
      ...CHUNK,
      start,
      length,
    })),
  });
  const rows = getChunks(store, chunksOf(store, id));
  assert.deepEqual(rows.map((row) => row.text), ["😀a", "𝒳", "é日"]);
  assert.deepEqual(rows.map((row) => row.chunkIndex), [0, 1, 2]);
  assertIntact(store);
});

Deno.test("insertChunks() shows a chunk's own text and finds it by its search text", () => {
  using store = openTempStore();
  const { id } = putWithChunks(store, {
    ...toSectionInput("東京都 data:noise"),
    chunks: [{
      ...CHUNK,
      start: 0,
      length: 14,
      text: "東京都 …",
      searchText: "東京 都",
    }],
  });
  const [chunk] = getChunks(store, chunksOf(store, id));
  assert.equal(chunk?.text, "東京都 …");
  assert.equal(matchChunks(store, '"東京"', { limit: 1 }).length, 1);
  assert.equal(matchChunks(store, "noise", { limit: 1 }).length, 0);
  assertIntact(store);
});

Deno.test.each([
  { context: "", enriched: "text" },
  { context: "Title > Part", enriched: "Title > Part\n\ntext" },
])(
  "insertChunks() embeds a chunk with its context $context",
  ({ context, enriched }) => {
    using store = openTempStore();
    putWithChunks(store, toSectionInput("text", context));
    const row = store.get<{ text: string }>(
      "SELECT enriched_text AS text FROM chunk_texts",
    );
    assert.equal(row?.text, enriched);
  },
);

Deno.test("refreshContext() changes index and drops vectors of a section one document has", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", {
    texts: ["body"],
    context: "oldtitle",
  });
  embedAll(store);
  refreshContext(store, sections[0]!, "newtitle");
  assert.equal(matchChunks(store, "oldtitle", { limit: 1 }).length, 0);
  assert.equal(matchChunks(store, "newtitle", { limit: 1 }).length, 1);
  assert.equal(matchChunks(store, "body", { limit: 1 }).length, 1);
  assert.equal(countRows(store, "chunk_vectors"), 0);
  assertIntact(store);
});

Deno.test("refreshContext() keeps index and vectors when the context is the same", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", { texts: ["t"], context: "c" });
  embedAll(store);
  refreshContext(store, sections[0]!, "c");
  assert.equal(countRows(store, "chunk_vectors"), 1);
});

Deno.test("refreshContext() leaves a section that two documents have as it is", () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["body"], context: "first" });
  const { sections } = addDocument(store, "b", { texts: ["body"] });
  embedAll(store);
  refreshContext(store, sections[0]!, "second");
  assert.equal(countRows(store, "sections", "context = 'first'"), 1);
  assert.equal(countRows(store, "chunk_vectors"), 1);
  assertIntact(store);
});

Deno.test("refreshContext() changes a section that stands twice in one document", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", { texts: ["body", "body"] });
  refreshContext(store, sections[0]!, "new");
  assert.equal(countRows(store, "sections", "context = 'new'"), 1);
  assertIntact(store);
});

Deno.test("listSections() reads a document in its order", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a");
  const second = putWithChunks(store, { ...toSectionInput("B"), title: "Two" });
  const first = putWithChunks(store, toSectionInput("A"));
  placeSection(store, id, 1, second.id, {
    headingPath: ["One", "Two"],
    lineStart: 3,
    lineEnd: 9,
  });
  placeSection(store, id, 0, first.id, {
    headingPath: [],
    lineStart: 1,
    lineEnd: 2,
  });
  assert.deepEqual(listSections(store, id), [
    {
      id: first.id,
      kbid: toKbid("A"),
      sectionType: "text/plain",
      title: null,
      content: "A",
      description: null,
      headingPath: [],
      lineStart: 1,
      lineEnd: 2,
      page: null,
      chunkCount: 1,
    },
    {
      id: second.id,
      kbid: toKbid("B"),
      sectionType: "text/plain",
      title: "Two",
      content: "B",
      description: null,
      headingPath: ["One", "Two"],
      lineStart: 3,
      lineEnd: 9,
      page: null,
      chunkCount: 1,
    },
  ]);
});

Deno.test("clearPlacements() takes sections and links out of a document and keeps the sections", () => {
  using store = openTempStore();
  const { id, sections } = addDocument(store, "a", { texts: ["x", "y", "x"] });
  insertLink(store, id, sections[0]!, {
    type: "wikilink",
    target: "B",
    targetPath: null,
    label: "B",
    contextSnippet: "",
    line: 1,
  });
  const cleared = clearPlacements(store, id);
  assert.deepEqual(cleared.toSorted(), [...new Set(sections)].toSorted());
  assert.deepEqual(listSections(store, id), []);
  assert.equal(countRows(store, "links"), 0);
  assert.equal(countRows(store, "sections"), 2);
});

Deno.test("removeOrphanSections() removes only those that no document has", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", { texts: ["used"] });
  const orphan = putWithChunks(store, toSectionInput("orphan")).id;
  const other = putWithChunks(store, toSectionInput("not asked for")).id;
  embedAll(store);
  assert.equal(removeOrphanSections(store, [...sections, orphan, orphan]), 1);
  assert.equal(countRows(store, "sections", `id = ${orphan}`), 0);
  assert.equal(countRows(store, "sections", `id = ${other}`), 1);
  assert.equal(countRows(store, "chunk_vectors"), 2);
  assertIntact(store);
});

Deno.test("insertLink() refuses a kind of reference that does not exist", () => {
  using store = openTempStore();
  const { id, sections } = addDocument(store, "a", { texts: ["x"] });
  const sql =
    `INSERT INTO links(document_id, section_id, link_type, target, label, context_snippet, line)
     VALUES (?, ?, 'other', '', '', '', 1)`;
  assert.throws(() => store.run(sql, id, sections[0]!), /CHECK/);
});

Deno.test("getChunks() reads chunks in the order asked for and leaves out those that are gone", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", {
    texts: ["one\ntwo", "three"],
  });
  const [a = 0 as ChunkId] = chunksOf(store, sections[0]);
  const [b = 0 as ChunkId] = chunksOf(store, sections[1]);
  const rows = getChunks(store, [b, 999 as ChunkId, a]);
  assert.deepEqual(plain(rows), [
    {
      id: b,
      sectionId: sections[1],
      kbid: toKbid("three"),
      sectionType: "text/plain",
      title: null,
      context: "",
      chunkIndex: 0,
      text: "three",
      lineStart: 0,
      lineEnd: 0,
    },
    {
      id: a,
      sectionId: sections[0],
      kbid: toKbid("one\ntwo"),
      sectionType: "text/plain",
      title: null,
      context: "",
      chunkIndex: 0,
      text: "one\ntwo",
      lineStart: 0,
      lineEnd: 1,
    },
  ]);
});

Deno.test("listSectionsOfChunks() gives each section once and leaves out chunks that are gone", () => {
  using store = openTempStore();
  const span = (start: number) => ({ ...CHUNK, start, length: 3 });
  const a = putWithChunks(store, {
    ...toSectionInput("one two"),
    chunks: [span(0), span(4)],
  });
  const b = putWithChunks(store, toSectionInput("three"));
  const ids = [b, a].flatMap(({ id }) => chunksOf(store, id));
  assert.equal(ids.length, 3);
  assert.deepEqual(
    listSectionsOfChunks(store, [...ids, ...ids, 999 as ChunkId]),
    [a.id, b.id],
  );
  assert.deepEqual(listSectionsOfChunks(store, []), []);
});

Deno.test("removeOrphanSections() keeps what stands alone", () => {
  using store = openTempStore();
  const { id } = putSection(store, {
    ...toSectionInput("kept"),
    standalone: true,
  });
  assert.equal(removeOrphanSections(store, [id]), 0);
  assert.equal(countRows(store, "sections"), 1);
});

Deno.test("putSection() keeps the bytes of an image as they are", () => {
  using store = openTempStore();
  const content = new Uint8Array([0, 255, 10, 13]);
  putSection(store, {
    sectionType: "image/png",
    title: "A dot",
    description: "Small",
    context: "A dot",
    content,
  });
  const found = findSection(store, toKbid(content));
  assert.deepEqual(
    [found?.content, found?.size, found?.description],
    [content, 4, "Small"],
  );
});
