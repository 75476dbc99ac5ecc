import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { KbError } from "../../lib/core/mod.ts";
import { SCHEMA_VERSION } from "../../lib/store/mod.ts";
import { migrate, readSchemaState } from "../../lib/store/migrations.ts";
import { addDocument, openTempStore } from "../helpers/temp_store.ts";

const KBDB = 0x6b626462;

/** Opens a database in memory that no kbdb code has touched. */
function openRaw(sql = ""): Disposable & { db: DatabaseSync } {
  const db = new DatabaseSync(":memory:");
  db.exec(sql);
  return { db, [Symbol.dispose]: () => db.close() };
}

function dump(db: DatabaseSync): unknown[] {
  return db.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name")
    .all();
}

Deno.test("migrate() brings a new base to the current schema and signs it", () => {
  using raw = openRaw();
  assert.deepEqual(readSchemaState(raw.db, "a.db"), {
    version: 0,
    current: false,
  });
  migrate(raw.db, "a.db");
  assert.deepEqual(readSchemaState(raw.db, "a.db"), {
    version: SCHEMA_VERSION,
    current: true,
  });
  const { application_id } = raw.db.prepare("PRAGMA application_id").get() ??
    {};
  assert.equal(application_id, KBDB);
});

Deno.test("migrate() changes nothing the second time", () => {
  using raw = openRaw();
  migrate(raw.db, "a.db");
  const before = dump(raw.db);
  migrate(raw.db, "a.db");
  assert.deepEqual(dump(raw.db), before);
});

Deno.test("migrate() leaves nothing of a step that fails", () => {
  using raw = openRaw(
    `CREATE TABLE links(a); PRAGMA application_id = ${KBDB}`,
  );
  const before = dump(raw.db);
  assert.throws(() => migrate(raw.db, "a.db"), /links/);
  assert.deepEqual(dump(raw.db), before);
  raw.db.exec("BEGIN; ROLLBACK");
  assert.equal(readSchemaState(raw.db, "a.db").version, 0);
});

Deno.test.each([
  {
    rule: "conflict of a newer schema",
    sql: `PRAGMA application_id = ${KBDB}; PRAGMA user_version = ${
      SCHEMA_VERSION + 1
    }`,
    code: "conflict",
  },
  {
    rule: "invalid_input of tables without kbdb's sign",
    sql: "CREATE TABLE a(b)",
    code: "invalid_input",
  },
  {
    rule: "invalid_input of a version without kbdb's sign",
    sql: `PRAGMA user_version = ${SCHEMA_VERSION}`,
    code: "invalid_input",
  },
  {
    rule: "invalid_input of another application's sign",
    sql: "PRAGMA application_id = 1",
    code: "invalid_input",
  },
])("readSchemaState() says $rule", ({ sql, code }) => {
  using raw = openRaw(sql);
  assert.throws(
    () => readSchemaState(raw.db, "a.db"),
    (error: unknown) =>
      error instanceof KbError && error.code === code &&
      error.message.includes('"a.db"'),
  );
});

Deno.test("schema 1 has an index for every foreign key", () => {
  using store = openTempStore();
  const keys = store.all<{ name: string; column: string }>(
    `SELECT m.name, f."from" AS column FROM sqlite_schema m, pragma_foreign_key_list(m.name) f
     WHERE m.type = 'table'`,
  );
  assert.ok(keys.length >= 10);
  for (const { name, column } of keys) {
    const plan = store.all<{ detail: string }>(
      `EXPLAIN QUERY PLAN SELECT 1 FROM ${name} WHERE ${column} = 1`,
    );
    assert.match(plan[0]?.detail ?? "", /^SEARCH/, `${name}.${column}`);
  }
});

Deno.test("schema 1 refuses to change a chunk or the content of a section", () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["text"] });
  assert.throws(
    () => store.run("UPDATE chunks SET token_count = 9"),
    /replaced, never updated/,
  );
  assert.throws(
    () => store.run("UPDATE sections SET content = 'other'"),
    /named by their content/,
  );
});

Deno.test("schema 1 refuses to delete a section that a document has", () => {
  using store = openTempStore();
  addDocument(store, "a", { texts: ["text"] });
  assert.throws(() => store.run("DELETE FROM sections"), /FOREIGN KEY/);
});
