/**
 * Schema version 3: what notes said before, and what a queue of jobs has to know.
 *
 * A job is taken by a process (`owner`) until `lease_until`; one whose lease ran out is taken up again.
 */
export const SCHEMA_3 = `
CREATE TABLE note_history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  title TEXT NOT NULL,
  content TEXT NOT NULL,
  written_at TEXT NOT NULL,
  replaced_at TEXT NOT NULL,
  UNIQUE (document_id, version)
);

ALTER TABLE jobs ADD COLUMN name TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN owner TEXT;
ALTER TABLE jobs ADD COLUMN started_at TEXT;
ALTER TABLE jobs ADD COLUMN state TEXT;
CREATE INDEX jobs_waiting ON jobs(id) WHERE status IN ('queued', 'processing');
`;
