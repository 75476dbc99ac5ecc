import type { DocumentId, JsonObject, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import { removeOrphanSections } from "./sections.ts";

/** A document as stored, without its sections. */
export interface DocumentRow {
  /** Integer id. */
  readonly id: DocumentId;
  /** Stable text id. */
  readonly docid: string;
  /** Title, never empty. */
  readonly title: string;
  /** `note`, `markdown`, `text`, `code`, `json`, … */
  readonly docType: string;
  /** MIME type of the original. */
  readonly mime: string;
  /** Absolute path or name it came from. */
  readonly sourcePath: string | null;
  /** SHA-256 of the original bytes, hex. */
  readonly contentHash: string;
  /** Frontmatter and other facts. */
  readonly metadata: JsonObject;
  /** What went less than well while reading it. */
  readonly warnings: readonly string[];
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; `null` until the document changes. */
  readonly updatedAt: string | null;
}

/** What a caller gives to write a document. */
export interface DocumentInput {
  /** Stable text id, unique. */
  readonly docid: string;
  /** Title, never empty. */
  readonly title: string;
  /** See {@linkcode DocumentRow.docType}. */
  readonly docType: string;
  /** MIME type of the original. */
  readonly mime: string;
  /** Where it came from. */
  readonly sourcePath: string | null;
  /** SHA-256 of the original bytes, hex. */
  readonly contentHash: string;
  /** Facts kept beside it. */
  readonly metadata: JsonObject;
  /** What went less than well. */
  readonly warnings: readonly string[];
  /** Creation time if the source tells it; now otherwise. */
  readonly createdAt?: string;
}

/** What the file system said of a document's file when it was read. */
export interface SourceStat {
  /** Bytes. */
  readonly sizeBytes: number;
  /** Modification time in ms since 1970. */
  readonly mtimeMs: number;
  /** When it was read, in ms since 1970. */
  readonly seenMs: number;
}

interface RawDocument {
  readonly id: DocumentId;
  readonly docid: string;
  readonly title: string;
  readonly doc_type: string;
  readonly mime: string;
  readonly source_path: string | null;
  readonly content_hash: string;
  readonly metadata: string;
  readonly warnings: string;
  readonly created_at: string;
  readonly updated_at: string | null;
}

const COLUMNS =
  "id, docid, title, doc_type, mime, source_path, content_hash, metadata, warnings, created_at, updated_at";

function toDocument(raw: RawDocument): DocumentRow {
  return {
    id: raw.id,
    docid: raw.docid,
    title: raw.title,
    docType: raw.doc_type,
    mime: raw.mime,
    sourcePath: raw.source_path,
    contentHash: raw.content_hash,
    metadata: JSON.parse(raw.metadata),
    warnings: JSON.parse(raw.warnings),
    createdAt: raw.created_at,
    updatedAt: raw.updated_at,
  };
}

/** Inserts a document. Call inside {@linkcode Store.write}. */
export function insertDocument(
  store: Store,
  input: DocumentInput,
  stat?: SourceStat,
): DocumentId {
  const { rowid } = store.run(
    `INSERT INTO documents(docid, title, doc_type, mime, source_path, content_hash, metadata,
      warnings, created_at, source_size, source_mtime_ms, source_seen_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    input.docid,
    input.title,
    input.docType,
    input.mime,
    input.sourcePath,
    input.contentHash,
    JSON.stringify(input.metadata),
    JSON.stringify(input.warnings),
    input.createdAt ?? store.now(),
    stat?.sizeBytes ?? null,
    stat?.mtimeMs ?? null,
    stat?.seenMs ?? null,
  );
  return rowid as DocumentId;
}

/** Replaces what a document says, keeps `id`, `docid`, tags and `created_at`, sets `updated_at`. */
export function updateDocument(
  store: Store,
  id: DocumentId,
  input: Omit<DocumentInput, "docid" | "createdAt">,
  stat?: SourceStat,
): void {
  store.run(
    `UPDATE documents SET title = ?, doc_type = ?, mime = ?, source_path = ?, content_hash = ?,
      metadata = ?, warnings = ?, updated_at = ?, source_size = ?, source_mtime_ms = ?,
      source_seen_ms = ? WHERE id = ?`,
    input.title,
    input.docType,
    input.mime,
    input.sourcePath,
    input.contentHash,
    JSON.stringify(input.metadata),
    JSON.stringify(input.warnings),
    store.now(),
    stat?.sizeBytes ?? null,
    stat?.mtimeMs ?? null,
    stat?.seenMs ?? null,
    id,
  );
}

/** Notes a newer look at an unchanged file, so that the next look need not read it. */
export function touchSource(
  store: Store,
  id: DocumentId,
  stat: SourceStat,
): void {
  store.run(
    "UPDATE documents SET source_size = ?, source_mtime_ms = ?, source_seen_ms = ? WHERE id = ?",
    stat.sizeBytes,
    stat.mtimeMs,
    stat.seenMs,
    id,
  );
}

/** A document's file as last seen. */
export interface SeenSource {
  /** Which document. */
  readonly id: DocumentId;
  /** SHA-256 of the bytes, hex. */
  readonly contentHash: string;
  /** What the file system said, where the document came from a file. */
  readonly stat: SourceStat | undefined;
}

interface RawSource {
  readonly id: DocumentId;
  readonly content_hash: string;
  readonly source_path: string;
  readonly source_size: number | null;
  readonly source_mtime_ms: number | null;
  readonly source_seen_ms: number | null;
}

function toSeenSource(raw: RawSource): SeenSource {
  const known = raw.source_size !== null && raw.source_mtime_ms !== null &&
    raw.source_seen_ms !== null;
  return {
    id: raw.id,
    contentHash: raw.content_hash,
    stat: known
      ? {
        sizeBytes: raw.source_size,
        mtimeMs: raw.source_mtime_ms,
        seenMs: raw.source_seen_ms,
      }
      : undefined,
  };
}

/** Reads what is known of the files at or below a path, by absolute path. */
export function listSources(
  store: Store,
  root: string,
  separator: string,
): Map<string, SeenSource> {
  const below = root.endsWith(separator) ? root : root + separator;
  const rows = store.all<RawSource>(
    `SELECT id, content_hash, source_path, source_size, source_mtime_ms, source_seen_ms
     FROM documents WHERE source_path = ? OR (source_path >= ? AND source_path < ?)`,
    root,
    below,
    below + "\u{10ffff}",
  );
  return new Map(rows.map((raw) => [raw.source_path, toSeenSource(raw)]));
}

/** Finds a document by integer id. */
export function findDocument(
  store: Store,
  id: DocumentId,
): DocumentRow | undefined {
  const raw = store.get<RawDocument>(
    `SELECT ${COLUMNS} FROM documents WHERE id = ?`,
    id,
  );
  return raw === undefined ? undefined : toDocument(raw);
}

/** Finds documents by docid, by source path, or by content hash; oldest first. */
export function findDocumentsBy(
  store: Store,
  column: "docid" | "source_path" | "content_hash",
  value: string,
): DocumentRow[] {
  return store.all<RawDocument>(
    `SELECT ${COLUMNS} FROM documents WHERE ${column} = ? ORDER BY id`,
    value,
  ).map(toDocument);
}

/** Removes a document with its tags and links, and the sections no other document has. */
export function deleteDocument(store: Store, id: DocumentId): boolean {
  return store.write(() => {
    const sections = store.all<{ section_id: SectionId }>(
      "SELECT DISTINCT section_id FROM document_sections WHERE document_id = ?",
      id,
    ).map((row) => row.section_id);
    const { changes } = store.run("DELETE FROM documents WHERE id = ?", id);
    removeOrphanSections(store, sections);
    return changes > 0;
  });
}

/** Options for {@linkcode listDocuments}. */
export interface ListDocumentsOptions {
  /** Condition on `documents d`, from `toFilterSql()`. */
  readonly where: { readonly sql: string; readonly values: readonly string[] };
  /** Most rows. */
  readonly limit: number;
  /** Rows to pass over. */
  readonly offset: number;
  /** `recent`: last changed first; `title`, `path`: A to Z. */
  readonly sort: "recent" | "title" | "path";
}

const ORDER = {
  recent: "COALESCE(d.updated_at, d.created_at) DESC, d.id DESC",
  title: "d.title COLLATE NOCASE, d.id",
  path: "d.source_path, d.id",
} as const;

/** Lists documents, and how many there are in all. */
export function listDocuments(
  store: Store,
  options: ListDocumentsOptions,
): { documents: DocumentRow[]; total: number } {
  const { where, limit, offset, sort } = options;
  const rows = store.all<RawDocument>(
    `SELECT ${COLUMNS.split(", ").map((c) => "d." + c).join(", ")}
     FROM documents d WHERE ${where.sql} ORDER BY ${
      ORDER[sort]
    } LIMIT ? OFFSET ?`,
    ...where.values,
    limit,
    offset,
  );
  const total = store.get<{ n: number }>(
    `SELECT count(*) AS n FROM documents d WHERE ${where.sql}`,
    ...where.values,
  )?.n ?? 0;
  return { documents: rows.map(toDocument), total };
}

/** Lists documents of a filter by rising id, a page at a time. */
export function listDocumentsAfter(
  store: Store,
  after: number,
  { where, limit }: Pick<ListDocumentsOptions, "where" | "limit">,
): DocumentRow[] {
  return store.all<RawDocument>(
    `SELECT ${COLUMNS.split(", ").map((c) => "d." + c).join(", ")}
     FROM documents d WHERE ${where.sql} AND d.id > ? ORDER BY d.id LIMIT ?`,
    ...where.values,
    after,
    limit,
  ).map(toDocument);
}

/** Gives a document the times it had elsewhere. */
export function setDocumentTimes(
  store: Store,
  id: DocumentId,
  { createdAt, updatedAt }: Pick<DocumentRow, "createdAt" | "updatedAt">,
): void {
  store.run(
    "UPDATE documents SET created_at = ?, updated_at = ? WHERE id = ?",
    createdAt,
    updatedAt,
    id,
  );
}
