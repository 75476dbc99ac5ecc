import type { Store } from "./driver.ts";

/** A key of the API as the base keeps it: never the key itself. */
export interface ApiKeyRow {
  /** Its name, unique. */
  readonly name: string;
  /** What it may do. */
  readonly scope: "read" | "write" | "admin";
  /** SHA-256 of the key, hex. */
  readonly digest: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; `null` until it is used. */
  readonly lastUsedAt: string | null;
}

const PREFIX = "api_key:";

/** Lists the keys, A to Z by name. */
export function listApiKeys(store: Store): ApiKeyRow[] {
  return store.all<{ value: string }>(
    "SELECT value FROM meta WHERE key >= ? AND key < ? ORDER BY key",
    PREFIX,
    "api_key;",
  ).map(({ value }) => JSON.parse(value));
}

/** Stores a key, in the place of one of the same name. */
export function putApiKey(store: Store, row: ApiKeyRow): void {
  store.run(
    "INSERT INTO meta(key, value) VALUES (?, ?) ON CONFLICT(key) DO UPDATE SET value = excluded.value",
    PREFIX + row.name,
    JSON.stringify(row),
  );
}

/** Notes when a key was used last; one that is gone is passed over. */
export function touchApiKey(store: Store, name: string, at: string): void {
  store.run(
    "UPDATE meta SET value = json_set(value, '$.lastUsedAt', ?) WHERE key = ?",
    at,
    PREFIX + name,
  );
}

/** Removes a key; answers whether it was there. */
export function deleteApiKey(store: Store, name: string): boolean {
  return store.run("DELETE FROM meta WHERE key = ?", PREFIX + name).changes > 0;
}
