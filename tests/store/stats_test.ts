import assert from "node:assert/strict";
import { join } from "node:path";
import {
  deleteDocument,
  openStore,
  readChangeMark,
  readStats,
  SCHEMA_VERSION,
} from "../../lib/store/mod.ts";
import {
  addDocument,
  makeTempDir,
  NOW,
  openTempStore,
} from "../helpers/temp_store.ts";

Deno.test("readChangeMark() moves with what this store or another one writes, and with nothing else", () => {
  using dir = makeTempDir();
  using store = openStore(join(dir.path, "kb.db"));
  using other = openStore(join(dir.path, "kb.db"));
  const marks = [readChangeMark(store)];
  const assertMoved = () => {
    const mark = readChangeMark(store);
    assert.ok(!marks.includes(mark), mark);
    marks.push(mark);
    readStats(store);
    readStats(other);
    assert.equal(readChangeMark(store), mark);
    assert.equal(store.read(() => readChangeMark(store)), mark);
  };
  const { id } = addDocument(store, "a", { texts: ["one"] });
  assertMoved();
  addDocument(other, "b", { texts: ["two"] });
  assertMoved();
  deleteDocument(store, id);
  assertMoved();
});

Deno.test("readChangeMark() is that of the snapshot inside a read", () => {
  using dir = makeTempDir();
  using store = openStore(join(dir.path, "kb.db"));
  using other = openStore(join(dir.path, "kb.db"));
  const before = store.read(() => {
    const mark = readChangeMark(store);
    addDocument(other, "a");
    assert.equal(readChangeMark(store), mark);
    assert.equal(readStats(store).documents, 0);
    return mark;
  });
  assert.notEqual(readChangeMark(store), before);
});

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
