import { sep } from "node:path";
import { listMembers } from "../ingest/mod.ts";
import {
  deleteDocument,
  type DocumentRow,
  findDocument,
  listSources,
  type Store,
} from "../store/mod.ts";
import { toSummary } from "./documents.ts";
import { findDocumentByRef, getDocumentByRef, toStoredPaths } from "./refs.ts";
import type { DocumentSummary } from "./types.ts";

/**
 * Removes a document, by id, docid or path, or all documents under a folder; an archive with those of
 * the files in it.
 *
 * @returns What was removed, and the content hashes of it.
 * @throws {KbError} `not_found` if nothing is named so.
 */
export function removeDocuments(
  store: Store,
  ref: string,
): { readonly removed: DocumentSummary[]; readonly hashes: string[] } {
  return store.write(() => {
    const one = findDocumentByRef(store, ref);
    const rows = one === undefined
      ? listUnder(store, ref)
      : [one, ...listInside(store, one)];
    if (rows.length === 0) getDocumentByRef(store, ref);
    const removed = rows.map((document) => toSummary(store, document));
    for (const { id } of removed) deleteDocument(store, id);
    return { removed, hashes: rows.map(({ contentHash }) => contentHash) };
  });
}

/** Documents of the files in a folder. */
function listUnder(store: Store, folder: string): DocumentRow[] {
  const found = toStoredPaths(folder).map((path) =>
    listSources(store, path, sep)
  ).find((sources) => sources.size > 0);
  return [...found?.values() ?? []]
    .flatMap(({ id }) => findDocument(store, id) ?? []);
}

/** Documents of the files in an archive. */
function listInside(
  store: Store,
  { docType, sourcePath }: DocumentRow,
): DocumentRow[] {
  if (docType !== "archive" || sourcePath === null) return [];
  return [...listMembers(store, sourcePath).values()]
    .flatMap(({ id }) => findDocument(store, id) ?? []);
}
