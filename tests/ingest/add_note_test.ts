import assert from "node:assert/strict";
import { KbError, type KbErrorCode, LIMITS } from "../../lib/core/mod.ts";
import { addNote, type NoteInput } from "../../lib/ingest/mod.ts";
import {
  deleteDocument,
  findDocument,
  listSections,
  listTagsOf,
  matchChunks,
  type Store,
} from "../../lib/store/mod.ts";
import { WORDS } from "../helpers/temp_kb.ts";
import {
  addDocument,
  assertIntact,
  countRows,
  NOW,
  openTempStore,
} from "../helpers/temp_store.ts";

function add(store: Store, text: string, rest: Partial<NoteInput> = {}) {
  return addNote(store, { ...rest, text }, WORDS);
}

Deno.test("addNote() stores a document of type note with one section", () => {
  using store = openTempStore();
  const text = "# One\n\nalpha\n\n## Two\n\nbeta";
  const { state, documentId } = add(store, text, {
    tags: ["t"],
    collection: "memory",
    docid: "my-note",
  });
  assert.equal(state, "indexed");
  const document = findDocument(store, documentId);
  assert.equal(document?.docType, "note");
  assert.equal(document?.docid, "my-note");
  assert.equal(document?.title, "One");
  assert.equal(document?.sourcePath, null);
  assert.equal(document?.createdAt, NOW);
  assert.deepEqual(listTagsOf(store, documentId), ["collection:memory", "t"]);
  const [section, ...others] = listSections(store, documentId);
  assert.deepEqual(others, []);
  assert.equal(section?.content, text);
  assert.equal(section?.lineStart, 1);
  assert.equal(section?.lineEnd, 7);
  for (const word of ["alpha", "beta"]) {
    assert.equal(matchChunks(store, word, { limit: 9 }).length, 1);
  }
  assertIntact(store);
});

Deno.test.each([
  { rule: "the title given", text: "# Heading\n\nx", title: "T", is: "T" },
  { rule: "the first heading", text: "# Heading\n\nx", is: "Heading" },
  { rule: "the first line", text: "first line\nsecond", is: "first line" },
  { rule: "the first line without marks", text: "- item\n- x", is: "item" },
  {
    rule: "the start of a long line",
    text: "x".repeat(200),
    is: `${"x".repeat(80)}…`,
  },
])("addNote() takes $rule as title", ({ text, title, is }) => {
  using store = openTempStore();
  const { documentId } = add(store, text, title === undefined ? {} : { title });
  assert.equal(findDocument(store, documentId)?.title, is);
});

Deno.test("addNote() puts a note into the collection documents and makes up a docid", () => {
  using store = openTempStore();
  const { documentId } = add(store, "alpha");
  assert.deepEqual(listTagsOf(store, documentId), ["collection:documents"]);
  assert.match(findDocument(store, documentId)?.docid ?? "", /^doc-\w{12}$/);
});

Deno.test("addNote() cuts a long note into chunks of one section", () => {
  using store = openTempStore();
  const { documentId } = add(store, "some words ".repeat(1000));
  const [section] = listSections(store, documentId);
  assert.ok((section?.chunkCount ?? 0) >= 5, `${section?.chunkCount}`);
});

Deno.test.each([
  { rule: "the same text", text: "alpha\nbeta" },
  { rule: "other line ends", text: "alpha\r\nbeta" },
  { rule: "white space around it", text: "\n alpha\nbeta\n\n" },
  { rule: "a byte order mark", text: "\ufeffalpha\nbeta" },
])("addNote() skips a note with $rule", ({ text }) => {
  using store = openTempStore();
  const first = add(store, "alpha\nbeta");
  const second = add(store, text, { title: "Another", tags: ["t"] });
  assert.deepEqual(second, {
    state: "skipped",
    documentId: first.documentId,
  });
  assert.equal(countRows(store, "documents"), 1);
});

Deno.test("addNote() does not skip for a file that has the same text", () => {
  using store = openTempStore();
  addDocument(store, "file", { texts: ["alpha"], contentHash: "a" });
  assert.equal(add(store, "alpha").state, "indexed");
  assert.equal(countRows(store, "sections"), 1);
  assertIntact(store);
});

Deno.test("addNote() takes a note in again after it was deleted", () => {
  using store = openTempStore();
  const first = add(store, "alpha");
  deleteDocument(store, first.documentId);
  const second = add(store, "alpha");
  assert.equal(second.state, "indexed");
  assert.notEqual(second.documentId, first.documentId);
  assert.equal(matchChunks(store, "alpha", { limit: 9 }).length, 1);
  assertIntact(store);
});

Deno.test.each<
  { rule: string; note: NoteInput; code: KbErrorCode; says: RegExp }
>([
  {
    rule: "no text",
    note: { text: "" },
    code: "invalid_input",
    says: /no text/,
  },
  {
    rule: "white space only",
    note: { text: " \r\n\t\ufeff" },
    code: "invalid_input",
    says: /no text/,
  },
  {
    rule: "a NUL character",
    note: { text: "a\0b" },
    code: "invalid_input",
    says: /NUL/,
  },
  {
    rule: "a text above the limit",
    note: { text: "x".repeat(LIMITS.noteChars + 1) },
    code: "invalid_input",
    says: /1048577 characters.*1048576/,
  },
  {
    rule: "a docid that is taken",
    note: { text: "omega", docid: "taken" },
    code: "conflict",
    says: /"taken"/,
  },
])("addNote() refuses $rule and stores nothing", ({ note, code, says }) => {
  using store = openTempStore();
  addDocument(store, "taken");
  assert.throws(
    () => addNote(store, note, WORDS),
    (error: unknown) =>
      error instanceof KbError && error.code === code &&
      says.test(error.message),
  );
  assert.equal(countRows(store, "documents"), 1);
  assert.equal(countRows(store, "sections"), 0);
});
