import assert from "node:assert/strict";
import {
  addTags,
  deleteDocument,
  listTags,
  listTagsOf,
  splitCollection,
} from "../../lib/store/mod.ts";
import { addDocument, openTempStore, plain } from "../helpers/temp_store.ts";

Deno.test("addTags() adds a tag once and leaves the others", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { tags: ["b"] });
  addTags(store, id, ["a", "b", "a"]);
  addTags(store, id, []);
  assert.deepEqual(listTagsOf(store, id), ["a", "b"]);
});

Deno.test("addTags() keeps tags apart that differ in case or mark only", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { tags: ["Auth", "auth", "áuth"] });
  assert.deepEqual(listTagsOf(store, id), ["Auth", "auth", "áuth"]);
});

Deno.test("addTags() replaces the collection a document had", () => {
  using store = openTempStore();
  const tags = ["x", "collection:documents"];
  const a = addDocument(store, "a", { tags });
  const b = addDocument(store, "b", { tags });
  addTags(store, a.id, ["collection:memory"]);
  assert.deepEqual(listTagsOf(store, a.id), ["collection:memory", "x"]);
  assert.deepEqual(listTagsOf(store, b.id), ["collection:documents", "x"]);
});

Deno.test("addTags() leaves one collection, the last, when given several", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", {
    tags: ["collection:a", "collection:b", "collection:a"],
  });
  assert.deepEqual(listTagsOf(store, id), ["collection:a"]);
});

Deno.test("addTags() keeps the collection when it is given again", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { tags: ["collection:a"] });
  addTags(store, id, ["collection:a", "y"]);
  assert.deepEqual(listTagsOf(store, id), ["collection:a", "y"]);
});

Deno.test("addTags() takes only the exact prefix for a collection", () => {
  using store = openTempStore();
  const tags = [
    "Collection:b",
    "collection",
    "collection:a",
    "collections:c",
    "my collection:d",
  ];
  const { id } = addDocument(store, "a", { tags });
  assert.deepEqual(listTagsOf(store, id), tags);
});

Deno.test("the schema keeps one collection a document by itself", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { tags: ["collection:a"] });
  addDocument(store, "b", { tags: ["collection:b"] });
  store.run(
    `INSERT INTO document_tags(document_id, tag_id)
     SELECT ?, id FROM tags WHERE name = 'collection:b'`,
    id,
  );
  assert.deepEqual(listTagsOf(store, id), ["collection:b"]);
});

Deno.test("listTags() counts documents, A to Z, collections included", () => {
  using store = openTempStore();
  assert.deepEqual(listTags(store), []);
  addDocument(store, "a", { tags: ["x", "日本", "collection:memory"] });
  addDocument(store, "b", { tags: ["x", "50%", "collection:memory"] });
  assert.deepEqual(plain(listTags(store)), [
    { name: "50%", documents: 1 },
    { name: "collection:memory", documents: 2 },
    { name: "x", documents: 2 },
    { name: "日本", documents: 1 },
  ]);
});

Deno.test("listTags() leaves out a tag that no document has any more", () => {
  using store = openTempStore();
  const { id } = addDocument(store, "a", { tags: ["x", "y"] });
  addDocument(store, "b", { tags: ["y"] });
  deleteDocument(store, id);
  assert.deepEqual(plain(listTags(store)), [{ name: "y", documents: 1 }]);
});

Deno.test.each([
  {
    tags: ["b", "collection:memory", "a"],
    own: ["b", "a"],
    collection: "memory",
  },
  { tags: ["a"], own: ["a"], collection: "documents" },
  { tags: [], own: [], collection: "documents" },
  { tags: ["Collection:x"], own: ["Collection:x"], collection: "documents" },
  { tags: ["collection:a:b"], own: [], collection: "a:b" },
])("splitCollection() parts $tags", ({ tags, own, collection }) => {
  assert.deepEqual(splitCollection(tags), { tags: own, collection });
});
