import type { DatabaseSync } from "node:sqlite";
import { KbError } from "../core/mod.ts";
import { SCHEMA_1 } from "./schema_1.ts";
import { SCHEMA_2 } from "./schema_2.ts";
import { SCHEMA_3 } from "./schema_3.ts";
import { SCHEMA_4 } from "./schema_4.ts";
import { migrateTo5 } from "./schema_5.ts";
import { SCHEMA_6 } from "./schema_6.ts";
import { SCHEMA_7 } from "./schema_7.ts";
import { migrateTo8 } from "./schema_8.ts";

/** "kbdb" in ASCII, in the file's header. */
const APPLICATION_ID = 0x6b626462;

/** The database a migration works on, in its transaction. */
export type MigratingDatabase = Pick<DatabaseSync, "exec" | "prepare">;

/** What brings a base from one version to the next: SQL, or a function where SQL is not enough. */
type Migration = string | ((db: MigratingDatabase) => void);

/** Numbered from 1, forward only; one entry brings a base from the version before to its own. */
const MIGRATIONS: readonly Migration[] = [
  SCHEMA_1,
  SCHEMA_2,
  SCHEMA_3,
  SCHEMA_4,
  migrateTo5,
  SCHEMA_6,
  SCHEMA_7,
  migrateTo8,
];

/** Schema version this code writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/** What a base file says of its schema. */
export interface SchemaState {
  /** `user_version` of the file; 0 for a new one. */
  readonly version: number;
  /** Whether nothing is left to migrate. */
  readonly current: boolean;
}

/** One statement, so that all three are of one moment while another process makes the base. */
const READ_STATE = `SELECT
  (SELECT user_version FROM pragma_user_version()) AS version,
  (SELECT application_id FROM pragma_application_id()) AS application,
  (SELECT count(*) FROM sqlite_schema) AS tables`;

/**
 * Reads the schema version without taking the write lock.
 *
 * @throws {KbError} `conflict` if the version is newer than this code; `invalid_input` if the
 * file belongs to another application.
 */
export function readSchemaState(db: DatabaseSync, path: string): SchemaState {
  // Fails on a damaged file, which Deno before 2.6 says only of what it executes.
  db.exec("PRAGMA schema_version");
  const row = db.prepare(READ_STATE).get();
  const version = Number(row?.version);
  const application = Number(row?.application);
  const isNew = application === 0 && version === 0 && row?.tables === 0;
  if (application !== APPLICATION_ID && !isNew) {
    throw new KbError(
      "invalid_input",
      `Cannot open "${path}": it is an SQLite file of another application`,
    );
  }
  if (version > SCHEMA_VERSION) {
    throw new KbError(
      "conflict",
      `Cannot open "${path}": its schema is version ${version}, this kbdb knows ${SCHEMA_VERSION}; update kbdb`,
      { details: { version, known: SCHEMA_VERSION } },
    );
  }
  return { version, current: version === SCHEMA_VERSION };
}

/**
 * Brings a base to the current schema, each step in its own write transaction.
 *
 * Foreign keys are not enforced meanwhile, as a table that is made anew would take with it what
 * refers to it; they are enforced afterwards, whether it succeeds or not.
 */
export function migrate(db: DatabaseSync, path: string): void {
  db.exec("PRAGMA foreign_keys = OFF");
  try {
    for (const [index, migration] of MIGRATIONS.entries()) {
      migrateOnce(db, path, { version: index + 1, migration });
    }
  } finally {
    db.exec("PRAGMA foreign_keys = ON");
  }
}

function migrateOnce(
  db: DatabaseSync,
  path: string,
  step: { readonly version: number; readonly migration: Migration },
): void {
  const { version, migration } = step;
  db.exec("BEGIN IMMEDIATE");
  try {
    if (readSchemaState(db, path).version < version) {
      if (typeof migration === "string") db.exec(migration);
      else migration(db);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
      db.exec(`PRAGMA user_version = ${version}`);
    }
    db.exec("COMMIT");
  } catch (error) {
    if (mayBeInTransaction(db)) db.exec("ROLLBACK");
    throw error;
  }
}

/** Says whether a transaction is open; yes where the runtime cannot tell, as Deno before 2.5. */
export function mayBeInTransaction(db: DatabaseSync): boolean {
  return db.isTransaction !== false;
}
