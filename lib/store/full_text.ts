import type { ChunkId, SectionId } from "../core/mod.ts";
import type { Store } from "./driver.ts";
import { type DocumentFilter, toFilterSql } from "./filters.ts";

/** One chunk found by its words. */
export interface RankedChunk {
  /** Which chunk. */
  readonly chunkId: ChunkId;
  /** bm25 negated: > 0, comparable only within one call. */
  readonly score: number;
}

/** Options for {@linkcode matchChunks}. */
export interface MatchChunksOptions {
  /** Most rows to return, 1 to 1000. */
  readonly limit: number;
  /** Keeps chunks of documents that pass. */
  readonly filter?: DocumentFilter;
}

/** SQL that gives the chunks of the documents a filter passes. */
function allowedChunksSql(
  filter: DocumentFilter,
): { sql: string; values: readonly string[] } {
  const { sql, values } = toFilterSql(filter);
  return {
    sql: `SELECT c.id FROM documents d
      JOIN document_sections ds ON ds.document_id = d.id
      JOIN chunks c ON c.section_id = ds.section_id WHERE ${sql}`,
    values,
  };
}

/** Reads the chunks of the documents that pass a filter. */
export function listAllowedChunks(
  store: Store,
  filter: DocumentFilter,
): Set<ChunkId> {
  const { sql, values } = allowedChunksSql(filter);
  return new Set(
    store.all<{ id: ChunkId }>(sql, ...values).map((row) => row.id),
  );
}

/**
 * Finds the chunks whose text matches a full-text expression, best first.
 *
 * @param store Open store.
 * @param expression FTS5 MATCH text from `toMatchExpression()`; never raw user input.
 * @param options Limit and filter.
 * @returns Up to `limit` rows in falling `score`; `[]` if nothing matches.
 * @throws {RangeError} If `limit` is outside 1 to 1000.
 */
export function matchChunks(
  store: Store,
  expression: string,
  options: MatchChunksOptions,
): RankedChunk[] {
  const { limit, filter = {} } = options;
  if (!(limit >= 1 && limit <= 1000)) {
    throw new RangeError(
      `Cannot match chunks as limit must be 1 to 1000: current value is ${limit}`,
    );
  }
  const allowed = allowedChunksSql(filter);
  const restrict = allowed.values.length === 0
    ? ""
    : `AND rowid IN (${allowed.sql})`;
  return store.all<RankedChunk>(
    `SELECT rowid AS chunkId, -rank AS score FROM chunks_fts
     WHERE chunks_fts MATCH ? ${restrict} ORDER BY rank LIMIT ?`,
    expression,
    ...allowed.values,
    limit,
  );
}

/** Reads all chunks that match an expression, without ranking them. */
export function listMatchingChunks(
  store: Store,
  expression: string,
): Set<ChunkId> {
  return new Set(
    store.all<{ id: ChunkId }>(
      "SELECT rowid AS id FROM chunks_fts WHERE chunks_fts MATCH ?",
      expression,
    ).map((row) => row.id),
  );
}

/** Counts the chunks that match an expression, without ranking them. */
export function countMatches(store: Store, expression: string): number {
  return store.get<{ n: number }>(
    "SELECT count(*) AS n FROM chunks_fts WHERE chunks_fts MATCH ?",
    expression,
  )?.n ?? 0;
}

/** Reads the distinct sections of the chunks that match, at most `limit`. */
export function listMatchingSections(
  store: Store,
  expression: string,
  limit: number,
  filter: DocumentFilter = {},
): SectionId[] {
  const allowed = allowedChunksSql(filter);
  const restrict = allowed.values.length === 0
    ? ""
    : `AND f.rowid IN (${allowed.sql})`;
  return store.all<{ id: SectionId }>(
    `SELECT DISTINCT c.section_id AS id FROM chunks_fts f JOIN chunks c ON c.id = f.rowid
     WHERE chunks_fts MATCH ? ${restrict} LIMIT ?`,
    expression,
    ...allowed.values,
    limit,
  ).map((row) => row.id);
}

/** Counts the documents with a match, by type and by collection. */
export function countMatchingDocuments(
  store: Store,
  expression: string,
  filter: DocumentFilter = {},
): { byType: Record<string, number>; byCollection: Record<string, number> } {
  const { sql, values } = toFilterSql(filter);
  const matching = `SELECT DISTINCT d.id, d.doc_type FROM chunks_fts f
    JOIN chunks c ON c.id = f.rowid JOIN document_sections ds ON ds.section_id = c.section_id
    JOIN documents d ON d.id = ds.document_id WHERE chunks_fts MATCH ? AND ${sql}`;
  function count(by: string): Record<string, number> {
    const rows = store.all<{ name: string; n: number }>(
      by,
      expression,
      ...values,
    );
    return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
  }
  return {
    byType: count(
      `SELECT doc_type AS name, count(*) AS n FROM (${matching}) GROUP BY 1 ORDER BY 1`,
    ),
    byCollection: count(
      `SELECT substr(t.name, 12) AS name, count(*) AS n FROM (${matching}) m
       JOIN document_tags dt ON dt.document_id = m.id JOIN tags t ON t.id = dt.tag_id
       WHERE t.name LIKE 'collection:%' GROUP BY 1 ORDER BY 1`,
    ),
  };
}

/** Folds the index's segments together, for speed after much writing. */
export function optimizeFullText(store: Store): void {
  store.write(() =>
    store.run("INSERT INTO chunks_fts(chunks_fts) VALUES ('optimize')")
  );
}
