import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ChunkId,
  type DocumentId,
  type SectionId,
  sha256,
  sha256Hex,
} from "../../lib/core/mod.ts";
import {
  addTags,
  type ChunkInput,
  type DocumentInput,
  insertChunks,
  insertDocument,
  openStore,
  placeSection,
  putModel,
  putSection,
  putVectors,
  type SectionInput,
  type Store,
} from "../../lib/store/mod.ts";

/** Time every store of {@linkcode openTempStore} says it is. */
export const NOW = "2026-01-02T03:04:05.000Z";

/** Opens an empty base in memory whose clock stands still. */
export function openTempStore(now: () => string = () => NOW): Store {
  return openStore(":memory:", { now });
}

/** A folder that is removed when it goes out of scope. */
export interface TempDir extends Disposable {
  /** Absolute path. */
  readonly path: string;
}

/** Makes an empty folder for one test. */
export function makeTempDir(): TempDir {
  const path = mkdtempSync(join(tmpdir(), "kbdb-test-"));
  return {
    path,
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** What a test says of a document; the rest is made up from `docid`. */
export interface TempDocument extends Partial<Omit<DocumentInput, "docid">> {
  /** Text of each section. */
  readonly texts?: readonly string[];
  /** Context of every section. */
  readonly context?: string;
  /** Tags, `collection:` ones included. */
  readonly tags?: readonly string[];
}

/** Fills in what a document needs besides its docid. */
export function toDocumentInput(
  docid: string,
  rest: Partial<Omit<DocumentInput, "docid">> = {},
): DocumentInput {
  return {
    title: docid,
    docType: "text",
    mime: "text/plain",
    sourcePath: null,
    contentHash: sha256Hex(docid),
    metadata: {},
    warnings: [],
    ...rest,
    docid,
  };
}

/** A section with its chunks. */
export interface SectionWithChunks extends SectionInput {
  readonly chunks: readonly ChunkInput[];
}

/** Stores a section and, if it is new, its chunks. */
export function putWithChunks(
  store: Store,
  { chunks, ...input }: SectionWithChunks,
): { id: SectionId; created: boolean } {
  const put = putSection(store, input);
  if (put.created) insertChunks(store, [{ sectionId: put.id, chunks }]);
  return put;
}

/** Makes a section of one chunk that spans the whole text. */
export function toSectionInput(text: string, context = ""): SectionWithChunks {
  return {
    sectionType: "text/plain",
    title: null,
    context,
    content: text,
    chunks: [{
      start: 0,
      length: [...text].length,
      lineStart: 0,
      lineEnd: text.split("\n").length - 1,
      tokenCount: text.split(/\s+/).length,
    }],
  };
}

/** Adds a document with one chunk a section, in one write. */
export function addDocument(
  store: Store,
  docid: string,
  document: TempDocument = {},
): { id: DocumentId; sections: SectionId[] } {
  const { texts = [], context = "", tags = [], ...rest } = document;
  return store.write(() => {
    const id = insertDocument(store, toDocumentInput(docid, rest));
    addTags(store, id, tags);
    const sections = texts.map((text, position) => {
      const section = putWithChunks(store, toSectionInput(text, context));
      placeSection(store, id, position, section.id, {
        headingPath: [docid],
        lineStart: position + 1,
        lineEnd: position + 1,
      });
      return section.id;
    });
    return { id, sections };
  });
}

/** Reads the chunks of a section in order. */
export function chunksOf(
  store: Store,
  section: SectionId | undefined,
): ChunkId[] {
  return store.all<{ id: ChunkId }>(
    "SELECT id FROM chunks WHERE section_id = ? ORDER BY chunk_index",
    section ?? null,
  ).map((row) => row.id);
}

/** Counts the rows of a table, or those that meet a condition. */
export function countRows(store: Store, table: string, where = "1"): number {
  return store.get<{ n: number }>(
    `SELECT count(*) AS n FROM ${table} WHERE ${where}`,
  )?.n ?? 0;
}

/** Gives every chunk a vector of one model; answers the model's id. */
export function embedAll(store: Store, identity = "model-1"): number {
  const model = putModel(store, { identity, modelKey: identity, dims: 4 });
  const rows = store.all<{ id: ChunkId; text: string }>(
    "SELECT id, enriched_text AS text FROM chunk_texts ORDER BY id",
  );
  putVectors(
    store,
    model.id,
    rows.map(({ id, text }) => ({
      chunkId: id,
      vector: sha256(text).slice(0, 4),
      textHash: sha256(text).slice(0, 16),
    })),
  );
  return model.id;
}

/** Copies rows into plain objects, as SQLite's have no prototype to compare. */
export function plain<T extends object>(rows: Iterable<T>): T[] {
  return Array.from(rows, (row) => ({ ...row }));
}

/** Fails unless the full-text index says exactly what the chunks say, and no row points nowhere. */
export function assertIntact(store: Store): void {
  store.run(
    "INSERT INTO chunks_fts(chunks_fts, rank) VALUES ('integrity-check', 1)",
  );
  assert.equal(
    countRows(store, "chunks_fts_docsize"),
    countRows(store, "chunks"),
  );
  assert.deepEqual(store.all("PRAGMA foreign_key_check"), []);
  assert.equal(
    store.get<{ integrity_check: string }>("PRAGMA integrity_check")
      ?.integrity_check,
    "ok",
  );
}
