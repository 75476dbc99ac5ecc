/**
 * Schema version 1.
 *
 * A section's text stands once, in `sections.content`. A chunk is a span of it, counted in code
 * points as `substr()` does; `chunk_texts` shows every chunk's text. `chunks.text` is set only
 * where payload noise was cut from the span, `chunks.search_text` only where the text had to be
 * segmented to be found by word. The full-text index reads the view, so that its
 * integrity check compares it with what is stored.
 */
export const SCHEMA_1 = `
CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  docid TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  doc_type TEXT NOT NULL,
  mime TEXT NOT NULL,
  source_path TEXT,
  source_size INTEGER,
  source_mtime_ms REAL,
  source_seen_ms REAL,
  content_hash TEXT NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(metadata)),
  warnings TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(warnings)),
  created_at TEXT NOT NULL,
  updated_at TEXT
);
CREATE INDEX documents_source_path ON documents(source_path);
CREATE INDEX documents_content_hash ON documents(content_hash);
CREATE INDEX documents_recent ON documents(COALESCE(updated_at, created_at));

CREATE TABLE sections (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kbid TEXT NOT NULL UNIQUE,
  section_type TEXT NOT NULL,
  title TEXT,
  description TEXT,
  context TEXT NOT NULL DEFAULT '',
  content NOT NULL,
  size INTEGER NOT NULL,
  content_sha256 BLOB NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE document_sections (
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  section_id INTEGER NOT NULL REFERENCES sections(id),
  heading_path TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(heading_path)),
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  PRIMARY KEY (document_id, position)
) WITHOUT ROWID;
CREATE INDEX document_sections_section ON document_sections(section_id);

CREATE TABLE chunks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  section_id INTEGER NOT NULL REFERENCES sections(id),
  chunk_index INTEGER NOT NULL,
  text_start INTEGER NOT NULL,
  text_length INTEGER NOT NULL,
  line_start INTEGER NOT NULL,
  line_end INTEGER NOT NULL,
  token_count INTEGER NOT NULL,
  text TEXT,
  search_text TEXT,
  UNIQUE (section_id, chunk_index)
);

CREATE VIEW chunk_texts AS
SELECT c.id, c.section_id, c.chunk_index, s.context AS title,
  COALESCE(c.text, substr(s.content, c.text_start, c.text_length)) AS text,
  COALESCE(c.search_text, c.text, substr(s.content, c.text_start, c.text_length)) AS search_text,
  CASE s.context WHEN '' THEN '' ELSE s.context || char(10) || char(10) END
    || COALESCE(c.text, substr(s.content, c.text_start, c.text_length)) AS enriched_text
FROM chunks c JOIN sections s ON s.id = c.section_id;

CREATE VIEW chunk_search_texts AS SELECT id, title, search_text AS text FROM chunk_texts;

CREATE VIRTUAL TABLE chunks_fts USING fts5(
  title, text, content = 'chunk_search_texts', content_rowid = 'id',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('rank', 'bm25(2.0, 1.0)');

CREATE TRIGGER chunks_ai AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_fts(rowid, title, text)
  SELECT id, title, text FROM chunk_search_texts WHERE id = new.id;
END;
CREATE TRIGGER chunks_bd BEFORE DELETE ON chunks BEGIN
  INSERT INTO chunks_fts(chunks_fts, rowid, title, text)
  SELECT 'delete', id, title, text FROM chunk_search_texts WHERE id = old.id;
END;
CREATE TRIGGER chunks_bu BEFORE UPDATE ON chunks BEGIN
  SELECT RAISE(ABORT, 'chunks are replaced, never updated');
END;
CREATE TRIGGER sections_bd BEFORE DELETE ON sections BEGIN
  DELETE FROM chunks WHERE section_id = old.id;
END;
CREATE TRIGGER sections_bu BEFORE UPDATE OF context ON sections BEGIN
  INSERT INTO chunks_fts(chunks_fts, rowid, title, text)
  SELECT 'delete', t.id, t.title, t.text FROM chunk_search_texts t JOIN chunks c ON c.id = t.id
  WHERE c.section_id = old.id;
END;
CREATE TRIGGER sections_au AFTER UPDATE OF context ON sections BEGIN
  INSERT INTO chunks_fts(rowid, title, text)
  SELECT t.id, t.title, t.text FROM chunk_search_texts t JOIN chunks c ON c.id = t.id
  WHERE c.section_id = new.id;
  DELETE FROM chunk_vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE section_id = new.id);
END;
CREATE TRIGGER sections_content BEFORE UPDATE OF content ON sections BEGIN
  SELECT RAISE(ABORT, 'sections are named by their content and never change it');
END;

CREATE TABLE models (
  id INTEGER PRIMARY KEY,
  identity TEXT NOT NULL UNIQUE,
  model_key TEXT NOT NULL,
  dims INTEGER NOT NULL,
  created_at TEXT NOT NULL
);

CREATE TABLE chunk_vectors (
  chunk_id INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
  model_id INTEGER NOT NULL REFERENCES models(id),
  vector BLOB NOT NULL,
  text_hash BLOB NOT NULL,
  PRIMARY KEY (chunk_id, model_id)
) WITHOUT ROWID;
CREATE INDEX chunk_vectors_hash ON chunk_vectors(model_id, text_hash);

CREATE TABLE vector_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  chunk_id INTEGER NOT NULL
);
CREATE TRIGGER chunk_vectors_ai AFTER INSERT ON chunk_vectors BEGIN
  INSERT INTO vector_log(chunk_id) VALUES (new.chunk_id);
END;
CREATE TRIGGER chunk_vectors_au AFTER UPDATE ON chunk_vectors BEGIN
  INSERT INTO vector_log(chunk_id) VALUES (new.chunk_id);
END;
CREATE TRIGGER chunk_vectors_ad AFTER DELETE ON chunk_vectors BEGIN
  INSERT INTO vector_log(chunk_id) VALUES (old.chunk_id);
END;

CREATE TABLE tags (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);
CREATE TABLE document_tags (
  document_id INTEGER NOT NULL REFERENCES documents(id) ON DELETE CASCADE,
  tag_id INTEGER NOT NULL REFERENCES tags(id) ON DELETE CASCADE,
  PRIMARY KEY (document_id, tag_id)
) WITHOUT ROWID;
CREATE INDEX document_tags_tag ON document_tags(tag_id);
CREATE TRIGGER document_tags_collection BEFORE INSERT ON document_tags
WHEN (SELECT name FROM tags WHERE id = new.tag_id) GLOB 'collection:*'
BEGIN
  DELETE FROM document_tags WHERE document_id = new.document_id AND tag_id <> new.tag_id
    AND tag_id IN (SELECT id FROM tags WHERE name GLOB 'collection:*');
END;

CREATE TABLE links (
  id INTEGER PRIMARY KEY,
  document_id INTEGER REFERENCES documents(id) ON DELETE CASCADE,
  section_id INTEGER NOT NULL REFERENCES sections(id) ON DELETE CASCADE,
  link_type TEXT NOT NULL CHECK (link_type IN ('link', 'wikilink', 'image', 'embed')),
  target TEXT NOT NULL,
  target_path TEXT,
  label TEXT NOT NULL,
  context_snippet TEXT NOT NULL,
  line INTEGER NOT NULL
);
CREATE INDEX links_document ON links(document_id);
CREATE INDEX links_section ON links(section_id);
CREATE INDEX links_target_path ON links(target_path) WHERE target_path IS NOT NULL;

CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued'
    CHECK (status IN ('queued', 'processing', 'done', 'failed', 'skipped', 'cancelled')),
  payload TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(payload)),
  document_id INTEGER REFERENCES documents(id) ON DELETE SET NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  lease_until TEXT,
  error TEXT,
  created_at TEXT NOT NULL,
  finished_at TEXT
);
CREATE INDEX jobs_status ON jobs(status, id);
CREATE INDEX jobs_document ON jobs(document_id);
`;
