import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Kb } from "../../lib/kb/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** Does to a base's file what kbdb itself never does. */
function damage(dir: string, sql: string): void {
  const db = new DatabaseSync(join(dir, "kb.db"));
  db.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  db.close();
}

async function typesOf(kb: Kb): Promise<string[]> {
  const { errors, ok } = await kb.check();
  assert.equal(ok, errors.length === 0);
  return errors.map(({ type }) => type).sort();
}

Deno.test("check() says nothing of a base with notes, files, images, skills and agents", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await kb.add(temp.folder({ "a.md": "# A\n\ntext", "empty.md": "" }));
  kb.addNote("a note");
  kb.learn("alone");
  kb.learn(new Uint8Array([1, 2, 3]), { type: "image/x-dots", title: "Dots" });
  const { skill } = kb.learnSkill({ name: "s", description: "", body: "b" });
  kb.createAgent({
    name: "a",
    description: "",
    persona: "p",
    skills: [skill.kbid],
  });
  await kb.embed();
  const report = await kb.check();
  assert.deepEqual(report.errors, []);
  assert.deepEqual(
    [
      report.ok,
      report.sectionsChecked,
      report.documentsChecked,
      report.referencesChecked,
    ],
    [true, 5, 4, 1],
  );
});

Deno.test.each([
  {
    rule: "checksum_mismatch of a content that changed",
    sql:
      "DROP TRIGGER sections_content; UPDATE sections SET content = 'other' WHERE title = 'Learned'",
    types: ["checksum_mismatch", "checksum_mismatch", "index_mismatch"],
  },
  {
    rule: "checksum_mismatch of a vector that is of another text",
    sql: "UPDATE chunk_vectors SET text_hash = zeroblob(16) WHERE chunk_id = 1",
    types: ["checksum_mismatch"],
  },
  {
    rule: "orphan_section of one that no document has",
    sql:
      "DELETE FROM document_sections; DELETE FROM document_tags; DELETE FROM documents",
    types: ["orphan_section", "orphan_section"],
  },
  {
    rule: "orphan_document of one without section",
    sql:
      `INSERT INTO documents(docid, title, doc_type, mime, content_hash, created_at)
      VALUES ('d', 'd', 'note', 'text/plain', '', '2026-01-01')`,
    types: ["orphan_document"],
  },
  {
    rule: "type_mismatch of an image that is text",
    sql:
      "UPDATE sections SET section_type = 'image/png' WHERE title = 'Learned'",
    types: ["type_mismatch"],
  },
  {
    rule: "index_mismatch of a word index that lacks a chunk",
    sql:
      "INSERT INTO chunks_fts(chunks_fts, rowid, title, text) SELECT 'delete', id, title, text FROM chunk_search_texts WHERE id = 1",
    types: ["index_mismatch"],
  },
  {
    rule: "database_damage of a row that points nowhere",
    sql: "INSERT INTO document_tags VALUES (1, 999)",
    types: ["database_damage"],
  },
  {
    rule: "stale_job of one whose lease ran out",
    sql: `INSERT INTO jobs(kind, status, lease_until, created_at)
      VALUES ('add', 'processing', '2020-01-01', '2020-01-01')`,
    types: ["stale_job"],
  },
])("check() says $rule", async ({ sql, types }) => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.learn("# Learned\n\ntext", { docid: "learned" });
  kb.addNote("a note");
  await kb.embed();
  damage(temp.dir, sql);
  assert.deepEqual(await typesOf(kb), types);
});

Deno.test("rebuild() repairs the word index, chunks and vectors, and keeps what is right", async () => {
  await using temp = openTempKb();
  const { kb, embedder } = temp;
  kb.learn("# Pump\n\nThe relay clicks twice.", { docid: "pump" });
  kb.addNote("The boiler hums.");
  kb.learnSkill({ name: "s", description: "Says", body: "b" });
  await kb.embed();
  const before = embedder.texts.length;
  damage(
    temp.dir,
    `INSERT INTO chunks_fts(chunks_fts) VALUES ('delete-all');
     UPDATE chunk_vectors SET text_hash = zeroblob(16) WHERE chunk_id = 2`,
  );
  assert.deepEqual(await typesOf(kb), ["checksum_mismatch", "index_mismatch"]);
  const report = await kb.rebuild();
  assert.deepEqual([report.sectionsReindexed, report.pendingChunks], [3, 1]);
  assert.ok(report.termsIndexed >= 6);
  assert.deepEqual(await typesOf(kb), []);
  const { hits } = await kb.search("relay", { retriever: "fts" });
  assert.equal(hits[0]?.docid, "pump");
  await kb.embed();
  assert.equal(embedder.texts.length, before + 1);
});

Deno.test("rebuild() makes chunks that are gone or wrong anew and reuses their vectors", async () => {
  await using temp = openTempKb();
  const { kb, embedder } = temp;
  kb.learn("# Pump\n\nThe relay clicks twice.", { docid: "pump" });
  await kb.embed();
  damage(
    temp.dir,
    `DROP TRIGGER chunks_bu; UPDATE chunks SET token_count = 99;
     CREATE TRIGGER chunks_bu BEFORE UPDATE ON chunks BEGIN
       SELECT RAISE(ABORT, 'chunks are replaced, never updated'); END`,
  );
  await kb.rebuild();
  assert.equal((await kb.embed()).embedded, 0);
  assert.equal(embedder.texts.length, 1);
  assert.equal(
    (await kb.search("clicks", { retriever: "vector" })).hits.length,
    1,
  );
  assert.deepEqual(await typesOf(kb), []);
});

Deno.test("rebuild() leaves search answering", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  for (let note = 0; note < 300; note++) {
    kb.addNote(`note ${note} on the boiler`);
  }
  let answered = 0;
  let running = true;
  const rebuilt = kb.rebuild().finally(() => running = false);
  while (running) {
    const { hits } = await kb.search("boiler", { retriever: "fts" });
    assert.equal(hits.length, 10);
    answered++;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await rebuilt;
  assert.ok(answered > 1);
});

Deno.test("check() and rebuild() stop when they are no longer wanted", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("a note");
  const signal = AbortSignal.abort();
  await assert.rejects(kb.check({ signal }), { code: "cancelled" });
  const stopping = new AbortController();
  const rebuilding = kb.rebuild({ signal: stopping.signal });
  stopping.abort();
  await assert.rejects(rebuilding, { code: "cancelled" });
  assert.deepEqual(await typesOf(kb), []);
});

Deno.test("rebuild() reports how far it is", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  for (let note = 0; note < 150; note++) kb.addNote(`note ${note}`);
  const seen: number[] = [];
  await kb.rebuild({
    onProgress: ({ done, total }) => {
      assert.equal(total, 150);
      seen.push(done);
    },
  });
  assert.deepEqual(seen, [100, 150]);
});
