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

/** A tag with how many documents have it. */
export interface TagCount {
  /** The tag, `collection:` prefix included. */
  readonly name: string;
  /** Documents that have it, at least 1. */
  readonly documents: number;
}

/** Lists the tags that documents have, `collection:` tags included, A to Z. */
export function listTags(store: Store): TagCount[] {
  return store.all<TagCount>(
    `SELECT t.name, count(*) AS documents FROM tags t
     JOIN document_tags dt ON dt.tag_id = t.id GROUP BY t.id ORDER BY t.name`,
  );
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

/** Takes tags off a document; tags it does not have are passed over. Call inside a write. */
export function removeTags(
  store: Store,
  id: DocumentId,
  tags: readonly string[],
): void {
  for (const tag of tags) {
    store.run(
      `DELETE FROM document_tags WHERE document_id = ?
       AND tag_id = (SELECT id FROM tags WHERE name = ?)`,
      id,
      tag,
    );
  }
}
