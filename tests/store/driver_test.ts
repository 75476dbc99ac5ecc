import assert from "node:assert/strict";
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { KbError, type KbErrorCode } from "../../lib/core/mod.ts";
import { openStore, SCHEMA_VERSION } from "../../lib/store/mod.ts";
import {
  addDocument,
  assertIntact,
  countRows,
  makeTempDir,
  openTempStore,
} from "../helpers/temp_store.ts";

const SCRIPT = fileURLToPath(
  new URL("../helpers/open_and_write.ts", import.meta.url),
);

function hasCode(code: KbErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof KbError && error.code === code;
}

/** Makes a file by plain SQL, past everything openStore() does. */
function makeFile(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** Runs a process that waits for its start; `go` lets it loose and resolves to its failure or "". */
async function spawnWriter(
  path: string,
  name: string,
  count: number,
): Promise<() => Promise<string>> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-config",
      "--no-lock",
      "--no-check",
      "--allow-read",
      "--allow-write",
      SCRIPT,
      path,
      name,
      String(count),
    ],
    env: { DENO_NO_UPDATE_CHECK: "1" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  reader.releaseLock();
  return async () => {
    const writer = child.stdin.getWriter();
    await writer.write(new Uint8Array([10]));
    await writer.close();
    const { success, stderr } = await child.output();
    return success ? "" : new TextDecoder().decode(stderr);
  };
}

Deno.test("openStore() lets eight processes make one base at once and loses nothing", async () => {
  using dir = makeTempDir();
  const path = join(dir.path, "new", "kb.db");
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const starts = await Promise.all(
    names.map((name) => spawnWriter(path, name, 20)),
  );
  assert.equal(existsSync(path), false);
  const failures = await Promise.all(starts.map((go) => go()));
  assert.deepEqual(failures, names.map(() => ""));

  using store = openStore(path);
  assert.equal(countRows(store, "documents"), 160);
  assert.equal(countRows(store, "sections"), 161);
  assert.equal(countRows(store, "chunks"), 161);
  assert.equal(countRows(store, "document_sections"), 320);
  for (const name of names) {
    assert.equal(
      countRows(
        store,
        "document_tags JOIN tags ON tags.id = tag_id",
        `name = '${name}'`,
      ),
      20,
    );
  }
  assertIntact(store);
});

Deno.test("openStore() sets the pragmas that keep a base safe", () => {
  using dir = makeTempDir();
  using store = openStore(join(dir.path, "kb.db"));
  const expected = {
    journal_mode: "wal",
    synchronous: 2,
    foreign_keys: 1,
    trusted_schema: 0,
    cell_size_check: 1,
    mmap_size: 0,
    journal_size_limit: 67108864,
    wal_autocheckpoint: 1000,
    busy_timeout: 5000,
  };
  for (const [name, value] of Object.entries(expected)) {
    const row = store.get<object>(`PRAGMA ${name}`);
    assert.deepEqual(Object.values(row ?? {}), [value], name);
  }
});

Deno.test("openStore() makes its folder 0700 and its files 0600", () => {
  using dir = makeTempDir();
  const folder = join(dir.path, "outer", ".kbdb");
  using store = openStore(join(folder, "kb.db"));
  addDocument(store, "a", { texts: ["text"] });
  assert.equal(statSync(folder).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(folder).sort(), [
    "kb.db",
    "kb.db-shm",
    "kb.db-wal",
  ]);
  for (const name of readdirSync(folder)) {
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600, name);
  }
});

Deno.test("openStore() finds again what was written before", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  {
    using store = openStore(path);
    addDocument(store, "a", { texts: ["text"] });
  }
  using store = openStore(path);
  assert.equal(countRows(store, "documents", "docid = 'a'"), 1);
  assert.equal(store.path, path);
});

Deno.test("openStore() makes a base of an empty file", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  writeFileSync(path, "");
  using store = openStore(path);
  assert.equal(countRows(store, "documents"), 0);
});

Deno.test("openStore() opens and reads a base while another connection holds the write lock", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  using writer = openStore(path);
  writer.write(() => {
    addDocument(writer, "a");
    using reader = openStore(path);
    assert.equal(countRows(reader, "documents"), 0);
  });
});

Deno.test("openStore() refuses a newer schema and leaves the file untouched", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  openStore(path).close();
  makeFile(path, `PRAGMA user_version = ${SCHEMA_VERSION + 1}`);
  const before = readFileSync(path);
  assert.throws(
    () => openStore(path),
    (error: unknown) =>
      error instanceof KbError && error.code === "conflict" &&
      error.details["version"] === SCHEMA_VERSION + 1 &&
      error.details["known"] === SCHEMA_VERSION,
  );
  assert.deepEqual(readFileSync(path), before);
  assert.deepEqual(readdirSync(dir.path), ["kb.db"]);
});

Deno.test.each([
  { what: "a file with tables", sql: "CREATE TABLE a(b)" },
  { what: "a file with a version only", sql: "PRAGMA user_version = 1" },
  {
    what: "a file with another application id only",
    sql: "PRAGMA application_id = 42",
  },
  {
    what: "a file in WAL mode",
    sql: "PRAGMA journal_mode = WAL; CREATE TABLE a(b)",
  },
])(
  "openStore() refuses $what of another application and leaves it untouched",
  ({ sql }) => {
    using dir = makeTempDir();
    const path = join(dir.path, "other.db");
    makeFile(path, sql);
    const before = readFileSync(path);
    assert.throws(() => openStore(path), hasCode("invalid_input"));
    assert.deepEqual(readFileSync(path), before);
    assert.deepEqual(readdirSync(dir.path), ["other.db"]);
  },
);

