import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { DocumentId, SectionId } from "../../lib/core/mod.ts";
import {
  findStandaloneByTitle,
  hasDocumentsBelow,
  insertLink,
  listAnchorRows,
  listLinksAfter,
  listLinksOf,
  listLinksToNames,
  listLinksToPath,
  listNamedByFile,
  listNamedByTitle,
  listPlacedHeads,
  putSection,
  type Store,
} from "../../lib/store/mod.ts";
import { SCHEMA_1 } from "../../lib/store/schema_1.ts";
import { SCHEMA_2 } from "../../lib/store/schema_2.ts";
import { SCHEMA_4 } from "../../lib/store/schema_4.ts";
import { addDocument, openTempStore, plain } from "../helpers/temp_store.ts";

function link(
  store: Store,
  from: { id: DocumentId; sections: SectionId[] },
  target: string,
  targetPath: string | null = null,
): void {
  insertLink(store, from.id, from.sections[0]!, {
    type: targetPath === null ? "wikilink" : "link",
    target,
    targetPath,
    label: "",
    contextSnippet: target,
    line: 1,
  });
}

Deno.test("listLinksToNames() finds names whole or with an anchor, ASCII case aside", () => {
  using store = openTempStore();
  const a = addDocument(store, "a", { texts: ["x"] });
  const b = addDocument(store, "b", { texts: ["y"] });
  for (const target of ["Note", "NOTE#One", "Note 2", "Note$", "other"]) {
    link(store, a, target);
  }
  link(store, b, "note");
  link(store, b, "Note", "/n/Note");
  const find = (
    names: string[],
    anchor: "whole" | "part",
    rest: { documentId?: DocumentId } = {},
  ) =>
    listLinksToNames(store, names, { anchor, limit: 9, ...rest }).map((it) =>
      it.target
    );
  assert.deepEqual(find(["nOte"], "whole"), ["Note", "note"]);
  assert.deepEqual(find(["note"], "part"), ["NOTE#One"]);
  assert.deepEqual(find(["other", "x", "note"], "whole"), [
    "other",
    "Note",
    "note",
  ]);
  assert.deepEqual(find(["note"], "whole", { documentId: b.id }), ["note"]);
  assert.equal(
    listLinksToNames(store, ["note"], { anchor: "whole", limit: 1 }).length,
    1,
  );
});

Deno.test("listLinksToPath() tells links to the whole from those to a part", () => {
  using store = openTempStore();
  const a = addDocument(store, "a", { texts: ["x"] });
  for (const target of ["b.md", "b.md#", "b.md#one"]) {
    link(store, a, target, "/b.md");
  }
  const find = (anchor: "whole" | "part") =>
    listLinksToPath(store, "/b.md", { anchor, limit: 9 }).map((it) =>
      it.target
    );
  assert.deepEqual(find("whole"), ["b.md", "b.md#"]);
  assert.deepEqual(find("part"), ["b.md#one"]);
});

Deno.test("listLinksOf() and listLinksAfter() read links in the order of storing", () => {
  using store = openTempStore();
  const a = addDocument(store, "a", { texts: ["x"] });
  const b = addDocument(store, "b", { texts: ["y"] });
  link(store, a, "1");
  link(store, b, "2");
  link(store, a, "3");
  assert.deepEqual(
    listLinksOf(store, a.sections[0]!, 9).map((it) => it.target),
    ["1", "3"],
  );
  const first = listLinksAfter(store, 0, 2);
  assert.deepEqual(first.map((it) => it.target), ["1", "2"]);
  assert.deepEqual(
    listLinksAfter(store, first[1]!.id, 2).map((it) => it.target),
    ["3"],
  );
});

