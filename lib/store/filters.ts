/** Restricts documents; every part given must hold. */
export interface DocumentFilter {
  /** Exact tags, all of which the document has. */
  readonly tags?: readonly string[];
  /** Exact document type, e.g. `note`. */
  readonly docType?: string;
  /** Name of the collection. */
  readonly collection?: string;
  /** ISO 8601; last changed at or after this. */
  readonly after?: string;
  /** ISO 8601; last changed before this. */
  readonly before?: string;
  /** Exact path or name the document came from. */
  readonly sourcePath?: string;
  /** Folder its path is in, written with slashes and without one at the end. */
  readonly folder?: string;
  /** Values its metadata has, by key; a list has a value if it holds it. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A condition on `documents d` with its values in order. */
export interface FilterSql {
  /** SQL text; `1` when nothing is restricted. */
  readonly sql: string;
  /** Values for its `?`. */
  readonly values: readonly string[];
}

const HAS_TAG =
  `EXISTS (SELECT 1 FROM document_tags dt JOIN tags t ON t.id = dt.tag_id
  WHERE dt.document_id = d.id AND t.name = ?)`;
const HAS_VALUE =
  `EXISTS (SELECT 1 FROM json_each(d.metadata, '$.' || json_quote(?)) m
  WHERE CAST(m.value AS TEXT) = ?)`;
const RECENT = "COALESCE(d.updated_at, d.created_at)";

/** Writes a filter as a condition on `documents d`. */
export function toFilterSql(filter: DocumentFilter): FilterSql {
  const parts: string[] = [];
  const values: string[] = [];
  function add(sql: string, value: string | undefined): void {
    if (value === undefined) return;
    parts.push(sql);
    values.push(value);
  }
  for (const tag of filter.tags ?? []) add(HAS_TAG, tag);
  add(
    HAS_TAG,
    filter.collection === undefined
      ? undefined
      : `collection:${filter.collection}`,
  );
  add("d.doc_type = ?", filter.docType);
  add(`${RECENT} >= ?`, filter.after);
  add(`${RECENT} < ?`, filter.before);
  add("d.source_path = ?", filter.sourcePath);
  if (filter.folder !== undefined) {
    // All that begins with the folder and a slash; 0 is the character behind the slash.
    add("d.source_path >= ?", `${filter.folder}/`);
    add("d.source_path < ?", `${filter.folder}0`);
  }
  for (const [key, value] of Object.entries(filter.metadata ?? {})) {
    parts.push(HAS_VALUE);
    values.push(key, value);
  }
  return { sql: parts.length === 0 ? "1" : parts.join(" AND "), values };
}

/** Says whether a filter restricts anything. */
export function isRestricting(filter: DocumentFilter): boolean {
  return toFilterSql(filter).values.length > 0;
}
