import type { DocumentId, LinkType, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";

/** A stored reference. */
export interface LinkRow {
  /** Integer id, rising with the order of storing. */
  readonly id: number;
  /** Document whose text has it; `null` if the section stands alone. */
  readonly documentId: DocumentId | null;
  /** Section it was found in. */
  readonly sectionId: SectionId;
  /** Kind of reference. */
  readonly type: LinkType;
  /** Target as written. */
  readonly target: string;
  /** Absolute path it means, for a relative reference in a file. */
  readonly targetPath: string | null;
  /** The sentence around it. */
  readonly contextSnippet: string;
}

const COLUMNS =
  `l.id, l.document_id AS documentId, l.section_id AS sectionId, l.link_type AS type,
  l.target, l.target_path AS targetPath, l.context_snippet AS contextSnippet`;

/** Reads the references of a section, of each document that has it, in the order of the text. */
export function listLinksOf(
  store: Store,
  sectionId: SectionId,
  limit: number,
): LinkRow[] {
  return store.all<LinkRow>(
    `SELECT ${COLUMNS} FROM links l WHERE l.section_id = ? ORDER BY l.id LIMIT ?`,
    sectionId,
    limit,
  );
}

/** Reads one page of all references, by rising id. */
export function listLinksAfter(
  store: Store,
  id: number,
  limit: number,
): LinkRow[] {
  return store.all<LinkRow>(
    `SELECT ${COLUMNS} FROM links l WHERE l.id > ? ORDER BY l.id LIMIT ?`,
    id,
    limit,
  );
}

/** Which references to a name or path to read. */
export interface ListLinksToOptions {
  /** `whole`: without an anchor; `part`: with one. */
  readonly anchor: "whole" | "part";
  /** Most rows. */
  readonly limit: number;
  /** Keeps those of one document. */
  readonly documentId?: DocumentId;
}

/**
 * Reads the references that are written as one of some names, by `links_target`.
 *
 * @param store Open store.
 * @param names Titles, file names, docids, URIs; the case of ASCII letters does not count.
 * @param options Whether `#…` follows the name.
 * @returns Candidates only: what a name means depends on where it is written.
 */
export function listLinksToNames(
  store: Store,
  names: readonly string[],
  options: ListLinksToOptions,
): LinkRow[] {
  // A "$" is next to "#", so that the range holds what begins with the name and a "#".
  const condition = options.anchor === "whole"
    ? "l.target = k.value COLLATE NOCASE"
    : `l.target >= k.value || '#' COLLATE NOCASE AND l.target < k.value || '$' COLLATE NOCASE`;
  return store.all<LinkRow>(
    `SELECT ${COLUMNS} FROM json_each(?) k CROSS JOIN links l
     ON l.target_path IS NULL AND ${condition}
     WHERE ? IS NULL OR l.document_id = ? LIMIT ?`,
    JSON.stringify(names),
    options.documentId ?? null,
    options.documentId ?? null,
    options.limit,
  );
}

/** Reads the references to a file, by `links_target_path`. */
export function listLinksToPath(
  store: Store,
  path: string,
  options: ListLinksToOptions,
): LinkRow[] {
  const not = options.anchor === "whole" ? "NOT" : "";
  return store.all<LinkRow>(
    `SELECT ${COLUMNS} FROM links l
     WHERE l.target_path = ? AND l.target ${not} LIKE '%#_%' LIMIT ?`,
    path,
    options.limit,
  );
}

/** What a reference can know a document by. */
export interface NamedDocument {
  /** Integer id. */
  readonly id: DocumentId;
  /** Stable text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** See `DocumentRow.docType`. */
  readonly docType: string;
  /** Where it came from. */
  readonly sourcePath: string | null;
}

const NAMED =
  "SELECT id, docid, title, doc_type AS docType, source_path AS sourcePath FROM documents";

/** Finds a document by integer id. */
export function findNamedDocument(
  store: Store,
  id: DocumentId,
): NamedDocument | undefined {
  return store.get<NamedDocument>(`${NAMED} WHERE id = ?`, id);
}

/** Finds a document by docid, the case of its letters counting. */
export function findNamedByDocid(
  store: Store,
  docid: string,
): NamedDocument | undefined {
  return store.get<NamedDocument>(`${NAMED} WHERE docid = ?`, docid);
}

/** Finds the oldest document that came from a path. */
export function findNamedByPath(
  store: Store,
  path: string,
): NamedDocument | undefined {
  return store.get<NamedDocument>(
    `${NAMED} WHERE source_path = ? ORDER BY id LIMIT 1`,
    path,
  );
}

/** Lists documents with a title, oldest first; the case of ASCII letters does not count. */
export function listNamedByTitle(
  store: Store,
  title: string,
  limit: number,
): NamedDocument[] {
  return store.all<NamedDocument>(
    `${NAMED} WHERE title = ? COLLATE NOCASE ORDER BY id LIMIT ?`,
    title,
    limit,
  );
}

/** Lists documents with a file name, with or without its extension; case as with titles. */
export function listNamedByFile(
  store: Store,
  name: string,
  limit: number,
): NamedDocument[] {
  // A "/" is next to ".", so that the range holds what begins with the name and a ".".
  return store.all<NamedDocument>(
    `${NAMED} WHERE file_name = ? COLLATE NOCASE
     UNION ALL ${NAMED} WHERE file_name >= ? || '.' COLLATE NOCASE
      AND file_name < ? || '/' COLLATE NOCASE LIMIT ?`,
    name,
    name,
    name,
    limit,
  );
}

/** Says whether a document came from a file below a folder. */
export function hasDocumentsBelow(store: Store, folder: string): boolean {
  const separator = folder.includes("\\") ? "\\" : "/";
  const below = folder.endsWith(separator) ? folder : folder + separator;
  return store.get(
    "SELECT 1 FROM documents WHERE source_path >= ? AND source_path < ? LIMIT 1",
    below,
    below + "\u{10ffff}",
  ) !== undefined;
}

/** Finds the oldest section that stands alone and has a title; case as with documents. */
export function findStandaloneByTitle(
  store: Store,
  title: string,
): SectionId | undefined {
  return store.get<{ id: SectionId }>(
    `SELECT id FROM sections WHERE standalone = 1 AND title = ? COLLATE NOCASE
     ORDER BY id LIMIT 1`,
    title,
  )?.id;
}
