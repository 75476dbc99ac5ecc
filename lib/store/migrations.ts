import type { DatabaseSync } from "node:sqlite";
import { KbError } from "../core/mod.ts";
import { SCHEMA_1 } from "./schema_1.ts";
import { SCHEMA_2 } from "./schema_2.ts";
import { SCHEMA_3 } from "./schema_3.ts";
import { SCHEMA_4 } from "./schema_4.ts";

/** "kbdb" in ASCII, in the file's header. */
const APPLICATION_ID = 0x6b626462;

/** Numbered from 1, forward only; one entry brings a base from the version before to its own. */
const MIGRATIONS: readonly string[] = [SCHEMA_1, SCHEMA_2, SCHEMA_3, SCHEMA_4];

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

/** Brings a base to the current schema, each step in its own write transaction. */
export function migrate(db: DatabaseSync, path: string): void {
  for (let next = 1; next <= SCHEMA_VERSION; next++) {
    db.exec("BEGIN IMMEDIATE");
    try {
      if (readSchemaState(db, path).version < next) {
        db.exec(MIGRATIONS[next - 1] ?? "");
        db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
        db.exec(`PRAGMA user_version = ${next}`);
      }
      db.exec("COMMIT");
    } catch (error) {
      if (mayBeInTransaction(db)) db.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Says whether a transaction is open; yes where the runtime cannot tell, as Deno before 2.5. */
export function mayBeInTransaction(db: DatabaseSync): boolean {
  return db.isTransaction !== false;
}
