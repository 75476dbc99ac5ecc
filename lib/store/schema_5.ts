import type { MigratingDatabase } from "./migrations.ts";
import { copyVectors } from "./vectors_5.ts";

const TEARDOWN = `
DROP TRIGGER chunks_ai;
DROP TRIGGER chunks_bd;
DROP TRIGGER chunks_bu;
DROP TRIGGER sections_bd;
DROP TRIGGER sections_bu;
DROP TRIGGER sections_au;
DROP TRIGGER sections_content;
DROP TABLE chunks_fts;
DROP VIEW chunk_search_texts;
DROP VIEW chunk_texts;
`;

/** A time is a column still, but made from fewer bytes when it is read. */
const SECTIONS = `
CREATE TABLE sections_5 (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kbid TEXT NOT NULL,
  section_type TEXT NOT NULL,
  title TEXT,
  description TEXT,
  context TEXT NOT NULL DEFAULT '',
  content NOT NULL,
  size INTEGER NOT NULL,
  content_sha256 BLOB NOT NULL CHECK (length(content_sha256) = 32),
  created_ms INTEGER NOT NULL,
  standalone INTEGER NOT NULL DEFAULT 0,
  created_at TEXT GENERATED ALWAYS AS (
    strftime('%Y-%m-%dT%H:%M:%S', created_ms / 1000, 'unixepoch')
    || printf('.%03dZ', created_ms % 1000)
  ) VIRTUAL
);
INSERT INTO sections_5(id, kbid, section_type, title, description, context, content, size,
  content_sha256, created_ms, standalone)
SELECT id, kbid, section_type, title, description, context, content, size, content_sha256,
  COALESCE(1000 * strftime('%s', created_at)
    + CAST(round(1000 * strftime('%f', created_at)) AS INTEGER) % 1000, 0), standalone
FROM sections ORDER BY id;
DELETE FROM sqlite_sequence WHERE name = 'sections_5';
INSERT INTO sqlite_sequence(name, seq)
SELECT 'sections_5', seq FROM sqlite_sequence WHERE name = 'sections';
DROP TABLE sections;
ALTER TABLE sections_5 RENAME TO sections;
CREATE UNIQUE INDEX sections_hash ON sections(substr(content_sha256, 1, 12));
CREATE INDEX sections_skill ON sections(id) WHERE section_type = 'skill';
CREATE INDEX sections_standalone_title ON sections(title COLLATE NOCASE) WHERE standalone = 1;
`;

/** The index takes two bytes less for each word in its first column, so that is the long one. */
const FULL_TEXT = `
CREATE VIEW chunk_texts AS
SELECT c.id, c.section_id, c.chunk_index, s.context AS title,
  COALESCE(c.text, substr(s.content, c.text_start, c.text_length)) AS text,
  COALESCE(c.search_text, c.text, substr(s.content, c.text_start, c.text_length)) AS search_text,
  CASE s.context WHEN '' THEN '' ELSE s.context || char(10) || char(10) END
    || COALESCE(c.text, substr(s.content, c.text_start, c.text_length)) AS enriched_text
FROM chunks c JOIN sections s ON s.id = c.section_id;

CREATE VIEW chunk_search_texts AS SELECT id, search_text AS text, title FROM chunk_texts;

CREATE VIRTUAL TABLE chunks_fts USING fts5(
  text, title, content = 'chunk_search_texts', content_rowid = 'id',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('rank', 'bm25(1.0, 2.0)');
INSERT INTO chunks_fts(chunks_fts) VALUES ('rebuild');

CREATE TRIGGER chunks_ai AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_fts(rowid, text, title)
  SELECT id, text, title FROM chunk_search_texts WHERE id = new.id;
END;
CREATE TRIGGER chunks_bd BEFORE DELETE ON chunks BEGIN
  INSERT INTO chunks_fts(chunks_fts, rowid, text, title)
  SELECT 'delete', id, text, title FROM chunk_search_texts WHERE id = old.id;
END;
CREATE TRIGGER chunks_bu BEFORE UPDATE ON chunks BEGIN
  SELECT RAISE(ABORT, 'chunks are replaced, never updated');
END;
CREATE TRIGGER sections_bd BEFORE DELETE ON sections BEGIN
  DELETE FROM chunks WHERE section_id = old.id;
END;
CREATE TRIGGER sections_bu BEFORE UPDATE OF context ON sections BEGIN
  INSERT INTO chunks_fts(chunks_fts, rowid, text, title)
  SELECT 'delete', t.id, t.text, t.title FROM chunk_search_texts t JOIN chunks c ON c.id = t.id
  WHERE c.section_id = old.id;
END;
CREATE TRIGGER sections_au AFTER UPDATE OF context ON sections BEGIN
  INSERT INTO chunks_fts(rowid, text, title)
  SELECT t.id, t.text, t.title FROM chunk_search_texts t JOIN chunks c ON c.id = t.id
  WHERE c.section_id = new.id;
  DELETE FROM chunk_vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE section_id = new.id);
END;
CREATE TRIGGER sections_content BEFORE UPDATE OF content, content_sha256, kbid ON sections BEGIN
  SELECT RAISE(ABORT, 'sections are named by their content and never change it');
END;
`;

/**
 * A row in a table of its own order leaves no room on its page unused. Half of a hash is enough to
 * find the few texts it may be; the whole one decides.
 */
const VECTORS = `
CREATE TABLE chunk_vectors_5 (
  id INTEGER PRIMARY KEY,
  chunk_id INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
  model_id INTEGER NOT NULL REFERENCES models(id),
  vector BLOB NOT NULL,
  text_hash BLOB NOT NULL,
  UNIQUE (chunk_id, model_id)
);
`;

const VECTORS_DONE = `
DROP TABLE chunk_vectors;
ALTER TABLE chunk_vectors_5 RENAME TO chunk_vectors;
CREATE INDEX chunk_vectors_hash ON chunk_vectors(model_id, substr(text_hash, 1, 8));
CREATE TRIGGER chunk_vectors_ai AFTER INSERT ON chunk_vectors BEGIN
  INSERT INTO vector_log(chunk_id) VALUES (new.chunk_id);
END;
CREATE TRIGGER chunk_vectors_au AFTER UPDATE ON chunk_vectors BEGIN
  INSERT INTO vector_log(chunk_id) VALUES (new.chunk_id);
END;
CREATE TRIGGER chunk_vectors_ad AFTER DELETE ON chunk_vectors BEGIN
  INSERT INTO vector_log(chunk_id) VALUES (old.chunk_id);
END;
`;

/**
 * Schema version 5: the same in fewer bytes.
 *
 * A section is indexed by the start of its hash, and its time is a number. The word index has the text
 * before the context. Vectors are rotated and have 8 bits a dimension.
 */
export function migrateTo5(db: MigratingDatabase): void {
  db.exec(TEARDOWN + VECTORS);
  copyVectors(db);
  db.exec(VECTORS_DONE + SECTIONS + FULL_TEXT);
}
