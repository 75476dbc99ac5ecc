import {
  type ChunkId,
  KbError,
  type Kbid,
  type SectionId,
} from "../core/mod.ts";
import type { Store } from "./driver.ts";
import type { SectionContent } from "./sections.ts";

/** Rows read at a time. */
const PAGE_ROWS = 500;

/** A fault of the database or of its word index. */
export interface DatabaseFault {
  /** `database_damage`, or `index_mismatch` which a rebuild repairs. */
  readonly type: "database_damage" | "index_mismatch";
  /** Table or part. */
  readonly entity: string;
  /** What SQLite says. */
  readonly detail: string;
}

/** Runs SQLite's own checks; that of the word index compares every word with the stored text. */
export function listDatabaseFaults(store: Store): DatabaseFault[] {
  const faults: DatabaseFault[] = [];
  const damage = store.all<{ integrity_check: string }>(
    "PRAGMA integrity_check(100)",
  ).map((row) => row.integrity_check).filter((text) => text !== "ok");
  for (const detail of damage) {
    faults.push({ type: "database_damage", entity: "database", detail });
  }
  const loose = store.all<{ table: string; parent: string; rowid: number }>(
    `SELECT "table", parent, rowid FROM pragma_foreign_key_check LIMIT 100`,
  );
  for (const { table, parent, rowid } of loose) {
    faults.push({
      type: "database_damage",
      entity: table,
      detail: `row ${rowid} points to a row of ${parent} that is gone`,
    });
  }
  const { chunks, indexed } = store.get<{ chunks: number; indexed: number }>(
    `SELECT (SELECT count(*) FROM chunks) AS chunks,
      (SELECT count(*) FROM chunks_fts_docsize) AS indexed`,
  ) ?? { chunks: 0, indexed: 0 };
  if (chunks !== indexed) {
    faults.push({
      type: "index_mismatch",
      entity: "chunks_fts",
      detail: `${indexed} of ${chunks} chunks are in the word index`,
    });
  } else if (!isIndexIntact(store)) {
    faults.push({
      type: "index_mismatch",
      entity: "chunks_fts",
      detail: "the word index does not say what the texts say",
    });
  }
  return faults;
}

function isIndexIntact(store: Store): boolean {
  try {
    store.run(
      "INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('integrity-check', 1)",
    );
    return true;
  } catch (error) {
    if (error instanceof KbError && error.code === "corrupt") return false;
    throw error;
  }
}

/** A section with all that decides its chunks and its name. */
export interface StoredSection {
  /** Integer id. */
  readonly id: SectionId;
  /** Name of the content, as stored. */
  readonly kbid: Kbid;
  /** MIME type, or `skill`. */
  readonly sectionType: string;
  /** Title, or `null`. */
  readonly title: string | null;
  /** What it is about, or `null`. */
  readonly description: string | null;
  /** What stands before its text in the index. */
  readonly context: string;
  /** Text or bytes. */
  readonly content: SectionContent;
  /** SHA-256 of the content, as stored. */
  readonly contentSha256: Uint8Array;
}

/** Reads all sections by rising id, a page at a time. */
export function* iterateSections(
  store: Store,
): IterableIterator<StoredSection> {
  let after = 0;
  while (true) {
    const page = store.all<StoredSection>(
      `SELECT id, kbid, section_type AS sectionType, title, description, context, content,
        content_sha256 AS contentSha256 FROM sections WHERE id > ? ORDER BY id LIMIT ?`,
      after,
      PAGE_ROWS,
    );
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ROWS) return;
    after = last.id;
  }
}

/** Lists documents without a section that are neither a file's nor an agent. */
export function listHollowDocuments(store: Store): string[] {
  return store.all<{ docid: string }>(
    `SELECT docid FROM documents d WHERE source_path IS NULL AND doc_type <> 'agent'
       AND NOT EXISTS (SELECT 1 FROM document_sections ds WHERE ds.document_id = d.id)
     ORDER BY id`,
  ).map((row) => row.docid);
}

