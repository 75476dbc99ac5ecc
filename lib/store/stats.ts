import { SCHEMA_VERSION } from "./migrations.ts";
import type { Store } from "./driver.ts";

/** Counts of a base. */
export interface StoreStats {
  /** Documents by type. */
  readonly documentsByType: Readonly<Record<string, number>>;
  /** Documents by collection. */
  readonly documentsByCollection: Readonly<Record<string, number>>;
  /** Documents in all. */
  readonly documents: number;
  /** Sections in all. */
  readonly sections: number;
  /** Chunks in all. */
  readonly chunks: number;
  /** Jobs by status. */
  readonly jobsByStatus: Readonly<Record<string, number>>;
  /** Bytes of the database, free pages included, log not. */
  readonly databaseBytes: number;
  /** Schema version of the base. */
  readonly schemaVersion: number;
  /** Version of SQLite in use. */
  readonly sqliteVersion: string;
}

function countBy(store: Store, sql: string): Record<string, number> {
  const rows = store.all<{ name: string; n: number }>(sql);
  return Object.fromEntries(rows.map((row) => [row.name, row.n]));
}

function one(store: Store, sql: string): number {
  return store.get<{ n: number }>(sql)?.n ?? 0;
}

/**
 * Reads a mark of the base's state, in microseconds: while it stays the same nothing was written,
 * neither by this connection nor by another. Compare marks of one store only.
 */
export function readChangeMark(store: Store): string {
  const row = store.get<{ mark: string }>(
    "SELECT total_changes() || ' ' || data_version AS mark FROM pragma_data_version",
  );
  if (row === undefined) throw new Error("SQLite gives no data_version");
  return row.mark;
}

/** Counts what a base holds. */
export function readStats(store: Store): StoreStats {
  return store.read(() => ({
    documentsByType: countBy(
      store,
      "SELECT doc_type AS name, count(*) AS n FROM documents GROUP BY 1 ORDER BY 1",
    ),
    documentsByCollection: countBy(
      store,
      `SELECT substr(t.name, 12) AS name, count(*) AS n FROM tags t
       JOIN document_tags dt ON dt.tag_id = t.id WHERE t.name GLOB 'collection:*'
       GROUP BY 1 ORDER BY 1`,
    ),
    documents: one(store, "SELECT count(*) AS n FROM documents"),
    sections: one(store, "SELECT count(*) AS n FROM sections"),
    chunks: one(store, "SELECT count(*) AS n FROM chunks"),
    jobsByStatus: countBy(
      store,
      "SELECT status AS name, count(*) AS n FROM jobs GROUP BY 1 ORDER BY 1",
    ),
    databaseBytes: one(
      store,
      `SELECT (SELECT page_count FROM pragma_page_count()) *
        (SELECT page_size FROM pragma_page_size()) AS n`,
    ),
    schemaVersion: SCHEMA_VERSION,
    sqliteVersion: store.get<{ v: string }>("SELECT sqlite_version() AS v")
      ?.v ?? "",
  }));
}
