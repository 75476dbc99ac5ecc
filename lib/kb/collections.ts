import { KbError } from "../core/mod.ts";
import {
  deleteDocument,
  findDocument,
  listCollectionIds,
  listCollections,
  moveCollection,
  type Store,
} from "../store/mod.ts";
import { checkLabels } from "./labels.ts";

/** Documents removed in one transaction, so that others may write in between. */
const BATCH_DOCUMENTS = 500;

/** How to rename a collection. */
export interface RenameCollectionOptions {
  /** Joins a collection of that name; otherwise one that is there is a conflict. */
  readonly merge?: boolean;
}

/**
 * Gives a collection another name. Documents do not count as changed by that.
 *
 * @returns Documents that are in it by the new name now and were not before.
 * @throws {KbError} `not_found` if there is none; `conflict` if the new name is taken and `merge`
 * is not set; `invalid_input` for a name that is none.
 */
export function renameCollection(
  store: Store,
  from: string,
  to: string,
  { merge = false }: RenameCollectionOptions,
): number {
  checkLabels({ collection: to });
  return store.write(() => {
    if (listCollectionIds(store, from, 1).length === 0) throw none(store, from);
    if (from === to) return 0;
    if (!merge && listCollectionIds(store, to, 1).length > 0) {
      throw new KbError(
        "conflict",
        `Cannot rename "${from}": there is a collection "${to}" already; join them with --merge (merge: true)`,
        { details: { from, to } },
      );
    }
    return moveCollection(store, from, to);
  });
}

/**
 * Removes a collection with all documents in it, some hundred at a time.
 *
 * @returns Documents removed, and the hashes of their originals.
 * @throws {KbError} `not_found` if there is none.
 */
export function removeCollection(
  store: Store,
  name: string,
): { readonly documents: number; readonly hashes: readonly string[] } {
  const hashes: string[] = [];
  while (true) {
    const removed = store.write(() => {
      const ids = listCollectionIds(store, name, BATCH_DOCUMENTS);
      for (const id of ids) {
        hashes.push(findDocument(store, id)?.contentHash ?? "");
        deleteDocument(store, id);
      }
      return ids.length;
    });
    if (removed > 0) continue;
    if (hashes.length === 0) throw none(store, name);
    return { documents: hashes.length, hashes };
  }
}

function none(store: Store, name: string): KbError {
  const known = listCollections(store).map((collection) => collection.name);
  return new KbError(
    "not_found",
    known.length === 0
      ? `There is no collection "${name}"; the base is empty`
      : `There is no collection "${name}"; there is: ${
        known.slice(0, 20).join(", ")
      }`,
    { details: { name } },
  );
}