Deno.test("documents are found by title and by file name, whatever the separator", () => {
  using store = openTempStore();
  addDocument(store, "a", { title: "The Title", sourcePath: "/x/Note.md" });
  addDocument(store, "b", { title: "b", sourcePath: "C:\\x\\note.txt" });
  addDocument(store, "c", { title: "c", sourcePath: "Note" });
  addDocument(store, "d", { title: "d", sourcePath: "/x/notes.md" });
  const docids = (name: string) =>
    listNamedByFile(store, name, 9).map(({ docid }) => docid).sort();
  assert.deepEqual(docids("note"), ["a", "b", "c"]);
  assert.deepEqual(docids("NOTE.MD"), ["a"]);
  assert.deepEqual(docids("x"), []);
  assert.deepEqual(
    listNamedByTitle(store, "the title", 9).map(({ docid }) => docid),
    ["a"],
  );
  assert.equal(hasDocumentsBelow(store, "/x"), true);
  assert.equal(hasDocumentsBelow(store, "/x/Note"), false);
});

Deno.test("findStandaloneByTitle() finds only sections that stand alone", () => {
  using store = openTempStore();
  const input = { sectionType: "text/plain", context: "" };
  putSection(store, { ...input, title: "One", content: "a" });
  const { id } = putSection(store, {
    ...input,
    title: "one",
    content: "b",
    standalone: true,
  });
  assert.equal(findStandaloneByTitle(store, "ONE"), id);
});

Deno.test("listPlacedHeads() reads both ways and listAnchorRows() leaves out what has no anchor", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { texts: ["0", "1", "2", "3"] });
  const positions = (from: number, direction: "up" | "down") =>
    listPlacedHeads(store, id, { from, limit: 2, direction })
      .map(({ position }) => position);
  assert.deepEqual(positions(1, "up"), [1, 2]);
  assert.deepEqual(positions(2, "down"), [2, 1]);
  assert.deepEqual(positions(-1, "down"), []);
  assert.deepEqual(plain(listAnchorRows(store, id)), []);
});

Deno.test("no lookup by name or path reads a whole table", () => {
  using store = openTempStore();
  const plans = [
    `SELECT 1 FROM json_each('["a"]') k CROSS JOIN links l
     ON l.target_path IS NULL AND l.target = k.value COLLATE NOCASE`,
    `SELECT 1 FROM json_each('["a"]') k CROSS JOIN links l ON l.target_path IS NULL
     AND l.target >= k.value || '#' COLLATE NOCASE AND l.target < k.value || '$' COLLATE NOCASE
     WHERE ? IS NULL OR l.document_id = ?`,
    "SELECT 1 FROM links l WHERE l.target_path = ? AND l.target NOT LIKE '%#_%'",
    "SELECT 1 FROM documents WHERE title = ? COLLATE NOCASE",
    "SELECT 1 FROM documents WHERE file_name >= ? || '.' COLLATE NOCASE AND file_name < ? || '/' COLLATE NOCASE",
    "SELECT 1 FROM documents WHERE file_name = ? COLLATE NOCASE",
    "SELECT id FROM sections WHERE standalone = 1 AND title = ? COLLATE NOCASE",
  ];
  for (const sql of plans) {
    const details = store.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`)
      .map(({ detail }) => detail).filter((detail) => !/\bk\b/.test(detail));
    assert.ok(details.length > 0, sql);
    for (const detail of details) assert.match(detail, /^SEARCH/, sql);
  }
});

Deno.test("schema 4 makes names of the wiki links of an older base", () => {
  const db = new DatabaseSync(":memory:");
  db.exec(SCHEMA_1 + SCHEMA_2);
  db.exec(`
    INSERT INTO sections(id, kbid, section_type, content, size, content_sha256, created_at)
    VALUES (1, 'k', 'text/plain', 'x', 1, x'00', '');
    INSERT INTO links(section_id, link_type, target, target_path, label, context_snippet, line)
    VALUES (1, 'wikilink', 'A', '/n/A', '', '', 1), (1, 'link', 'a.md', '/n/a.md', '', '', 1)`);
  db.exec(SCHEMA_4);
  const rows = db.prepare("SELECT target_path AS path FROM links ORDER BY id")
    .all();
  assert.deepEqual(rows.map(({ path }) => path), [null, "/n/a.md"]);
  db.close();
});
