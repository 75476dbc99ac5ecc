import type { DocumentId, Kbid, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import type { LinkInput, PlacementInput, SectionInput } from "./sections.ts";

/** A section with everything that makes it anew. */
export interface WholeSection {
  /** Integer id. */
  readonly id: SectionId;
  /** Name of the content. */
  readonly kbid: Kbid;
  /** The section. */
  readonly section: Required<SectionInput>;
  /** Its place in the document. */
  readonly place: PlacementInput;
}

interface RawSection {
  readonly id: SectionId;
  readonly kbid: Kbid;
  readonly sectionType: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly context: string;
  readonly content: string | Uint8Array;
  readonly standalone: number;
  readonly headings: string;
  readonly lineStart: number;
  readonly lineEnd: number;
  readonly page: number | null;
  readonly exact: number;
}

const SECTION =
  `s.id, s.kbid, s.section_type AS sectionType, s.title, s.description,
  s.context, s.content, s.standalone`;

function toWhole(
  {
    id,
    kbid,
    headings,
    lineStart,
    lineEnd,
    page,
    exact,
    standalone,
    ...section
  }: RawSection,
): WholeSection {
  return {
    id,
    kbid,
    section: { ...section, standalone: standalone === 1 },
    place: {
      headingPath: JSON.parse(headings),
      lineStart,
      lineEnd,
      ...(page === null ? {} : { page }),
      ...(exact === 1 ? {} : { exactLines: false }),
    },
  };
}

/** Reads the sections of a document in order. */
export function listWholeSections(
  store: Store,
  documentId: DocumentId,
): WholeSection[] {
  return store.all<RawSection>(
    `SELECT ${SECTION}, ds.heading_path AS headings, ds.line_start AS lineStart,
      ds.line_end AS lineEnd, ds.page, ds.exact_lines AS exact
     FROM document_sections ds JOIN sections s ON s.id = ds.section_id
     WHERE ds.document_id = ? ORDER BY ds.position`,
    documentId,
  ).map(toWhole);
}

/** Reads the sections that were learned by themselves and are in no document, skills excepted. */
export function listLooseSections(
  store: Store,
  after: number,
  limit: number,
): WholeSection[] {
  return store.all<RawSection>(
    `SELECT ${SECTION}, '[]' AS headings, 1 AS lineStart, 1 AS lineEnd,
      NULL AS page, 1 AS exact FROM sections s
     WHERE s.standalone = 1 AND s.section_type <> 'skill' AND s.id > ?
       AND NOT EXISTS (SELECT 1 FROM document_sections ds WHERE ds.section_id = s.id)
     ORDER BY s.id LIMIT ?`,
    after,
    limit,
  ).map(toWhole);
}

/** Reads the references a section has as part of a document, or by itself (`null`), in order. */
export function listWholeLinks(
  store: Store,
  documentId: DocumentId | null,
  sectionId: SectionId,
): LinkInput[] {
  return store.all<LinkInput>(
    `SELECT link_type AS type, target, target_path AS targetPath, label,
      context_snippet AS contextSnippet, line
     FROM links WHERE document_id IS ? AND section_id = ? ORDER BY id`,
    documentId,
    sectionId,
  );
}
