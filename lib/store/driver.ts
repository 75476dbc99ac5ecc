import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import * as sqlite from "node:sqlite";
import {
  DatabaseSync,
  type SQLInputValue,
  type StatementSync,
} from "node:sqlite";
import { KbError } from "../core/mod.ts";
import { mayBeInTransaction, migrate, readSchemaState } from "./migrations.ts";

const BUSY_TIMEOUT_MS = 5000;
const RETRY_PAUSE_MS = 10;

/** Options for {@linkcode openStore}. */
export interface OpenStoreOptions {
  /** Current time in ISO 8601 UTC; `() => new Date().toISOString()` unless a test says otherwise. */
  readonly now?: () => string;
  /** Most time to wait for another writer, in ms; default 5000. */
  readonly busyTimeoutMs?: number;
}

/** Values a statement takes. */
export type SqlValue = SQLInputValue;

/** An open base file: the only object that holds a native handle. Single-threaded. */
export class Store implements Disposable {
  /** Path given to {@linkcode openStore}, or `":memory:"`. */
  readonly path: string;
  /** Current time in ISO 8601 UTC. */
  readonly now: () => string;
  readonly #db: DatabaseSync;
  readonly #statements: Map<string, StatementSync> = new Map();
  #open: "read" | "write" | undefined;
  #isClosed = false;

