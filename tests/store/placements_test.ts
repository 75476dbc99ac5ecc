import assert from "node:assert/strict";
import type { SectionId } from "../../lib/core/mod.ts";
import {
  listPlacementsOf,
  placeSection,
  updateDocument,
} from "../../lib/store/mod.ts";
import {
  addDocument,
  openTempStore,
  toDocumentInput,
} from "../helpers/temp_store.ts";

Deno.test("listPlacementsOf() says where a section stands, and of which document", () => {
  using store = openTempStore();
  const { id, sections } = addDocument(store, "doc-a", {
    texts: ["text"],
    title: "A",
    docType: "markdown",
    sourcePath: "/notes/a.md",
    createdAt: "2026-01-01T00:00:00.000Z",
  });
  const [section = 0 as SectionId] = sections;
  assert.deepEqual(listPlacementsOf(store, section, {}), [{
    documentId: id,
    docid: "doc-a",
    documentTitle: "A",
    docType: "markdown",
    sourcePath: "/notes/a.md",
    headingPath: ["doc-a"],
    lineStart: 1,
    lineEnd: 1,
    page: null,
    exactLines: true,
    updatedAt: "2026-01-01T00:00:00.000Z",
  }]);
});

Deno.test("listPlacementsOf() goes by document, then by position", () => {
  using store = openTempStore();
  addDocument(store, "other", { texts: ["other"] });
  const { id, sections } = addDocument(store, "a", { texts: ["t", "x", "t"] });
  addDocument(store, "b", { texts: ["t"] });
  const [section = 0 as SectionId] = sections;
  placeSection(store, id, 10, section, {
    headingPath: [],
    lineStart: 99,
    lineEnd: 100,
  });
  const places = listPlacementsOf(store, section, {});
  assert.deepEqual(
    places.map((row) => [row.docid, row.lineStart, row.headingPath]),
    [["a", 1, ["a"]], ["a", 3, ["a"]], ["a", 99, []], ["b", 1, ["b"]]],
  );
  assert.equal(places[0]?.sourcePath, null);
});

Deno.test("listPlacementsOf() keeps documents that pass the filter", () => {
  using store = openTempStore();
  const { sections } = addDocument(store, "a", { texts: ["t"], tags: ["x"] });
  addDocument(store, "b", { texts: ["t"], docType: "note" });
  const [section = 0 as SectionId] = sections;
  const docids = (filter: Parameters<typeof listPlacementsOf>[2]) =>
    listPlacementsOf(store, section, filter).map((row) => row.docid);
  assert.deepEqual(docids({ tags: ["x"] }), ["a"]);
  assert.deepEqual(docids({ docType: "note" }), ["b"]);
  assert.deepEqual(docids({ tags: ["x"], docType: "note" }), []);
});

Deno.test("listPlacementsOf() gives the time of the last change", () => {
  let time = "2026-01-01T00:00:00.000Z";
  using store = openTempStore(() => time);
  const { id, sections } = addDocument(store, "a", { texts: ["t"] });
  time = "2026-02-01T00:00:00.000Z";
  updateDocument(store, id, toDocumentInput("a"));
  const [section = 0 as SectionId] = sections;
  assert.equal(listPlacementsOf(store, section, {})[0]?.updatedAt, time);
});

Deno.test("listPlacementsOf() gives nothing for a section that is not there", () => {
  using store = openTempStore();
  assert.deepEqual(listPlacementsOf(store, 9 as SectionId, {}), []);
});
