import { randomBytes } from "node:crypto";
import { type DocumentId, type Json, LIMITS, toKbid } from "../core/mod.ts";
import {
  addTags,
  clearPlacements,
  type DocumentInput,
  findDocument,
  findDocumentsBy,
  insertChunks,
  insertDocument,
  insertLink,
  placeSection,
  putSection,
  refreshContext,
  removeOrphanSections,
  removeTags,
  type SectionChunks,
  type SourceStat,
  type Store,
  updateDocument,
} from "../store/mod.ts";
import { cleanTags, type PreparedDocument } from "./prepare.ts";

/** What a document gets from the caller rather than from its text. */
export interface StoreDocumentOptions {
  /** Document to replace; a new one otherwise. */
  readonly existing?: DocumentId;
  /** Text id of a new document; made up otherwise. */
  readonly docid?: string;
  /** Tags added to those of the text. */
  readonly tags?: readonly string[];
  /** Collection; a new document is in `documents` unless said otherwise, an old one stays. */
  readonly collection?: string;
  /** What the file system said of the file. */
  readonly stat?: SourceStat;
}

/** A document and what it gets from the caller. */
export interface DocumentToStore extends StoreDocumentOptions {
  /** The document. */
  readonly prepared: PreparedDocument;
}

/**
 * Stores prepared documents in one transaction, searchable by word from then on.
 *
 * Sections whose text is stored already, by these or other documents, are kept with their chunks
 * and vectors.
 *
 * @returns Ids of the documents, in the order given.
 */
export function storeDocuments(
  store: Store,
  documents: readonly DocumentToStore[],
): DocumentId[] {
  return store.write(() => {
    const added: SectionChunks[] = [];
    const ids = documents.map((document) => storeOne(store, document, added));
    insertChunks(store, added);
    return ids;
  });
}

/**
 * A document of a path, as it has to be stored now: another process may have stored the same path, or
 * removed its document, since it was looked for. Call inside a write.
 */
export function withPresent(
  store: Store,
  path: string,
  document: DocumentToStore,
): DocumentToStore {
  const { existing, ...rest } = document;
  if (existing !== undefined && findDocument(store, existing) !== undefined) {
    return document;
  }
  const [present] = findDocumentsBy(store, "source_path", path);
  return present === undefined ? rest : { ...rest, existing: present.id };
}

/** Stores all of a document but the chunks of its new sections, which go to `added`. */
function storeOne(
  store: Store,
  { prepared, ...options }: DocumentToStore,
  added: SectionChunks[],
): DocumentId {
  const { existing, stat } = options;
  const old = existing === undefined ? [] : clearPlacements(store, existing);
  const id = existing === undefined
    ? insertDocument(store, toInput(prepared, options.docid), stat)
    : replace(store, existing, prepared, stat);
  const collection = options.collection ??
    (existing === undefined ? "documents" : undefined);
  addTags(store, id, [
    ...prepared.tags,
    ...(options.tags ?? []),
    ...(collection === undefined ? [] : [`collection:${collection}`]),
  ]);
  for (const [position, part] of prepared.sections.entries()) {
    const { id: sectionId, created } = putSection(store, part.section);
    if (created) added.push({ sectionId, chunks: part.chunks });
    placeSection(store, id, position, sectionId, part.place);
    if (!created) refreshContext(store, sectionId, part.section.context);
    for (const link of part.links) insertLink(store, id, sectionId, link);
  }
  removeOrphanSections(store, old);
  return id;
}

function toInput(prepared: PreparedDocument, docid?: string): DocumentInput {
  return {
    ...prepared.document,
    title: prepared.document.title.slice(0, LIMITS.titleChars).toWellFormed(),
    docid: docid ?? `doc-${toKbid(randomBytes(32)).slice(0, 12)}`,
  };
}

/** Replaces a document's row and drops the tags that only its old text had. */
function replace(
  store: Store,
  id: DocumentId,
  prepared: PreparedDocument,
  stat: SourceStat | undefined,
): DocumentId {
  const kept = new Set(prepared.tags);
  const before = cleanTags(toTags(findDocument(store, id)?.metadata["tags"]));
  removeTags(store, id, before.filter((tag) => !kept.has(tag)));
  updateDocument(store, id, toInput(prepared), stat);
  return id;
}

function toTags(value: Json | undefined): string[] {
  return Array.isArray(value)
    ? value.filter((tag) => typeof tag === "string")
    : [];
}
