import type { JsonObject } from "../core/mod.ts";
import type { Store } from "./driver.ts";

/** A folder that is synced again and again. */
export interface SyncRootRow {
  /** Real absolute path. */
  readonly path: string;
  /** How it is synced. */
  readonly options: JsonObject;
  /** ISO 8601 UTC, when it was synced to its end last. */
  readonly syncedAt: string;
}

interface RawRoot {
  readonly path: string;
  readonly options: string;
  readonly synced_at: string;
}

/** Lists the folders, A to Z. */
export function listSyncRoots(store: Store): SyncRootRow[] {
  return store.all<RawRoot>(
    "SELECT path, options, synced_at FROM sync_roots ORDER BY path",
  ).map(({ path, options, synced_at }) => {
    const parsed: JsonObject = JSON.parse(options);
    return { path, options: parsed, syncedAt: synced_at };
  });
}

/** Remembers a folder that was synced to its end just now, and how. */
export function putSyncRoot(
  store: Store,
  path: string,
  options: JsonObject,
): void {
  const now = store.now();
  store.write(() =>
    store.run(
      `INSERT INTO sync_roots(path, options, created_at, synced_at) VALUES (?, ?, ?, ?)
       ON CONFLICT(path) DO UPDATE SET options = excluded.options, synced_at = excluded.synced_at`,
      path,
      JSON.stringify(options),
      now,
      now,
    )
  );
}

/** Forgets a folder, not its documents; answers whether it was known. */
export function deleteSyncRoot(store: Store, path: string): boolean {
  return store.write(() =>
    store.run("DELETE FROM sync_roots WHERE path = ?", path).changes > 0
  );
}
