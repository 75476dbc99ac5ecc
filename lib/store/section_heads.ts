import type { DocumentId, Kbid, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import { IS_KBID, kbidKeys } from "./kbid_index.ts";
import type { SectionContent } from "./sections.ts";

/** A section without its content. */
export interface HeadRow {
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
  /** Bytes of the content. */
  readonly size: number;
}

/** A section without its content, in its place. */
export interface PlacedHeadRow extends HeadRow {
  /** Place in the document. */
  readonly position: number;
  /** Headings from the outermost to its own. */
  readonly headingPath: readonly string[];
}

const HEAD =
  "s.id, s.kbid, s.section_type AS sectionType, s.title, s.description, s.size";

/** Finds a section by the name of its content. */
export function findSectionHead(
  store: Store,
  kbid: Kbid,
): HeadRow | undefined {
  return store.get<HeadRow>(
    `SELECT ${HEAD} FROM sections s WHERE ${IS_KBID}`,
    ...kbidKeys(kbid),
  );
}

/** Finds a section by integer id. */
export function findSectionHeadById(
  store: Store,
  id: SectionId,
): HeadRow | undefined {
  return store.get<HeadRow>(
    `SELECT ${HEAD} FROM sections s WHERE s.id = ?`,
    id,
  );
}

/**
 * Reads what a section says.
 *
 * @returns The content; `""` if the section is gone.
 */
export function readSectionContent(
  store: Store,
  id: SectionId,
): SectionContent {
  return store.get<{ content: SectionContent }>(
    "SELECT content FROM sections WHERE id = ?",
    id,
  )?.content ?? "";
}

/** A part of a document's list of sections. */
export interface ListHeadsOptions {
  /** Position to begin at. */
  readonly from: number;
  /** Most sections. */
  readonly limit: number;
  /** `down`: from there towards the beginning, `from` included; default `up`. */
  readonly direction?: "up" | "down";
}

/** Reads a part of a document's sections without their contents, in the direction asked for. */
export function listPlacedHeads(
  store: Store,
  documentId: DocumentId,
  options: ListHeadsOptions,
): PlacedHeadRow[] {
  const [than, order] = options.direction === "down"
    ? ["<=", "DESC"]
    : [">=", "ASC"];
  return store.all<Omit<PlacedHeadRow, "headingPath"> & { headings: string }>(
    `SELECT ${HEAD}, ds.position, ds.heading_path AS headings
     FROM document_sections ds JOIN sections s ON s.id = ds.section_id
     WHERE ds.document_id = ? AND ds.position ${than} ? ORDER BY ds.position ${order} LIMIT ?`,
    documentId,
    options.from,
    options.limit,
  ).map(({ headings, ...row }) => ({
    ...row,
    headingPath: JSON.parse(headings),
  }));
}

/** Counts the places for sections a document has. */
export function countDocumentSections(
  store: Store,
  documentId: DocumentId,
): number {
  return store.get<{ n: number }>(
    "SELECT count(*) AS n FROM document_sections WHERE document_id = ?",
    documentId,
  )?.n ?? 0;
}

/** Finds the first section of a document. */
export function findFirstSection(
  store: Store,
  documentId: DocumentId,
): SectionId | undefined {
  return store.get<{ id: SectionId }>(
    `SELECT section_id AS id FROM document_sections WHERE document_id = ?
     ORDER BY position LIMIT 1`,
    documentId,
  )?.id;
}

/** Finds the section of a document that has a line, counted from 1. */
export function findSectionAtLine(
  store: Store,
  documentId: DocumentId,
  line: number,
): SectionId | undefined {
  return store.get<{ id: SectionId }>(
    `SELECT section_id AS id FROM document_sections
     WHERE document_id = ? AND line_start <= ? AND line_end >= ? ORDER BY position LIMIT 1`,
    documentId,
    line,
    line,
  )?.id;
}

/** A section by what can be linked to in it. */
export interface AnchorRow {
  /** The section. */
  readonly sectionId: SectionId;
  /** Its heading, or `null`. */
  readonly title: string | null;
  /** Its Markdown, where it may hold further headings or anchors; `null` otherwise. */
  readonly text: string | null;
  /** Whether headings in the text have no section of their own. */
  readonly hasHeadings: boolean;
}

/** Reads what can be linked to in a document, in order; sections without any of it are left out. */
export function listAnchorRows(
  store: Store,
  documentId: DocumentId,
): AnchorRow[] {
  return store.all<
    Omit<AnchorRow, "hasHeadings"> & { inner: number }
  >(
    `SELECT s.id AS sectionId, s.title, ds.heading_path = '[]' AS inner,
      CASE WHEN s.section_type = 'text/markdown' AND (ds.heading_path = '[]'
       OR instr(s.content, 'id=') OR instr(s.content, 'name=') OR instr(s.content, '{#'))
       THEN s.content END AS text
     FROM document_sections ds JOIN sections s ON s.id = ds.section_id
     WHERE ds.document_id = ? ORDER BY ds.position`,
    documentId,
  ).filter(({ title, text }) => title !== null || text !== null)
    .map(({ inner, ...row }) => ({ ...row, hasHeadings: inner === 1 }));
}

/** A document a section stands in. */
export interface HoldingDocument {
  /** Integer id. */
  readonly id: DocumentId;
  /** Stable text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** First place of the section in it. */
  readonly position: number;
}

/** Lists the documents a section stands in, oldest first. */
export function listHoldingDocuments(
  store: Store,
  sectionId: SectionId,
  limit: number,
): HoldingDocument[] {
  return store.all<HoldingDocument>(
    `SELECT d.id, d.docid, d.title, min(ds.position) AS position
     FROM document_sections ds JOIN documents d ON d.id = ds.document_id
     WHERE ds.section_id = ? GROUP BY d.id ORDER BY d.id LIMIT ?`,
    sectionId,
    limit,
  );
}

/** Counts the documents a section stands in. */
export function countHoldingDocuments(
  store: Store,
  sectionId: SectionId,
): number {
  return store.get<{ n: number }>(
    "SELECT count(DISTINCT document_id) AS n FROM document_sections WHERE section_id = ?",
    sectionId,
  )?.n ?? 0;
}
