import { Buffer } from "node:buffer";
import {
  type DocumentId,
  type Kbid,
  type LinkType,
  type SectionId,
  sha256,
  toKbidOfHash,
} from "../core/mod.ts";
import type { Store } from "./driver.ts";
import {
  HASH_START,
  HASH_START_BYTES,
  IS_KBID,
  kbidKeys,
} from "./kbid_index.ts";

/** A section as ingestion hands it over. */
export interface SectionInput {
  /** MIME type, or `skill`. */
  readonly sectionType: string;
  /** Heading, or `null`. */
  readonly title: string | null;
  /** What it is about, where that was said. */
  readonly description?: string | null;
  /** Document title and heading path, indexed and embedded with every chunk. */
  readonly context: string;
  /** Preprocessed text, or the bytes of an image. */
  readonly content: SectionContent;
  /** Whether it stays when no document has it any more. */
  readonly standalone?: boolean;
}

/** Text, or the bytes of an image. */
export type SectionContent = string | Uint8Array;

/** Where a section stands in a document. */
export interface PlacementInput {
  /** Headings from the outermost to its own. */
  readonly headingPath: readonly string[];
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet it begins on, from 1. */
  readonly page?: number;
  /** `false` if the text was made anew, so that its lines are not those of the file. */
  readonly exactLines?: boolean;
}

/** A reference found in a section. */
export interface LinkInput {
  /** Kind of reference. */
  readonly type: LinkType;
  /** Target as written. */
  readonly target: string;
  /** Absolute path it means, for a relative reference in a file. */
  readonly targetPath: string | null;
  /** Text shown for it. */
  readonly label: string;
  /** The sentence around it. */
  readonly contextSnippet: string;
  /** Line in the file, from 1. */
  readonly line: number;
}

/**
 * Stores a section, or finds the one that has this content already.
 *
 * A section that is shared keeps the context of the document that brought it first.
 */
export function putSection(
  store: Store,
  input: SectionInput,
): { id: SectionId; created: boolean } {
  const hash = sha256(input.content);
  const found = store.get<{ id: SectionId }>(
    `SELECT id FROM sections WHERE ${HASH_START} = ? AND content_sha256 = ?`,
    hash.subarray(0, HASH_START_BYTES),
    hash,
  );
  if (found !== undefined) return { id: found.id, created: false };
  const { rowid } = store.run(
    `INSERT INTO sections(kbid, section_type, title, description, context, content, size,
      content_sha256, created_ms, standalone) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    toKbidOfHash(hash),
    input.sectionType,
    input.title,
    input.description ?? null,
    input.context,
    input.content,
    Buffer.byteLength(input.content),
    hash,
    Date.parse(store.now()),
    input.standalone === true ? 1 : 0,
  );
  return { id: rowid as SectionId, created: true };
}

/** Puts a section at the next position of a document. */
export function placeSection(
  store: Store,
  documentId: DocumentId,
  position: number,
  sectionId: SectionId,
  place: PlacementInput,
): void {
  store.run(
    `INSERT INTO document_sections(document_id, position, section_id, heading_path, line_start, line_end,
      page, exact_lines) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    documentId,
    position,
    sectionId,
    JSON.stringify(place.headingPath),
    place.lineStart,
    place.lineEnd,
    place.page ?? null,
    place.exactLines === false ? 0 : 1,
  );
}

/** Takes all sections out of a document and answers which they were; the sections stay stored. */
export function clearPlacements(
  store: Store,
  documentId: DocumentId,
): SectionId[] {
  const ids = store.all<{ section_id: SectionId }>(
    "SELECT DISTINCT section_id FROM document_sections WHERE document_id = ?",
    documentId,
  ).map((row) => row.section_id);
  store.run("DELETE FROM links WHERE document_id = ?", documentId);
  store.run("DELETE FROM document_sections WHERE document_id = ?", documentId);
  return ids;
}

/**
 * Removes those of the given sections that no document has any more, with chunks, index entries and
 * vectors. Skills and sections that stand alone stay.
 */
export function removeOrphanSections(
  store: Store,
  ids: readonly SectionId[],
): number {
  let removed = 0;
  for (const id of ids) {
    removed += store.run(
      `DELETE FROM sections WHERE id = ? AND standalone = 0
        AND NOT EXISTS (SELECT 1 FROM document_sections WHERE section_id = ?)`,
      id,
      id,
    ).changes;
  }
  return removed;
}

/** Stores a reference found in a section of a document, or of a section by itself (`null`). */
export function insertLink(
  store: Store,
  documentId: DocumentId | null,
  sectionId: SectionId,
  link: LinkInput,
): void {
  store.run(
    `INSERT INTO links(document_id, section_id, link_type, target, target_path, label, context_snippet, line)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    documentId,
    sectionId,
    link.type,
    link.target,
    link.targetPath,
    link.label,
    link.contextSnippet,
    link.line,
  );
}

/** One section of a document, in its place. */
export interface PlacedSection {
  /** Integer id. */
  readonly id: SectionId;
  /** Name of the content. */
  readonly kbid: Kbid;
  /** MIME type, or `skill`. */
  readonly sectionType: string;
  /** Heading, or `null`. */
  readonly title: string | null;
  /** What it is about, or `null`. */
  readonly description: string | null;
  /** Preprocessed text, or the bytes of an image. */
  readonly content: SectionContent;
  /** Headings from the outermost to its own. */
  readonly headingPath: readonly string[];
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet it begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
  /** Chunks it was cut into. */
  readonly chunkCount: number;
}

interface RawPlacedSection {
  readonly id: SectionId;
  readonly kbid: Kbid;
  readonly section_type: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly content: SectionContent;
  readonly heading_path: string;
  readonly line_start: number;
  readonly line_end: number;
  readonly page: number | null;
  readonly chunk_count: number;
}

/** Reads the sections of a document in order. */
export function listSections(
  store: Store,
  documentId: DocumentId,
): PlacedSection[] {
  return store.all<RawPlacedSection>(
    `SELECT s.id, s.kbid, s.section_type, s.title, s.description, s.content, ds.heading_path, ds.line_start,
      ds.line_end, ds.page, (SELECT count(*) FROM chunks c WHERE c.section_id = s.id) AS chunk_count
     FROM document_sections ds JOIN sections s ON s.id = ds.section_id
     WHERE ds.document_id = ? ORDER BY ds.position`,
    documentId,
  ).map((raw) => ({
    id: raw.id,
    kbid: raw.kbid,
    sectionType: raw.section_type,
    title: raw.title,
    description: raw.description,
    content: raw.content,
    headingPath: JSON.parse(raw.heading_path),
    lineStart: raw.line_start,
    lineEnd: raw.line_end,
    page: raw.page,
    chunkCount: raw.chunk_count,
  }));
}

/** A section on its own. */
export interface SectionRow {
  /** Integer id. */
  readonly id: SectionId;
  /** Name of the content. */
  readonly kbid: Kbid;
  /** MIME type, or `skill`. */
  readonly sectionType: string;
  /** Heading, or `null`. */
  readonly title: string | null;
  /** What it is about, or `null`. */
  readonly description: string | null;
  /** Preprocessed text, or the bytes of an image. */
  readonly content: SectionContent;
  /** Bytes of the content. */
  readonly size: number;
}

/** Finds a section by the name of its content. */
export function findSection(store: Store, kbid: Kbid): SectionRow | undefined {
  return store.get<SectionRow>(
    `SELECT id, kbid, section_type AS sectionType, title, description, content, size
     FROM sections WHERE ${IS_KBID}`,
    ...kbidKeys(kbid),
  );
}
