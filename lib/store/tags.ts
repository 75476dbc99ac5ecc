import type { DocumentId } from "../core/mod.ts";
import type { Store } from "./driver.ts";

/** Prefix of the tags that stand for collections. */
export const COLLECTION_PREFIX = "collection:";

/** Adds tags to a document; a `collection:` tag replaces the one it had. Call inside a write. */
export function addTags(
  store: Store,
  id: DocumentId,
  tags: readonly string[],
): void {
  for (const tag of tags) {
    store.run("INSERT INTO tags(name) VALUES (?) ON CONFLICT DO NOTHING", tag);
    store.run(
      `INSERT INTO document_tags(document_id, tag_id) SELECT ?, id FROM tags WHERE name = ?
       ON CONFLICT DO NOTHING`,
      id,
      tag,
    );
  }
}

/** Reads the tags of a document, `collection:` tags included, A to Z. */
export function listTagsOf(store: Store, id: DocumentId): string[] {
  return store.all<{ name: string }>(
    `SELECT t.name FROM document_tags dt JOIN tags t ON t.id = dt.tag_id
     WHERE dt.document_id = ? ORDER BY t.name`,
    id,
  ).map((row) => row.name);
}

/** Splits tags into a document's own and its collection. */
export function splitCollection(
  tags: readonly string[],
): { tags: string[]; collection: string } {
  const own = tags.filter((tag) => !tag.startsWith(COLLECTION_PREFIX));
  const collection = tags.find((tag) => tag.startsWith(COLLECTION_PREFIX));
  return {
    tags: own,
    collection: collection?.slice(COLLECTION_PREFIX.length) ?? "documents",
  };
}
