import { closeSync, fsyncSync, openSync } from "node:fs";
import { KbError } from "../core/mod.ts";
import { openReadOnly, type Store } from "./driver.ts";

/** What a copy of a base's database holds, and what is wrong with it. */
export interface SnapshotFacts {
  /** Schema version. */
  readonly schemaVersion: number;
  /** Documents in it. */
  readonly documents: number;
  /** Sections in it. */
  readonly sections: number;
  /** Chunks in it. */
  readonly chunks: number;
  /** Vectors in it, of all models. */
  readonly vectors: number;
  /** Hashes of the originals that documents and unfinished jobs may have, each once. */
  readonly originals: readonly string[];
  /** What SQLite's own checks say; `[]` if nothing is wrong. */
  readonly faults: readonly string[];
}

const COUNTS = `SELECT (SELECT count(*) FROM documents) AS documents,
  (SELECT count(*) FROM sections) AS sections, (SELECT count(*) FROM chunks) AS chunks,
  (SELECT count(*) FROM chunk_vectors) AS vectors`;

const ORIGINALS = `SELECT content_hash AS hash FROM documents
  UNION SELECT payload ->> 'sha256' FROM jobs
  WHERE status IN ('queued', 'processing') AND payload ->> 'sha256' IS NOT NULL`;

/**
 * Writes a copy of the base as it is at one moment to a new file, while others go on writing.
 *
 * @param target Path of a file that does not exist.
 * @throws {KbError} `busy` if the disk is full.
 */
export async function writeSnapshot(
  store: Store,
  target: string,
): Promise<void> {
  await store.copyTo(target);
  const file = openSync(target, "r+");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Checks a copy of a base and counts what is in it. The file is not changed, and not migrated.
 *
 * @throws {KbError} `corrupt` if SQLite cannot read it; `invalid_input` if it is no base;
 * `conflict` if a newer kbdb made it.
 */
export function readSnapshot(path: string): SnapshotFacts {
  try {
    const { store: opened, version } = openReadOnly(path);
    using store = opened;
    if (version === 0) {
      throw new KbError("corrupt", `Cannot read "${path}": it is empty`);
    }
    const faults = [
      ...store.all<{ integrity_check: string }>("PRAGMA integrity_check(20)")
        .map((row) => row.integrity_check).filter((text) => text !== "ok"),
      ...store.all<{ table: string; rowid: number }>(
        `SELECT "table", rowid FROM pragma_foreign_key_check LIMIT 20`,
      ).map(({ table, rowid }) =>
        `row ${rowid} of ${table} points to a row that is gone`
      ),
    ];
    const counts = store.get<
      Omit<SnapshotFacts, "schemaVersion" | "faults" | "originals">
    >(COUNTS);
    if (counts === undefined) throw new TypeError("SQLite gave no counts");
    const originals = store.all<{ hash: string }>(ORIGINALS);
    return {
      schemaVersion: version,
      ...counts,
      originals: originals.map(({ hash }) => hash),
      faults,
    };
  } catch (error) {
    if (error instanceof KbError || !(error instanceof Error)) throw error;
    throw new KbError("corrupt", `Cannot read "${path}": ${error.message}`, {
      cause: error,
    });
  }
}

/** Runs SQLite's quick check, which reads every page and compares no index. */
export function readQuickFaults(
  store: Store,
): { readonly sqliteVersion: string; readonly faults: readonly string[] } {
  return {
    sqliteVersion:
      store.get<{ v: string }>("SELECT sqlite_version() AS v")?.v ?? "",
    faults: store.all<{ quick_check: string }>("PRAGMA quick_check(10)")
      .map((row) => row.quick_check).filter((text) => text !== "ok"),
  };
}
