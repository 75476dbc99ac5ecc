/** Schema version 7: folders that are synced again and again, and how. */
export const SCHEMA_7 = `
CREATE TABLE sync_roots(
  path TEXT PRIMARY KEY,
  options TEXT NOT NULL CHECK (json_valid(options)),
  created_at TEXT NOT NULL,
  synced_at TEXT NOT NULL
);
`;
