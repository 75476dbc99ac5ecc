import { isCodeType, listIdentifierParts } from "../core/mod.ts";
import type { MigratingDatabase } from "./migrations.ts";

/** Chunks that are read at once. */
const BATCH = 1_000;

const TEARDOWN = `
DROP TRIGGER chunks_ai;
DROP TRIGGER chunks_bd;
DROP TRIGGER chunks_bu;
DROP TRIGGER sections_bu;
DROP TRIGGER sections_au;
DROP TABLE chunks_fts;
ALTER TABLE chunks ADD COLUMN identifiers TEXT;
`;

/** What identifiers are made of counts half as much as the text, so that whole ones rank first. */
const FULL_TEXT = `
DROP VIEW chunk_search_texts;
DROP VIEW chunk_texts;
CREATE VIEW chunk_texts AS
SELECT c.id, c.section_id, c.chunk_index, s.context AS title, c.identifiers,
  COALESCE(c.text, substr(s.content, c.text_start, c.text_length)) AS text,
  COALESCE(c.search_text, c.text, substr(s.content, c.text_start, c.text_length)) AS search_text,
  CASE s.context WHEN '' THEN '' ELSE s.context || char(10) || char(10) END
    || COALESCE(c.text, substr(s.content, c.text_start, c.text_length)) AS enriched_text
FROM chunks c JOIN sections s ON s.id = c.section_id;

CREATE VIEW chunk_search_texts AS
SELECT id, search_text AS text, title, identifiers FROM chunk_texts;

CREATE VIRTUAL TABLE chunks_fts USING fts5(
  text, title, identifiers, content = 'chunk_search_texts', content_rowid = 'id',
  tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'"
);
INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('rank', 'bm25(1.0, 2.0, 0.5)');
INSERT INTO chunks_fts(chunks_fts) VALUES ('rebuild');

CREATE TRIGGER chunks_ai AFTER INSERT ON chunks BEGIN
  INSERT INTO chunks_fts(rowid, text, title, identifiers)
  SELECT id, text, title, identifiers FROM chunk_search_texts WHERE id = new.id;
END;
CREATE TRIGGER chunks_bd BEFORE DELETE ON chunks BEGIN
  INSERT INTO chunks_fts(chunks_fts, rowid, text, title, identifiers)
  SELECT 'delete', id, text, title, identifiers FROM chunk_search_texts WHERE id = old.id;
END;
CREATE TRIGGER chunks_bu BEFORE UPDATE ON chunks BEGIN
  SELECT RAISE(ABORT, 'chunks are replaced, never updated');
END;
CREATE TRIGGER sections_bu BEFORE UPDATE OF context ON sections BEGIN
  INSERT INTO chunks_fts(chunks_fts, rowid, text, title, identifiers)
  SELECT 'delete', t.id, t.text, t.title, t.identifiers
  FROM chunk_search_texts t JOIN chunks c ON c.id = t.id WHERE c.section_id = old.id;
END;
CREATE TRIGGER sections_au AFTER UPDATE OF context ON sections BEGIN
  INSERT INTO chunks_fts(rowid, text, title, identifiers)
  SELECT t.id, t.text, t.title, t.identifiers
  FROM chunk_search_texts t JOIN chunks c ON c.id = t.id WHERE c.section_id = new.id;
  DELETE FROM chunk_vectors WHERE chunk_id IN (SELECT id FROM chunks WHERE section_id = new.id);
END;
`;

/** Schema version 8: the word index has the parts of identifiers in a column of their own. */
export function migrateTo8(db: MigratingDatabase): void {
  db.exec(TEARDOWN);
  fillIdentifiers(db);
  db.exec(FULL_TEXT);
}

/** Finds the identifiers of the chunks that are there. */
function fillIdentifiers(db: MigratingDatabase): void {
  const read = db.prepare(
    `SELECT c.id, t.text, s.section_type AS type FROM chunks c
     JOIN chunk_texts t ON t.id = c.id JOIN sections s ON s.id = c.section_id
     WHERE c.id > ? ORDER BY c.id LIMIT ${BATCH}`,
  );
  const write = db.prepare("UPDATE chunks SET identifiers = ? WHERE id = ?");
  for (let last = 0, isDone = false; !isDone;) {
    const rows = read.all(last);
    for (const { id, text, type } of rows) {
      last = Number(id);
      const parts = listIdentifierParts(String(text), isCodeType(String(type)));
      if (parts !== undefined) write.run(parts, last);
    }
    isDone = rows.length < BATCH;
  }
}
