import { Buffer } from "node:buffer";
import {
  type DocumentRow,
  type LinkInput,
  listNoteVersions,
  listTagsOf,
  listWholeLinks,
  listWholeSections,
  splitCollection,
  type Store,
  type WholeSection,
} from "../store/mod.ts";
import type { ArchiveDocument, ArchiveSection } from "./archive_types.ts";

/** Reads a document as an export has it. */
export function readArchiveDocument(
  store: Store,
  row: DocumentRow,
): ArchiveDocument {
  const { tags, collection } = splitCollection(listTagsOf(store, row.id));
  return {
    kind: "document",
    docid: row.docid,
    title: row.title,
    doc_type: row.docType,
    mime: row.mime,
    collection,
    tags,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    source_path: row.sourcePath,
    content_hash: row.contentHash,
    metadata: row.metadata,
    warnings: row.warnings,
    sections: listWholeSections(store, row.id).map((whole) =>
      toArchiveSection(whole, listWholeLinks(store, row.id, whole.id))
    ),
    history: listNoteVersions(store, row.id).map((one) => ({
      version: one.version,
      title: one.title,
      content: one.content,
      written_at: one.writtenAt,
      replaced_at: one.replacedAt,
    })),
  };
}

/** Writes a section as an export has it. */
export function toArchiveSection(
  { kbid, section, place }: WholeSection,
  links: readonly LinkInput[],
): ArchiveSection {
  const { content } = section;
  return {
    kbid,
    type: section.sectionType,
    title: section.title,
    description: section.description,
    context: section.context,
    heading_path: place.headingPath,
    line_start: place.lineStart,
    line_end: place.lineEnd,
    page: place.page ?? null,
    exact_lines: place.exactLines ?? true,
    standalone: section.standalone,
    ...(typeof content === "string"
      ? { content }
      : { content_base64: Buffer.from(content).toString("base64") }),
    links: links.map((link) => ({
      type: link.type,
      target: link.target,
      target_path: link.targetPath,
      label: link.label,
      context_snippet: link.contextSnippet,
      line: link.line,
    })),
  };
}