  /** Wraps an open and migrated database; use {@linkcode openStore}. */
  constructor(path: string, db: DatabaseSync, now: () => string) {
    this.path = path;
    this.now = now;
    this.#db = db;
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs a statement that changes rows; answers the last rowid and the rows changed. */
  run(sql: string, ...values: SqlValue[]): { rowid: number; changes: number } {
    return guard(() => {
      const done = this.#prepare(sql).run(...values);
      return {
        rowid: Number(done.lastInsertRowid),
        changes: Number(done.changes),
      };
    });
  }

  /** Reads the first row as `T`, or `undefined`. The caller's SQL decides the shape. */
  get<T>(sql: string, ...values: SqlValue[]): T | undefined {
    return guard(() => this.#prepare(sql).get(...values) as T | undefined);
  }

  /**
   * Reads all rows as `T`. The caller's SQL decides the shape.
   *
   * There is no row by row reading, as Deno's `iterate()` takes an error for the end of the rows;
   * page with `LIMIT` where they are many.
   */
  all<T>(sql: string, ...values: SqlValue[]): T[] {
    return guard(() => this.#prepare(sql).all(...values) as T[]);
  }

  /**
   * Runs `action` in one write transaction, `BEGIN IMMEDIATE` to `COMMIT`; nested calls join it.
   *
   * @throws {KbError} `busy` if another writer held the lock longer than 5000 ms; whatever
   * `action` throws, after rolling back.
   * @throws {TypeError} If called inside {@linkcode Store.read}, whose snapshot cannot be written to.
   */
  write<T>(action: () => T): T {
    if (this.#open === "write") return action();
    if (this.#open === "read") {
      throw new TypeError("Cannot write inside a read");
    }
    this.run("BEGIN IMMEDIATE");
    this.#open = "write";
    try {
      const result = action();
      this.run("COMMIT");
      return result;
    } catch (error) {
      if (mayBeInTransaction(this.#db)) this.run("ROLLBACK");
      throw error;
    } finally {
      this.#open = undefined;
    }
  }

  /** Runs `action` on one snapshot of the base; inside a read or write it joins that one's. */
  read<T>(action: () => T): T {
    if (this.#open !== undefined) return action();
    this.run("BEGIN");
    this.#open = "read";
    try {
      return action();
    } finally {
      this.#open = undefined;
      // A failed statement may have ended the transaction already.
      if (mayBeInTransaction(this.#db)) this.run("COMMIT");
    }
  }

  /**
   * Copies the base as it is at one moment to a new file, while others go on writing.
   *
   * @param target Path of a file that does not exist.
   */
  async copyTo(target: string): Promise<void> {
    try {
      this.run("VACUUM INTO ?", target);
    } catch (error) {
      // Deno attaches no second file to a process that may not do everything.
      if (!/too many attached databases/.test(String(error))) throw error;
      await copyPages(this.#db, target);
    }
  }

  /** Closes the file after folding the write-ahead log back where nobody else reads it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#statements.clear();
    this.#db.close();
  }

  /** Same as {@linkcode Store.close}. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/**
 * Copies a database page by page, all in one step: a copy in several starts again whenever another
 * process writes.
 */
async function copyPages(db: DatabaseSync, target: string): Promise<void> {
  if (typeof sqlite.backup !== "function") {
    throw new KbError(
      "invalid_input",
      "Cannot copy the database with the permissions this process has; run the command with deno run --allow-all, and with Deno 2.6 or newer",
    );
  }
  await sqlite.backup(db, target, { rate: 2 ** 31 - 1 });
  const copy = new DatabaseSync(target);
  try {
    // A file without a write-ahead log can be read where nothing can be written.
    copy.exec("PRAGMA journal_mode = DELETE");
  } finally {
    copy.close();
  }
}

/** Turns SQLite's errors into operating errors where a caller can act on them. */
function guard<T>(action: () => T): T {
  try {
    return action();
  } catch (error) {
    throw toKbError(error);
  }
}

function toKbError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof KbError) return error;
  const message = error.message;
  if (/database (table )?is locked|database is busy/.test(message)) {
    return new KbError(
      "busy",
      "Cannot write to the base as another process is writing: try again",
      { cause: error },
    );
  }
  if (/malformed|not a database|disk I\/O error/.test(message)) {
    return new KbError(
      "corrupt",
      `Cannot read the base: ${message}; restore a backup with: kbdb restore BACKUP --replace`,
      {
        cause: error,
      },
    );
  }
  if (/database or disk is full/.test(message)) {
    return new KbError(
      "busy",
      "Cannot write to the base as the disk is full; nothing was changed: free some space, then try again",
      { cause: error },
    );
  }
  if (/readonly database/.test(message)) {
    return new KbError(
      "busy",
      "Cannot write to the base as its file or disk can only be read; nothing was changed: give this user the right to write, then try again",
      { cause: error },
    );
  }
  return error;
}

function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Repeats `action` while SQLite says "locked", as the busy timeout does not cover a mode change. */
function patiently<T>(action: () => T): T {
  const deadline = Date.now() + BUSY_TIMEOUT_MS;
  while (true) {
    try {
      return guard(action);
    } catch (error) {
      const busy = error instanceof KbError && error.code === "busy";
      if (!busy || Date.now() > deadline) throw error;
      sleep(RETRY_PAUSE_MS);
    }
  }
}

/**
 * Opens a base file, creating and migrating it where needed.
 *
 * Safe when several processes open a new base at once. Opening a base of the current schema
 * takes no write lock. The folder is made with mode 0700, the file with 0600.
 *
 * @param path File path, or `":memory:"`.
 * @param options Clock.
 * @returns An open store; close it.
 * @throws {KbError} `conflict` if the base has a newer schema (it is left untouched);
 * `invalid_input` if the file is not a kbdb base; `corrupt` if SQLite cannot read it; `busy` if
 * another process kept it locked for 5000 ms.
 */
export function openStore(path: string, options: OpenStoreOptions = {}): Store {
  const { now = () => new Date().toISOString(), busyTimeoutMs } = options;
  if (path !== ":memory:") createPrivately(path);
  const db = guard(() => new DatabaseSync(path));
  try {
    db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs ?? BUSY_TIMEOUT_MS}`);
    const state = patiently(() => readSchemaState(db, path));
    patiently(() => setPragmas(db));
    if (!state.current) patiently(() => migrate(db, path));
  } catch (error) {
    db.close();
    throw error;
  }
  return new Store(path, db, now);
}

/**
 * Opens a base file to look at it: it is not changed, and not migrated.
 *
 * @throws {KbError} `conflict` if it has a newer schema; `invalid_input` if it is no base.
 */
export function openReadOnly(
  path: string,
): { readonly store: Store; readonly version: number } {
  const db = guard(() => new DatabaseSync(path, { readOnly: true }));
  try {
    const { version } = guard(() => readSchemaState(db, path));
    const now = () => new Date().toISOString();
    return { store: new Store(path, db, now), version };
  } catch (error) {
    db.close();
    throw error;
  }
}

/**
 * Says whether nobody else has a base's database open. It takes all of the write-ahead log into the
 * file, which only a process that is alone can do; opening the base goes back to a log.
 *
 * @returns `true` too for a file that SQLite cannot read: nobody can work on that.
 */
export function isAlone(path: string): boolean {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path);
    return db.prepare("PRAGMA journal_mode = DELETE").get()?.journal_mode ===
      "delete";
  } catch (error) {
    return !(error instanceof Error && /locked|busy/.test(error.message));
  } finally {
    db?.close();
  }
}

function createPrivately(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) return;
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
}

function setPragmas(db: DatabaseSync): void {
  // Takes effect on a new file only. Rows of some hundred bytes fill large pages better.
  db.exec("PRAGMA page_size = 8192");
  const mode = db.prepare("PRAGMA journal_mode").get()?.journal_mode;
  if (mode !== "wal" && mode !== "memory") db.exec("PRAGMA journal_mode = WAL");
  db.exec(`
    PRAGMA synchronous = FULL;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA cell_size_check = ON;
    PRAGMA mmap_size = 0;
    PRAGMA journal_size_limit = 67108864;
    PRAGMA wal_autocheckpoint = 1000;
    PRAGMA cache_size = -32768;
    PRAGMA temp_store = MEMORY;
  `);
}
