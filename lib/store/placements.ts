import type { ChunkId, DocumentId, Kbid, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import { type DocumentFilter, toFilterSql } from "./filters.ts";

/** A place where a section stands. */
export interface SectionPlacement {
  /** Document it stands in. */
  readonly documentId: DocumentId;
  /** Text id of the document. */
  readonly docid: string;
  /** Title of the document. */
  readonly documentTitle: string;
  /** Type of the document. */
  readonly docType: string;
  /** Where the document came from. */
  readonly sourcePath: string | null;
  /** Headings from the outermost to the section's own. */
  readonly headingPath: readonly string[];
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet it begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
  /** Whether its lines are lines of the file, so that a part of it has lines of its own. */
  readonly exactLines: boolean;
  /** ISO 8601 UTC; when the document last changed. */
  readonly updatedAt: string;
}

/** Lists where a section stands in documents that pass a filter, oldest document first. */
export function listPlacementsOf(
  store: Store,
  sectionId: SectionId,
  filter: DocumentFilter = {},
): SectionPlacement[] {
  const { sql, values } = toFilterSql(filter);
  return store.all<
    Omit<SectionPlacement, "headingPath" | "exactLines"> & {
      headings: string;
      exact: number;
    }
  >(
    `SELECT d.id AS documentId, d.docid, d.title AS documentTitle, d.doc_type AS docType,
      d.source_path AS sourcePath, ds.heading_path AS headings, ds.line_start AS lineStart,
      ds.line_end AS lineEnd, ds.page, ds.exact_lines AS exact, COALESCE(d.updated_at, d.created_at) AS updatedAt
     FROM document_sections ds JOIN documents d ON d.id = ds.document_id
     WHERE ds.section_id = ? AND ${sql} ORDER BY d.id, ds.position`,
    sectionId,
    ...values,
  ).map(({ headings, exact, ...row }) => ({
    ...row,
    headingPath: JSON.parse(headings),
    exactLines: exact === 1,
  }));
}

/** Counts the chunks of a document's sections. */
export function countChunksOf(store: Store, id: DocumentId): number {
  return store.get<{ n: number }>(
    `SELECT count(*) AS n FROM document_sections ds JOIN chunks c ON c.section_id = ds.section_id
     WHERE ds.document_id = ?`,
    id,
  )?.n ?? 0;
}

/** A chunk in its document. */
export interface PlacedChunk {
  /** Integer id. */
  readonly id: ChunkId;
  /** Section it belongs to. */
  readonly kbid: Kbid;
  /** Its text. */
  readonly text: string;
  /** Headings from the outermost to its own. */
  readonly headingPath: readonly string[];
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet it begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
  /** Tokens by the model's tokenizer. */
  readonly tokenCount: number;
}

/** Reads the chunks of a document in the order of its text. */
export function listChunksOf(store: Store, id: DocumentId): PlacedChunk[] {
  return store.all<Omit<PlacedChunk, "headingPath"> & { headings: string }>(
    `SELECT t.id, s.kbid, t.text, ds.heading_path AS headings,
      ds.line_start + ds.exact_lines * c.line_start AS lineStart,
      iif(ds.exact_lines, ds.line_start + c.line_end, ds.line_end) AS lineEnd, ds.page,
      c.token_count AS tokenCount
     FROM document_sections ds JOIN sections s ON s.id = ds.section_id
     JOIN chunks c ON c.section_id = s.id JOIN chunk_texts t ON t.id = c.id
     WHERE ds.document_id = ? ORDER BY ds.position, c.chunk_index`,
    id,
  ).map(({ headings, ...row }) => ({
    ...row,
    headingPath: JSON.parse(headings),
  }));
}

/** Reads the text of a section before one of its chunks; `""` for the first, and where there is none. */
export function readTextBefore(store: Store, id: ChunkId): string {
  return store.get<{ text: string }>(
    `SELECT substr(s.content, 1, c.text_start - 1) AS text
     FROM chunks c JOIN sections s ON s.id = c.section_id
     WHERE c.id = ? AND c.chunk_index > 0 AND c.text_length > 0`,
    id,
  )?.text ?? "";
}
