import type { DocumentId } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import { COLLECTION_PREFIX } from "./tags.ts";

/** A collection and what is in it. */
export interface CollectionCount {
  /** Its name. */
  readonly name: string;
  /** Documents in it, at least 1. */
  readonly documents: number;
  /** Bytes of their sections' content; a section that two have counts for both. */
  readonly sizeBytes: number;
  /** ISO 8601 UTC; when one of them last changed. */
  readonly updatedAt: string;
}

/** Lists the collections that have documents, A to Z. */
export function listCollections(store: Store): CollectionCount[] {
  return store.all<CollectionCount>(
    `SELECT substr(t.name, ${COLLECTION_PREFIX.length + 1}) AS name,
      count(DISTINCT d.id) AS documents, COALESCE(sum(s.size), 0) AS sizeBytes,
      max(COALESCE(d.updated_at, d.created_at)) AS updatedAt
     FROM tags t JOIN document_tags dt ON dt.tag_id = t.id JOIN documents d ON d.id = dt.document_id
     LEFT JOIN document_sections ds ON ds.document_id = d.id
     LEFT JOIN sections s ON s.id = ds.section_id
     WHERE t.name GLOB '${COLLECTION_PREFIX}*' GROUP BY t.id ORDER BY name`,
  );
}

/** Lists documents of a collection, oldest first. */
export function listCollectionIds(
  store: Store,
  name: string,
  limit: number,
): DocumentId[] {
  return store.all<{ id: DocumentId }>(
    `SELECT dt.document_id AS id FROM tags t JOIN document_tags dt ON dt.tag_id = t.id
     WHERE t.name = ? ORDER BY id LIMIT ?`,
    COLLECTION_PREFIX + name,
    limit,
  ).map(({ id }) => id);
}

/**
 * Moves all documents of a collection to another, there or not. Call inside a write.
 *
 * @returns Documents moved.
 */
export function moveCollection(
  store: Store,
  from: string,
  to: string,
): number {
  store.run(
    "INSERT INTO tags(name) VALUES (?) ON CONFLICT DO NOTHING",
    COLLECTION_PREFIX + to,
  );
  return store.run(
    `UPDATE document_tags SET tag_id = (SELECT id FROM tags WHERE name = ?)
     WHERE tag_id = (SELECT id FROM tags WHERE name = ?)`,
    COLLECTION_PREFIX + to,
    COLLECTION_PREFIX + from,
  ).changes;
}
