import {
  countChunksOf,
  type DocumentRow,
  findDocument,
  listChunksOf,
  listPlacementsOf,
  listSections,
  listTagsOf,
  type SectionRow,
  splitCollection,
  type Store,
} from "../store/mod.ts";
import { getByRef, getDocumentByRef } from "./refs.ts";
import type {
  ChunkSummary,
  Content,
  DocumentInfo,
  DocumentSummary,
} from "./types.ts";

/** Shows a document as lists do. */
export function toSummary(store: Store, row: DocumentRow): DocumentSummary {
  const { tags, collection } = splitCollection(
    listTagsOf(store, row.id),
  );
  const {
    id,
    docid,
    title,
    docType,
    mime,
    sourcePath,
    contentHash,
    createdAt,
    updatedAt,
  } = row;
  return {
    id,
    docid,
    title,
    docType,
    mime,
    path: sourcePath,
    contentHash,
    tags,
    collection,
    chunkCount: countChunksOf(store, id),
    createdAt,
    updatedAt,
  };
}

/**
 * Reads what is known of a document.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function readInfo(store: Store, ref: string): DocumentInfo {
  const document = getDocumentByRef(store, ref);
  return {
    ...toSummary(store, document),
    metadata: document.metadata,
    warnings: document.warnings,
    sections: listSections(store, document.id).map(
      ({ kbid, headingPath, lineStart, lineEnd, page, chunkCount }) => ({
        kbid,
        headingPath,
        lineStart,
        lineEnd,
        page,
        chunkCount,
      }),
    ),
  };
}

/**
 * Reads the text of a document or section.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function readContent(store: Store, ref: string): Content {
  const found = getByRef(store, ref);
  if ("document" in found) {
    return {
      document: toSummary(store, found.document),
      text: listSections(store, found.document.id)
        .map(toText).join("\n\n"),
    };
  }
  const { id, kbid } = found.section;
  const place = listPlacementsOf(store, id)[0];
  const document = place === undefined
    ? undefined
    : findDocument(store, place.documentId);
  return {
    document: document === undefined ? null : toSummary(store, document),
    kbid,
    text: toText(found.section),
  };
}

/**
 * Reads the chunks of a document in the order of its text.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function readChunks(store: Store, ref: string): ChunkSummary[] {
  return listChunksOf(store, getDocumentByRef(store, ref).id).map((
    chunk,
    index,
  ) => ({ ...chunk, index }));
}

/** The text of a section, or a mark that stands for an image. */
function toText(
  { sectionType, title, content }: Pick<
    SectionRow,
    "sectionType" | "title" | "content"
  >,
): string {
  return typeof content === "string"
    ? content
    : `[${sectionType}: ${title ?? "image"}, ${content.length} bytes]`;
}
