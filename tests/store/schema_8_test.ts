import assert from "node:assert/strict";
import { join } from "node:path";
import { matchChunks, openStore } from "../../lib/store/mod.ts";
import { makeOldBase } from "../helpers/old_base.ts";
import { assertIntact, makeTempDir } from "../helpers/temp_store.ts";

Deno.test("schema 8 makes the identifiers of an old base searchable by their parts", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  const texts = [
    "Call getUserName now.",
    "Nothing of that kind.",
    "PowerShell",
  ];
  makeOldBase(
    path,
    4,
    texts.map((content) => ({
      content,
      context: "Heading",
      createdAt: "2026-01-02T03:04:05.678Z",
    })),
  );
  using store = openStore(path);
  const found = (expression: string) =>
    matchChunks(store, expression, { limit: 9 })
      .map(({ chunkId }) => chunkId as number);
  assertIntact(store);
  assert.deepEqual(found('"user name"'), [1]);
  assert.deepEqual(found("getusername"), [1]);
  assert.deepEqual(found("shell"), []);
  assert.deepEqual(found("title : heading").toSorted(), [1, 2, 3]);
});
