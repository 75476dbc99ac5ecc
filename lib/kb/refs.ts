import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
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

function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/**
 * Paths a file or folder may be stored under: in full, and behind symbolic links, as ingestion
 * stores real paths. The folder alone is followed too, for a file that is gone or is a link itself.
 * Last as written, as files that were uploaded or piped in are known.
 */
export function toStoredPaths(ref: string): string[] {
  const path = resolve(ref);
  const inRealFolder = join(toRealPath(dirname(path)), basename(path));
  const written = ref.replace(/\/+$/, "");
  return [
    ...new Set([
      path,
      inRealFolder,
      toRealPath(path),
      ...(written === "" ? [] : [written]),
    ]),
  ];
}

/**
 * Finds a document by integer id, docid or path.
 *
 * @throws {KbError} `conflict` if several have that path.
 */
export function findDocumentByRef(
  store: Store,
  ref: string,
): DocumentRow | undefined {
  if (/^\d{1,15}$/.test(ref)) {
    const document = findDocument(store, Number(ref) as DocumentId);
    if (document !== undefined) return document;
  }
  const [byDocid] = findDocumentsBy(store, "docid", ref);
  if (byDocid !== undefined) return byDocid;
  for (const path of toStoredPaths(ref)) {
    const found = findDocumentsBy(store, "source_path", path);
    // Uploads may have one bare name; to guess could remove the wrong one.
    if (found.length > 1) throw severalNamed(ref, found);
    if (found[0] !== undefined) return found[0];
  }
  return undefined;
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

function severalNamed(ref: string, rows: readonly DocumentRow[]): KbError {
  const ids = rows.map(({ id }) => id);
  return new KbError(
    "conflict",
    `${ids.length} documents are named "${ref}": name one by its id, ${
      ids.slice(0, 5).join(", ")
    }${ids.length > 5 ? ", …" : ""}`,
    { details: { ref, documents: ids.length } },
  );
}

function notFound(ref: string): KbError {
  return new KbError(
    "not_found",
    `Nothing in the base is named "${ref}"; an id, docid, path or kbid is expected (see: kbdb list)`,
    { details: { ref } },
  );
}
