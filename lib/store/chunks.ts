import type { ChunkId, Kbid, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";

/** One chunk of a section, as ingestion hands it over. */
export interface ChunkInput {
  /** First code point of the span in the section's content, from 0. */
  readonly start: number;
  /** Code points in the span. */
  readonly length: number;
  /** First line of the span, counted from the section's first line, from 0. */
  readonly lineStart: number;
  /** Last line of the span, counted likewise. */
  readonly lineEnd: number;
  /** Tokens of the span by the model's tokenizer, context and marks not counted. */
  readonly tokenCount: number;
  /** Text to use instead of the span, where payload noise was cut. */
  readonly text?: string;
  /** Text to index by word instead, where it had to be segmented. */
  readonly searchText?: string;
  /** Parts of the identifiers in it, for the word index; unset if there are none. */
  readonly identifiers?: string;
}

/** The chunks of one section, in order. */
export interface SectionChunks {
  /** The section. */
  readonly sectionId: SectionId;
  /** Its chunks. */
  readonly chunks: readonly ChunkInput[];
}

/**
 * Stores the chunks of new sections; a section that is gone is passed over.
 *
 * One statement for all, as the word index writes what it has gathered to the file before each
 * statement that fires triggers: a statement for each chunk takes four times as long.
 */
export function insertChunks(
  store: Store,
  sections: readonly SectionChunks[],
): void {
  const rows = sections.flatMap(({ sectionId, chunks }) =>
    chunks.map((chunk, index) => [
      sectionId,
      index,
      chunk.start + 1,
      chunk.length,
      chunk.lineStart,
      chunk.lineEnd,
      chunk.tokenCount,
      chunk.text ?? null,
      chunk.searchText ?? null,
      chunk.identifiers ?? null,
    ])
  );
  if (rows.length === 0) return;
  store.run(
    `INSERT INTO chunks(section_id, chunk_index, text_start, text_length, line_start, line_end,
      token_count, text, search_text, identifiers)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5,
      value ->> 6, value ->> 7, value ->> 8, value ->> 9
     FROM json_each(?) WHERE EXISTS (SELECT 1 FROM sections WHERE id = value ->> 0)
     ORDER BY key`,
    JSON.stringify(rows),
  );
}

/** Changes the context of a section that one document has for itself; its vectors go stale and are dropped. */
export function refreshContext(
  store: Store,
  id: SectionId,
  context: string,
): void {
  store.run(
    `UPDATE sections SET context = ? WHERE id = ? AND context <> ?
      AND (SELECT count(DISTINCT document_id) FROM document_sections WHERE section_id = ?) <= 1`,
    context,
    id,
    context,
    id,
  );
}

/** A chunk with what a hit shows of it. */
export interface ChunkRow {
  /** Integer id. */
  readonly id: ChunkId;
  /** Section it belongs to. */
  readonly sectionId: SectionId;
  /** Name of the section's content. */
  readonly kbid: Kbid;
  /** MIME type of the section. */
  readonly sectionType: string;
  /** Heading of the section, or `null`. */
  readonly title: string | null;
  /** Document title and headings it is indexed with. */
  readonly context: string;
  /** Position in the section, from 0. */
  readonly chunkIndex: number;
  /** Its text. */
  readonly text: string;
  /** First line, counted from the section's first, from 0. */
  readonly lineStart: number;
  /** Last line, counted likewise. */
  readonly lineEnd: number;
}

/** Reads chunks by id, in the order given; ids that are gone are left out. */
export function getChunks(store: Store, ids: readonly ChunkId[]): ChunkRow[] {
  const rows: ChunkRow[] = [];
  for (const id of ids) {
    const row = store.get<ChunkRow>(
      `SELECT t.id, t.section_id AS sectionId, s.kbid, s.section_type AS sectionType, s.title, s.context,
        t.chunk_index AS chunkIndex, t.text, c.line_start AS lineStart, c.line_end AS lineEnd
       FROM chunk_texts t JOIN chunks c ON c.id = t.id JOIN sections s ON s.id = t.section_id
       WHERE t.id = ?`,
      id,
    );
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** Reads the distinct sections that chunks belong to, by rising id. */
export function listSectionsOfChunks(
  store: Store,
  ids: readonly ChunkId[],
): SectionId[] {
  return store.all<{ id: SectionId }>(
    `SELECT DISTINCT section_id AS id FROM chunks
     WHERE id IN (SELECT value FROM json_each(?)) ORDER BY 1`,
    JSON.stringify(ids),
  ).map((row) => row.id);
}