/** Lists jobs whose lease ran out. */
export function listStaleJobs(store: Store): number[] {
  return store.all<{ id: number }>(
    "SELECT id FROM jobs WHERE status = 'processing' AND lease_until < ? ORDER BY id",
    store.now(),
  ).map((row) => row.id);
}

/** A chunk as stored. */
export interface StoredChunk {
  /** Integer id. */
  readonly id: ChunkId;
  /** First code point of its span, from 1 as SQL counts. */
  readonly textStart: number;
  /** Code points of its span. */
  readonly textLength: number;
  /** First line, counted from the section's first, from 0. */
  readonly lineStart: number;
  /** Last line, counted likewise. */
  readonly lineEnd: number;
  /** Tokens of the text. */
  readonly tokenCount: number;
  /** Text of its own, or `null`. */
  readonly text: string | null;
  /** Text of its own for the word index, or `null`. */
  readonly searchText: string | null;
  /** Parts of the identifiers in it, or `null`. */
  readonly identifiers: string | null;
}

/** Reads the chunks of a section in order. */
export function listStoredChunks(store: Store, id: SectionId): StoredChunk[] {
  return store.all<StoredChunk>(
    `SELECT id, text_start AS textStart, text_length AS textLength, line_start AS lineStart,
      line_end AS lineEnd, token_count AS tokenCount, text, search_text AS searchText,
      identifiers
     FROM chunks WHERE section_id = ? ORDER BY chunk_index`,
    id,
  );
}

/** A vector with the text it should be of. */
export interface StoredVector {
  /** Which chunk. */
  readonly chunkId: ChunkId;
  /** Which model. */
  readonly modelId: number;
  /** Numbers per vector of the model. */
  readonly dims: number;
  /** The vector, quantised. */
  readonly vector: Uint8Array;
  /** Hash of the text it was made of. */
  readonly textHash: Uint8Array;
  /** The text as it is now. */
  readonly enrichedText: string;
}

/** Reads the vectors of a section's chunks. */
export function listStoredVectors(store: Store, id: SectionId): StoredVector[] {
  return store.all<StoredVector>(
    `SELECT v.chunk_id AS chunkId, v.model_id AS modelId, m.dims, v.vector,
      v.text_hash AS textHash, t.enriched_text AS enrichedText
     FROM chunks c JOIN chunk_vectors v ON v.chunk_id = c.id JOIN models m ON m.id = v.model_id
     JOIN chunk_texts t ON t.id = c.id WHERE c.section_id = ? ORDER BY c.chunk_index`,
    id,
  );
}

/** Reads what is embedded of each chunk of a section, in order. */
export function listEnrichedChunks(
  store: Store,
  id: SectionId,
): { id: ChunkId; enrichedText: string }[] {
  return store.all(
    `SELECT id, enriched_text AS enrichedText FROM chunk_texts WHERE section_id = ?
     ORDER BY chunk_index`,
    id,
  );
}

/** Removes all chunks of a section, their index entries and vectors. Call inside a write. */
export function deleteChunks(store: Store, id: SectionId): void {
  store.run("DELETE FROM chunks WHERE section_id = ?", id);
}

/** Removes the vectors of a chunk. Call inside a write. */
export function deleteVectors(store: Store, id: ChunkId): void {
  store.run("DELETE FROM chunk_vectors WHERE chunk_id = ?", id);
}

/** Makes the word index anew from the stored texts, in one transaction. */
export function rebuildFullText(store: Store): void {
  store.write(() =>
    store.run("INSERT INTO chunks_fts(chunks_fts) VALUES ('rebuild')")
  );
}

/** Counts the distinct words in the index. */
export function countTerms(store: Store): number {
  store.run(
    "CREATE VIRTUAL TABLE IF NOT EXISTS temp.terms USING fts5vocab(main, chunks_fts, row)",
  );
  return store.get<{ n: number }>("SELECT count(*) AS n FROM temp.terms")?.n ??
    0;
}
