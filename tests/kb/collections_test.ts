import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { sha256Hex } from "../../lib/core/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";
import { upload } from "../helpers/upload.ts";

Deno.test("listCollections() counts documents and bytes of each", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("One.", { collection: "memory" });
  temp.kb.addNote("Two and more.", { collection: "memory" });
  temp.kb.addNote("Three.");
  const found = temp.kb.listCollections();
  assert.deepEqual(
    found.map(({ name, documents, sizeBytes }) => [name, documents, sizeBytes]),
    [["documents", 1, 6], ["memory", 2, 17]],
  );
  assert.match(found[0]?.updatedAt ?? "", /^\d{4}-/);
});

Deno.test("renameCollection() moves its documents, which do not count as changed", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { documentId } = kb.addNote("One.", { collection: "old name" });
  assert.equal(kb.renameCollection("old name", "new"), 1);
  const { collection, updatedAt } = kb.summary(String(documentId));
  assert.deepEqual([collection, updatedAt], ["new", null]);
  assert.deepEqual(kb.listCollections().map(({ name }) => name), ["new"]);
  const { hits } = await kb.search("one in:new", { retriever: "fts" });
  assert.equal(hits.length, 1);
});

Deno.test("renameCollection() joins another only if asked to", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("One.", { collection: "a" });
  kb.addNote("Two.", { collection: "b" });
  assert.throws(() => kb.renameCollection("a", "b"), { code: "conflict" });
  assert.equal(kb.renameCollection("a", "b", { merge: true }), 1);
  assert.equal(kb.listCollections()[0]?.documents, 2);
  assert.throws(() => kb.renameCollection("a", "c"), {
    code: "not_found",
    message: /there is: b/,
  });
  assert.throws(() => kb.renameCollection("b", " "), { code: "invalid_input" });
});

Deno.test("removeCollection() removes its documents, their sections and originals, and no others", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("Stays here.");
  for (let n = 0; n < 3; n++) kb.addNote(`Goes ${n}.`, { collection: "old" });
  await upload(kb, "goes.md", "# Goes too\n");
  const uploaded = kb.list().documents.find(({ path }) => path === "goes.md");
  kb.tag(uploaded?.docid ?? "", { add: ["collection:old"] });
  const original = join(temp.dir, "files", sha256Hex("# Goes too\n"));
  assert.ok(existsSync(original));
  assert.equal(kb.removeCollection("old"), 4);
  assert.ok(!existsSync(original));
  assert.equal(kb.list().total, 1);
  assert.equal(kb.status().sections, 1);
  assert.throws(() => kb.removeCollection("old"), { code: "not_found" });
});
