import { KbError, type Kbid } from "../core/mod.ts";
import { readAgent } from "../ingest/mod.ts";
import {
  deleteDocument,
  deleteSection,
  findDocument,
  findDocumentsBy,
  findSection,
  listDocidsOf,
  listSectionHeads,
  listUnplacedSections,
  markUpdated,
  type SectionRow,
  type Store,
} from "../store/mod.ts";
import { toSummary } from "./documents.ts";
import type {
  DocumentRecord,
  GcReport,
  Section,
  SectionHead,
} from "./section_types.ts";

/**
 * Gets the row of a section.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function getSectionRow(store: Store, kbid: string): SectionRow {
  const row = findSection(store, kbid as Kbid);
  if (row === undefined) {
    throw new KbError("not_found", `Section not found: ${kbid}`, {
      details: { kbid },
    });
  }
  return row;
}

/**
 * Reads a section and which documents have it.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function readSection(store: Store, kbid: string): Section {
  const { id, ...section } = getSectionRow(store, kbid);
  return { ...section, docids: listDocidsOf(store, id) };
}

/**
 * Reads a document by its docid, with the list of its sections; those of an agent are its skills.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function readDocument(store: Store, docid: string): DocumentRecord {
  const [row] = findDocumentsBy(store, "docid", docid);
  if (row === undefined) {
    throw new KbError("not_found", `Document not found: ${docid}`, {
      details: { docid },
    });
  }
  const { mime: _, ...summary } = toSummary(store, row);
  return {
    ...summary,
    metadata: row.metadata,
    sections: row.docType === "agent"
      ? readAgent(row.metadata).skills.flatMap((kbid) =>
        toHead(findSection(store, kbid as Kbid))
      )
      : listSectionHeads(store, row.id),
  };
}

function toHead(row: SectionRow | undefined): SectionHead[] {
  return row === undefined
    ? []
    : [{ kbid: row.kbid, heading: row.title, type: row.sectionType }];
}

/**
 * Removes a section from the base and from every document; a document without a file that is left
 * with nothing goes too.
 *
 * @returns Whether it was there.
 */
export function removeSection(store: Store, kbid: string): boolean {
  return store.write(() => {
    const row = findSection(store, kbid as Kbid);
    if (row === undefined) return false;
    for (const id of deleteSection(store, row.id)) {
      const document = findDocument(store, id);
      const isEmpty = listSectionHeads(store, id).length === 0;
      if (isEmpty && document?.sourcePath === null) deleteDocument(store, id);
      else if (document !== undefined) {
        markUpdated(store, id, document.contentHash);
      }
    }
    return true;
  });
}

/** Removes the sections that no document has, skills excepted; or only says which. */
export function collectGarbage(
  store: Store,
  { dryRun = false }: { readonly dryRun?: boolean } = {},
): GcReport {
  function collect(): GcReport {
    const sections = listUnplacedSections(store);
    if (!dryRun) { for (const { id } of sections) deleteSection(store, id); }
    return {
      removedSections: sections.length,
      removedBytes: sections.reduce((sum, { size }) => sum + size, 0),
      sections: sections.map(({ kbid, title, sectionType }) => ({
        kbid,
        heading: title,
        type: sectionType,
      })),
    };
  }
  return dryRun ? store.read(collect) : store.write(collect);
}
