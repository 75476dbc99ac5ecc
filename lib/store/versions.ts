import type { Kbid } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import { IS_KBID, kbidKeys } from "./kbid_index.ts";

/** Reads a mark of a section that changes with its places; `undefined` if it is gone. */
export function readSectionVersion(
  store: Store,
  kbid: Kbid,
): string | undefined {
  return store.get<{ version: string }>(
    `SELECT s.id || ' ' || COALESCE((SELECT group_concat(ds.document_id || '.' || ds.position)
       FROM document_sections ds WHERE ds.section_id = s.id), '') AS version
     FROM sections s WHERE ${IS_KBID}`,
    ...kbidKeys(kbid),
  )?.version;
}

/** Reads a mark of a document that changes with it and its sections; `undefined` if it is gone. */
export function readDocumentVersion(
  store: Store,
  docid: string,
): string | undefined {
  return store.get<{ version: string }>(
    `SELECT d.id || ' ' || COALESCE(d.updated_at, '') || ' ' || d.content_hash || ' ' ||
       (SELECT count(*) || '.' || COALESCE(sum(section_id * (position + 1)), 0)
        FROM document_sections ds WHERE ds.document_id = d.id) AS version
     FROM documents d WHERE d.docid = ?`,
    docid,
  )?.version;
}

/** Marks that change with the list of documents, and with that of skills and agents. */
export interface CatalogVersions {
  /** Of the documents. */
  readonly documents: string;
  /** Of the skills and agents. */
  readonly prompts: string;
}

/** Reads the marks of the base's lists. */
export function readCatalogVersions(store: Store): CatalogVersions {
  const row = store.get<CatalogVersions>(
    `SELECT (SELECT count(*) || ' ' || COALESCE(max(id), 0) || ' ' ||
        COALESCE(max(COALESCE(updated_at, created_at)), '') FROM documents) AS documents,
      (SELECT COALESCE(group_concat(id), '') FROM sections WHERE section_type = 'skill') || ' / ' ||
      (SELECT COALESCE(group_concat(id), '') FROM documents WHERE doc_type = 'agent') AS prompts`,
  );
  if (row === undefined) throw new TypeError("SQLite gave no row");
  return row;
}
