import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { type DocumentId, KbError, toKbid } from "../core/mod.ts";
import {
  addTags,
  clearPlacements,
  findDocumentsBy,
  findSection,
  insertChunks,
  insertDocument,
  insertLink,
  keepSection,
  type LinkInput,
  listTagsOf,
  placeSection,
  putSection,
  refreshContext,
  removeOrphanSections,
  removeTags,
  type SectionChunks,
  type SectionInput,
  setDocumentTimes,
  setNoteVersions,
  type Store,
  updateDocument,
} from "../store/mod.ts";
import { readArchiveDocument } from "./archive_read.ts";
import type {
  ArchiveDocument,
  ArchiveLoose,
  ArchiveSection,
} from "./archive_types.ts";
import { cutSection } from "./cut_section.ts";
import type { Measure } from "./types.ts";

/** What became of one thing that was imported. */
export type ImportState = "added" | "updated" | "unchanged" | "kept";

/** How to import. */
export interface ArchiveStoreOptions {
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Whether a document of the base that changed later is replaced too. */
  readonly overwrite: boolean;
}

/** A document that was imported. */
export interface StoredArchive {
  /** What became of it: `kept` is one that changed later in the base than in the import. */
  readonly state: ImportState;
  /** The document. */
  readonly documentId: DocumentId;
}

/**
 * Stores a document as an export has it, with its ids and times. Call inside a write.
 *
 * @param added Takes the chunks of new sections, which the caller stores for many documents at once.
 * @throws {KbError} `corrupt` if a content does not have the kbid that is given; `conflict` if
 * another document is of the same file.
 */
export function storeArchiveDocument(
  store: Store,
  record: ArchiveDocument,
  added: SectionChunks[],
  { measure, overwrite }: ArchiveStoreOptions,
): StoredArchive {
  const [existing] = findDocumentsBy(store, "docid", record.docid);
  if (existing === undefined) {
    refuseSecond(store, record);
    const id = insertDocument(store, {
      ...toInput(record),
      docid: record.docid,
    });
    fill(store, id, record, added, measure);
    return { state: "added", documentId: id };
  }
  const { id } = existing;
  const before = readArchiveDocument(store, existing);
  if (isDeepStrictEqual(toComparable(before), toComparable(record))) {
    return { state: "unchanged", documentId: id };
  }
  const isOlder = (record.updated_at ?? record.created_at) <
    (before.updated_at ?? before.created_at);
  if (isOlder && !overwrite) return { state: "kept", documentId: id };
  const old = clearPlacements(store, id);
  updateDocument(store, id, toInput(record));
  removeTags(store, id, listTagsOf(store, id));
  fill(store, id, record, added, measure);
  removeOrphanSections(store, old);
  return { state: "updated", documentId: id };
}

/** Two documents of one file would be updated in turn, and one of them never again. */
function refuseSecond(store: Store, record: ArchiveDocument): void {
  if (record.source_path === null) return;
  const [other] = findDocumentsBy(store, "source_path", record.source_path);
  // Bare names of uploads say too little to mean the same file.
  if (other === undefined || !/[\\/]/.test(record.source_path)) return;
  throw new KbError(
    "conflict",
    `"${record.source_path}" is in the base as the document "${other.docid}" already; remove that one to import this`,
    { details: { docid: other.docid } },
  );
}

/** One form for what says the same: JSON has no `undefined`, and a person may leave out kbids. */
function toComparable(record: ArchiveDocument): unknown {
  return JSON.parse(JSON.stringify({
    ...record,
    tags: [...new Set(record.tags)].sort(),
    sections: record.sections.map((section) => ({
      ...section,
      kbid: section.kbid ?? toKbid(toContent(section)),
    })),
  }));
}

function toContent(
  { content, content_base64 = "" }: ArchiveSection,
): string | Uint8Array {
  return content ?? new Uint8Array(Buffer.from(content_base64, "base64"));
}

function toInput(
  record: ArchiveDocument,
): Parameters<typeof updateDocument>[2] {
  return {
    title: record.title,
    docType: record.doc_type,
    mime: record.mime,
    sourcePath: record.source_path,
    contentHash: record.content_hash,
    metadata: record.metadata,
    warnings: record.warnings,
  };
}

function fill(
  store: Store,
  id: DocumentId,
  record: ArchiveDocument,
  added: SectionChunks[],
  measure: Measure,
): void {
  addTags(store, id, [...record.tags, `collection:${record.collection}`]);
  for (const [position, part] of record.sections.entries()) {
    const { section, sectionId, created } = storeSection(
      store,
      part,
      added,
      measure,
    );
    placeSection(store, id, position, sectionId, {
      headingPath: part.heading_path,
      lineStart: part.line_start,
      lineEnd: part.line_end,
      ...(part.page === null ? {} : { page: part.page }),
      exactLines: part.exact_lines,
    });
    if (!created) refreshContext(store, sectionId, section.context);
    for (const link of part.links) {
      insertLink(store, id, sectionId, toLink(link));
    }
  }
  setNoteVersions(
    store,
    id,
    record.history.map((one) => ({
      version: one.version,
      title: one.title,
      content: one.content,
      writtenAt: one.written_at,
      replacedAt: one.replaced_at,
    })),
  );
  setDocumentTimes(store, id, {
    createdAt: record.created_at,
    updatedAt: record.updated_at,
  });
}

/** Stores a section that is in no document. Call inside a write. */
export function storeArchiveLoose(
  store: Store,
  { section: part }: ArchiveLoose,
  added: SectionChunks[],
  measure: Measure,
): ImportState {
  const { sectionId, created } = storeSection(
    store,
    { ...part, standalone: true },
    added,
    measure,
  );
  if (!created) return "unchanged";
  for (const link of part.links) {
    insertLink(store, null, sectionId, toLink(link));
  }
  return "added";
}

function storeSection(
  store: Store,
  part: ArchiveSection,
  added: SectionChunks[],
  measure: Measure,
): {
  section: SectionInput;
  sectionId: SectionChunks["sectionId"];
  created: boolean;
} {
  const content = toContent(part);
  const kbid = toKbid(content);
  if (part.kbid !== undefined && part.kbid !== kbid) {
    throw new KbError(
      "corrupt",
      `The section ${part.kbid} is damaged: its content is that of ${kbid}; take "kbid" out if it was changed on purpose`,
    );
  }
  const section: SectionInput = {
    sectionType: part.type,
    title: part.title,
    description: part.description,
    context: part.context,
    content,
  };
  const isKnown = findSection(store, kbid) !== undefined;
  const chunks = isKnown ? [] : cutSection(section, measure);
  const { id, created } = putSection(store, section);
  if (created) added.push({ sectionId: id, chunks });
  if (part.standalone) keepSection(store, id);
  return { section, sectionId: id, created };
}

function toLink(link: ArchiveSection["links"][number]): LinkInput {
  return {
    type: link.type,
    target: link.target,
    targetPath: link.target_path,
    label: link.label,
    contextSnippet: link.context_snippet,
    line: link.line,
  };
}

/** Stores chunks that were gathered. Call inside the same write. */
export function storeGathered(store: Store, added: SectionChunks[]): void {
  insertChunks(store, added.splice(0));
}