Deno.test.each([
  { what: "a short text", bytes: new TextEncoder().encode("not a base\n") },
  { what: "a long text", bytes: new Uint8Array(20_000).fill(0x61) },
  {
    what: "SQLite's first line and then noise",
    bytes: new TextEncoder().encode(
      "SQLite format 3\0" + "noise ".repeat(2000),
    ),
  },
])("openStore() says corrupt of $what and leaves it untouched", ({ bytes }) => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  writeFileSync(path, bytes);
  assert.throws(() => openStore(path), hasCode("corrupt"));
  assert.deepEqual(new Uint8Array(readFileSync(path)), bytes);
});

Deno.test("Store says corrupt of a damaged page", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "kb.db");
  let page = 0;
  let size = 0;
  {
    using store = openStore(path);
    addDocument(store, "a");
    page = store.get<{ rootpage: number }>(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'documents'",
    )?.rootpage ?? 0;
    size = store.get<{ page_size: number }>("PRAGMA page_size")?.page_size ?? 0;
  }
  const bytes = readFileSync(path);
  bytes.fill(0xff, (page - 1) * size, page * size);
  writeFileSync(path, bytes);
  using store = openStore(path);
  const sql = "SELECT * FROM documents";
  assert.throws(() => store.all(sql), hasCode("corrupt"));
  assert.throws(() => store.get(sql), hasCode("corrupt"));
  assert.throws(() => addDocument(store, "b"), hasCode("corrupt"));
});

Deno.test("Store.run() answers the last rowid and the rows changed", () => {
  using store = openTempStore();
  const sql = "INSERT INTO tags(name) VALUES (?), (?)";
  assert.deepEqual(store.run(sql, "a", "b"), { rowid: 2, changes: 2 });
  assert.equal(store.run("DELETE FROM tags WHERE name = ?", "c").changes, 0);
});

Deno.test("Store.get() gives undefined when there is no row", () => {
  using store = openTempStore();
  assert.equal(store.get("SELECT 1 FROM documents"), undefined);
});

Deno.test("Store.write() answers what its action answers", () => {
  using store = openTempStore();
  assert.equal(store.write(() => 42), 42);
});

Deno.test("Store.write() inside a write joins it and is undone with it", () => {
  using store = openTempStore();
  const failure = new Error("stop");
  assert.throws(
    () =>
      store.write(() => {
        store.write(() => addDocument(store, "inner"));
        assert.equal(countRows(store, "documents"), 1);
        throw failure;
      }),
    failure,
  );
  assert.equal(countRows(store, "documents"), 0);
});

Deno.test("Store.write() inside a write is seen by others only when the outer one ends", () => {
  using dir = makeTempDir();
  using store = openStore(join(dir.path, "kb.db"));
  using other = openStore(store.path);
  store.write(() => {
    store.write(() => addDocument(store, "inner"));
    assert.equal(countRows(other, "documents"), 0);
  });
  assert.equal(countRows(other, "documents"), 1);
});

Deno.test("Store.write() rolls back when a statement fails, and can be called again", () => {
  using store = openTempStore();
  assert.throws(
    () =>
      store.write(() => {
        addDocument(store, "a", { texts: ["text"] });
        addDocument(store, "a");
      }),
    /UNIQUE/,
  );
  assert.equal(countRows(store, "documents"), 0);
  assert.equal(countRows(store, "chunks"), 0);
  addDocument(store, "a", { texts: ["text"] });
  assertIntact(store);
});

Deno.test("Store.write() says busy when another connection keeps the write lock", () => {
  using dir = makeTempDir();
  using holder = openStore(join(dir.path, "kb.db"));
  using store = openStore(holder.path);
  store.get("PRAGMA busy_timeout = 20");
  holder.write(() => {
    assert.throws(() => store.write(() => {}), hasCode("busy"));
  });
  assert.equal(store.write(() => "free"), "free");
});

Deno.test("Store.write() refuses to run inside a read", () => {
  using store = openTempStore();
  assert.throws(
    () => store.read(() => store.write(() => addDocument(store, "a"))),
    TypeError,
  );
  assert.equal(countRows(store, "documents"), 0);
  addDocument(store, "b");
});

Deno.test("Store.read() sees one moment while another connection writes", () => {
  using dir = makeTempDir();
  using store = openStore(join(dir.path, "kb.db"));
  using other = openStore(store.path);
  store.read(() => {
    assert.equal(countRows(store, "documents"), 0);
    addDocument(other, "a");
    assert.equal(store.read(() => countRows(store, "documents")), 0);
  });
  assert.equal(countRows(store, "documents"), 1);
});

Deno.test("Store.read() passes on what its action throws and ends its snapshot", () => {
  using store = openTempStore();
  const failure = new Error("stop");
  assert.throws(() =>
    store.read(() => {
      throw failure;
    }), failure);
  assert.equal(store.write(() => "free"), "free");
});

Deno.test("Store.read() inside a write sees what was written", () => {
  using store = openTempStore();
  store.write(() => {
    addDocument(store, "a");
    assert.equal(store.read(() => countRows(store, "documents")), 1);
  });
});

Deno.test("Store.close() folds the log back and may be called twice", () => {
  using dir = makeTempDir();
  const store = openStore(join(dir.path, "kb.db"));
  addDocument(store, "a");
  store.close();
  store.close();
  assert.deepEqual(readdirSync(dir.path), ["kb.db"]);
  assert.throws(() => store.get("SELECT 1"));
});

Deno.test("Store.now() is the time now unless a test says otherwise", () => {
  using real = openStore(":memory:");
  assert.match(real.now(), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  using fixed = openTempStore(() => "2026-01-01T00:00:00.000Z");
  assert.equal(fixed.now(), "2026-01-01T00:00:00.000Z");
});
