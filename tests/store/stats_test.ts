import assert from "node:assert/strict";
import { readStats, SCHEMA_VERSION } from "../../lib/store/mod.ts";
import { addDocument, NOW, openTempStore } from "../helpers/temp_store.ts";

Deno.test("readStats() counts nothing in a new base", () => {
  using store = openTempStore();
  const { databaseBytes, sqliteVersion, ...counts } = readStats(store);
  assert.deepEqual(counts, {
    documentsByType: {},
    documentsByCollection: {},
    documents: 0,
    sections: 0,
    chunks: 0,
    jobsByStatus: {},
    schemaVersion: SCHEMA_VERSION,
  });
  assert.ok(databaseBytes > 0 && databaseBytes % 4096 === 0);
  assert.match(sqliteVersion, /^3\.\d+\.\d+$/);
});

Deno.test("readStats() counts by type, collection and status, a shared section once", () => {
  using store = openTempStore();
  addDocument(store, "a", {
    docType: "note",
    texts: ["shared", "own"],
    tags: ["collection:memory", "Collection:none"],
  });
  addDocument(store, "b", {
    docType: "note",
    texts: ["shared"],
    tags: ["collection:documents"],
  });
  addDocument(store, "c", {
    docType: "__proto__",
    tags: ["collection:memory"],
  });
  for (const status of ["queued", "queued", "done"]) {
    store.run(
      "INSERT INTO jobs(kind, status, created_at) VALUES ('add', ?, ?)",
      status,
      NOW,
    );
  }
  const stats = readStats(store);
  assert.deepEqual(Object.entries(stats.documentsByType), [
    ["__proto__", 1],
    ["note", 2],
  ]);
  assert.deepEqual(stats.documentsByCollection, { documents: 1, memory: 2 });
  assert.deepEqual(stats.jobsByStatus, { done: 1, queued: 2 });
  assert.equal(stats.documents, 3);
  assert.equal(stats.sections, 2);
  assert.equal(stats.chunks, 2);
});

Deno.test("readStats() can be asked for inside a write", () => {
  using store = openTempStore();
  const documents = store.write(() => {
    addDocument(store, "a");
    return readStats(store).documents;
  });
  assert.equal(documents, 1);
});
