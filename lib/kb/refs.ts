import { resolve } from "node:path";
import { type DocumentId, isKbid, KbError, type Kbid } from "../core/mod.ts";
import {
  type DocumentRow,
  findDocument,
  findDocumentsBy,
  findSection,
  type SectionRow,
  type Store,
} from "../store/mod.ts";

/** What a reference can name. */
export type Found =
  | { readonly document: DocumentRow }
  | { readonly section: SectionRow };

/** Finds a document by integer id, docid or path. */
export function findDocumentByRef(
  store: Store,
  ref: string,
): DocumentRow | undefined {
  if (/^\d{1,15}$/.test(ref)) {
    const document = findDocument(store, Number(ref) as DocumentId);
    if (document !== undefined) return document;
  }
  return findDocumentsBy(store, "docid", ref)[0] ??
    findDocumentsBy(store, "source_path", resolve(ref))[0];
}

/**
 * Gets the document a reference names.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function getDocumentByRef(store: Store, ref: string): DocumentRow {
  const document = findDocumentByRef(store, ref);
  if (document === undefined) throw notFound(ref);
  return document;
}

/**
 * Gets the document or section a reference names: an integer id, a docid, a path or a kbid.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function getByRef(store: Store, ref: string): Found {
  if (isKbid(ref)) {
    const section = findSection(store, ref as Kbid);
    if (section !== undefined) return { section };
  }
  return { document: getDocumentByRef(store, ref) };
}

function notFound(ref: string): KbError {
  return new KbError(
    "not_found",
    `Nothing in the base is named "${ref}"; an id, docid, path or kbid is expected (see: kbdb list)`,
    { details: { ref } },
  );
}
