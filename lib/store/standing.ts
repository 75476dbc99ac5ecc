import type { DocumentId, Kbid, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import { BEGINS_WITH, kbidPrefixKeys } from "./kbid_index.ts";
import type { SectionRow } from "./sections.ts";
import { addTags, listTagsOf } from "./tags.ts";

const SECTION_COLUMNS =
  "id, kbid, section_type AS sectionType, title, description, content, size";

/** Lists the skills, oldest first. */
export function listSkillSections(store: Store): SectionRow[] {
  return store.all<SectionRow>(
    `SELECT ${SECTION_COLUMNS} FROM sections WHERE section_type = 'skill' ORDER BY id`,
  );
}

/** Lists the text ids of the documents that have a section, oldest document first. */
export function listDocidsOf(store: Store, id: SectionId): string[] {
  return store.all<{ docid: string }>(
    `SELECT DISTINCT d.id, d.docid FROM document_sections ds
     JOIN documents d ON d.id = ds.document_id WHERE ds.section_id = ? ORDER BY d.id`,
    id,
  ).map((row) => row.docid);
}

/** Has a section outlive the documents it is in. Call inside a write. */
export function keepSection(store: Store, id: SectionId): void {
  store.run("UPDATE sections SET standalone = 1 WHERE id = ?", id);
}

/** The position behind the last section of a document, from 0. */
export function nextPosition(store: Store, id: DocumentId): number {
  return store.get<{ next: number }>(
    "SELECT COALESCE(max(position), -1) + 1 AS next FROM document_sections WHERE document_id = ?",
    id,
  )?.next ?? 0;
}

/** Notes that a document changed, and the hash of what it is now. Call inside a write. */
export function markUpdated(
  store: Store,
  id: DocumentId,
  contentHash: string,
): void {
  store.run(
    "UPDATE documents SET updated_at = ?, content_hash = ? WHERE id = ?",
    store.now(),
    contentHash,
    id,
  );
}

/** Adds tags to a document that is there, and notes that it changed if it had not all of them. Call inside a write. */
export function relabel(
  store: Store,
  id: DocumentId,
  tags: readonly string[],
): void {
  const before = listTagsOf(store, id).join("\n");
  addTags(store, id, tags);
  if (listTagsOf(store, id).join("\n") === before) return;
  store.run(
    "UPDATE documents SET updated_at = ? WHERE id = ?",
    store.now(),
    id,
  );
}

/** Removes a section, wherever it stands, and answers which documents had it. Call inside a write. */
export function deleteSection(store: Store, id: SectionId): DocumentId[] {
  const documents = store.all<{ id: DocumentId }>(
    "SELECT DISTINCT document_id AS id FROM document_sections WHERE section_id = ?",
    id,
  ).map((row) => row.id);
  store.run("DELETE FROM document_sections WHERE section_id = ?", id);
  store.run("DELETE FROM sections WHERE id = ?", id);
  return documents;
}

/** A section that no document has. */
export interface UnplacedSection {
  /** Integer id. */
  readonly id: SectionId;
  /** Name of the content. */
  readonly kbid: Kbid;
  /** MIME type. */
  readonly sectionType: string;
  /** Title, or `null`. */
  readonly title: string | null;
  /** Bytes of the content. */
  readonly size: number;
  /** Whether it was stored to stand alone. */
  readonly standalone: boolean;
}

/** Lists the sections that no document has, skills left out, oldest first. */
export function listUnplacedSections(store: Store): UnplacedSection[] {
  return store.all<
    Omit<UnplacedSection, "standalone"> & { standalone: number }
  >(
    `SELECT id, kbid, section_type AS sectionType, title, size, standalone FROM sections s
     WHERE section_type <> 'skill'
       AND NOT EXISTS (SELECT 1 FROM document_sections ds WHERE ds.section_id = s.id) ORDER BY id`,
  ).map((row) => ({ ...row, standalone: row.standalone === 1 }));
}

/** Lists ids that begin with a text, A to Z, at most `limit`. */
export function listIdsFrom(
  store: Store,
  kind: "kbid" | "docid",
  prefix: string,
  limit: number,
): string[] {
  if (kind === "kbid") {
    return store.all<{ id: string }>(
      `SELECT kbid AS id FROM sections WHERE ${BEGINS_WITH} ORDER BY 1 LIMIT ?`,
      ...kbidPrefixKeys(prefix),
      limit,
    ).map((row) => row.id);
  }
  return store.all<{ id: string }>(
    "SELECT docid AS id FROM documents WHERE docid >= ? AND docid < ? ORDER BY 1 LIMIT ?",
    prefix,
    prefix + "\u{10ffff}",
    limit,
  ).map((row) => row.id);
}

/** A section as lists of a document show it. */
export interface SectionHeadRow {
  /** Name of the content. */
  readonly kbid: Kbid;
  /** Title, or `null`. */
  readonly heading: string | null;
  /** MIME type, or `skill`. */
  readonly type: string;
}

/** Reads which sections a document has, in order, without their content. */
export function listSectionHeads(
  store: Store,
  id: DocumentId,
): SectionHeadRow[] {
  return store.all<SectionHeadRow>(
    `SELECT s.kbid, s.title AS heading, s.section_type AS type FROM document_sections ds
     JOIN sections s ON s.id = ds.section_id WHERE ds.document_id = ? ORDER BY ds.position`,
    id,
  );
}

/** Lists the agents, oldest first. */
export function listAgentIds(store: Store): DocumentId[] {
  return store.all<{ id: DocumentId }>(
    "SELECT id FROM documents WHERE doc_type = 'agent' ORDER BY id",
  ).map((row) => row.id);
}
