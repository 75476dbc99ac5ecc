import { join, resolve } from "node:path";
import { workerUrl } from "../core/mod.ts";
import {
  addFiles,
  addNote,
  embedPending,
  type EmbedReport,
  type NoteReport,
  Originals,
  type Planner,
  reindexVectors,
  workerPlanner,
} from "../ingest/mod.ts";
import {
  readSearchStats,
  search,
  type SearchAnswer,
  type SearchOptions,
  type SearchStats,
} from "../search/mod.ts";
import {
  type CollectionCount,
  countPending,
  type DocumentFilter,
  listCollections,
  listDocuments,
  listTags,
  openStore,
  optimizeFullText,
  readStats,
  type Store,
  type TagCount,
  toFilterSql,
} from "../store/mod.ts";
import type {
  ComposeOptions,
  Composition,
  RecallAnswer,
  RecallOptions,
} from "../compose/mod.ts";
import {
  removeCollection,
  renameCollection,
  type RenameCollectionOptions,
} from "./collections.ts";
import { composeContent, recallSections } from "./compose.ts";
import { readChunks, readContent, readInfo, toSummary } from "./documents.ts";
import { DATABASE, ORIGINALS } from "./base_files.ts";
import { toFileError } from "./file_errors.ts";
import { checkLabels } from "./labels.ts";
import { BaseModel, putModelOf } from "./models.ts";
import type { ImportOptions, ImportReport } from "./import_types.ts";
import { JobQueue } from "./jobs.ts";
import { NoteKb } from "./note_kb.ts";
import { findOriginal } from "./originals.ts";
import { forgetRoot, listRoots, syncFolder } from "./sync.ts";
import type { SyncOptions, SyncRoot } from "./sync_types.ts";
import { getDocumentByRef } from "./refs.ts";
import { removeDocuments } from "./removing.ts";
import { Retrieval } from "./retrieval.ts";
import type {
  AddNoteOptions,
  AddOptions,
  AddReport,
  ChunkSummary,
  Content,
  DocumentInfo,
  DocumentPage,
  DocumentSummary,
  EmbedOptions,
  ListOptions,
  OpenKbOptions,
  OriginalFile,
  Status,
} from "./types.ts";

const LIST_LIMIT = 100;
const LIST_LIMIT_MAX = 10_000;
/** Files stored in one call after which the word index is worth folding together. */
const OPTIMIZE_FILES = 500;

/**
 * Opens a base, creating it where there is none. No model is loaded before it is needed.
 *
 * @param options Directory, model.
 * @returns The base; close it.
 * @throws {KbError} `conflict` if a newer kbdb made the base (it is left untouched);
 * `invalid_input` if the file is not a base, or the directory cannot be made; `corrupt` if it
 * cannot be read.
 *
 * @example A note is found by its words at once
 * ```ts
 * import assert from "node:assert/strict";
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 *
 * const dir = mkdtempSync(join(tmpdir(), "kbdb-"));
 * {
 *   await using kb = openKb({ dir });
 *   kb.addNote("The spare key hangs behind the boiler.");
 *   const { hits } = await kb.search("spare key", { retriever: "fts" });
 *   assert.equal(hits[0]?.docType, "note");
 * }
 * rmSync(dir, { recursive: true });
 * ```
 */
export function openKb(options: OpenKbOptions): Kb {
  return new Kb(openStoreIn(options), options);
}

function openStoreIn({ dir, now }: OpenKbOptions): Store {
  try {
    return openStore(join(dir, DATABASE), now === undefined ? {} : { now });
  } catch (error) {
    throw toFileError(`Cannot open the base "${dir}"`, error);
  }
}

/** An open base: one method for each thing a user can do. */
export class Kb extends NoteKb implements AsyncDisposable {
  /** Files and notes that wait to be taken in. */
  readonly jobs: JobQueue;
  readonly #store: Store;
  readonly #options: OpenKbOptions;
  readonly #model: BaseModel;
  readonly #retrieval: Retrieval;

  /** Wraps an open store; use {@linkcode openKb}. */
  constructor(store: Store, options: OpenKbOptions) {
    const model = new BaseModel(options);
    super(store, model);
    this.#store = store;
    this.#options = options;
    this.#model = model;
    this.#retrieval = new Retrieval(store, model);
    this.jobs = new JobQueue(store, {
      measure: () => model.measure(),
      openPlanner: () => this.#openPlanner({}),
      originals: new Originals(join(options.dir, ORIGINALS)),
    });
  }

  /**
   * Brings a file, or a folder with all in it, into the base: adds, updates, and removes what is
   * gone. Text is searchable by word when this returns; vectors follow with {@linkcode Kb.embed}.
   *
   * @throws {KbError} `not_found` if the path does not exist; `cancelled` if `signal` aborts;
   * `invalid_input` for a tag or collection that is none.
   */
  async add(path: string, options: AddOptions = {}): Promise<AddReport> {
    checkLabels(options);
    const report = await addFiles(this.#store, resolve(path), {
      ...options,
      measure: this.#model.measure(),
      openPlanner: () => this.#openPlanner(options),
    });
    this.#foldWordIndex(report);
    return report;
  }

  /**
   * Makes the base hold what a folder holds, and remembers the folder; see {@linkcode syncFolder}.
   *
   * @throws {KbError} `not_found` if the path does not exist; `invalid_input` if it is a file, or for a
   * tag or collection that is none; `conflict` if the folder is empty but was not before; `cancelled`
   * if `signal` aborts.
   */
  async sync(path: string, options: SyncOptions = {}): Promise<AddReport> {
    checkLabels(options);
    const report = await syncFolder(this.#store, resolve(path), options, {
      measure: this.#model.measure(),
      openPlanner: () => this.#openPlanner(options),
    });
    this.#foldWordIndex(report);
    return report;
  }

  /** Lists the folders that were synced, A to Z. */
  listRoots(): SyncRoot[] {
    return listRoots(this.#store);
  }

  /**
   * Forgets a synced folder; its documents stay.
   *
   * @throws {KbError} `not_found` if it was not synced.
   */
  forgetRoot(path: string): void {
    forgetRoot(this.#store, path);
  }

  #foldWordIndex({ counts }: AddReport): void {
    if ((counts.indexed ?? 0) >= OPTIMIZE_FILES) optimizeFullText(this.#store);
  }

  /**
   * Brings an export, or a folder of Markdown and other files from elsewhere, into the base; see
   * `importInto()`. Vectors follow with {@linkcode Kb.embed}.
   *
   * @param path Folder, or a file that ends in `.jsonl`.
   * @throws {KbError} `not_found` if there is nothing; `cancelled` if `signal` aborts;
   * `invalid_input` for a collection that is none.
   */
  async importFrom(
    path: string,
    options: ImportOptions = {},
  ): Promise<ImportReport> {
    checkLabels(options);
    // Loaded only here, so that opening a base starts no slower.
    const { importInto } = await import("./import.ts");
    return await importInto(
      {
        store: this.#store,
        measure: this.#model.measure(),
        openPlanner: () => this.#openPlanner({}),
        originals: new Originals(join(this.#options.dir, ORIGINALS)),
      },
      path,
      options,
    );
  }

  /**
   * Adds a note. The same text again is `skipped` with the id of the note that has it.
   *
   * @throws {KbError} `invalid_input` if the text is blank or too long; `conflict` if the docid is taken.
   */
  addNote(text: string, options: AddNoteOptions = {}): NoteReport {
    checkLabels(options);
    return addNote(this.#store, { ...options, text }, this.#model.measure());
  }

  /**
   * Makes the vectors that are missing. Texts that have one already are not embedded again.
   *
   * @throws {KbError} `model_unavailable` if the model cannot be loaded; `cancelled` if `signal` aborts.
   */
  async embed(options: EmbedOptions = {}): Promise<EmbedReport> {
    const model = putModelOf(this.#store, this.#model);
    if (countPending(this.#store, model.id).chunks === 0) {
      return { embedded: 0, reused: 0, cut: 0, failed: [] };
    }
    return await embedPending(this.#store, {
      ...options,
      model,
      embedder: this.#model.embedder(),
    });
  }

  /**
   * Searches by word and by meaning.
   *
   * @throws {RangeError} If `limit`, `offset` or `threshold` is out of range.
   * @throws {KbError} `invalid_query` if the query cannot be read; `model_unavailable` if only
   * vectors are asked for and there are none to be had.
   */
  async search(
    query: string,
    options: SearchOptions = {},
  ): Promise<SearchAnswer> {
    return await search(this.#retrieval.context(options), query, options);
  }

  /** Counts what the words of a query stand for in the base. */
  searchStats(query: string, options: DocumentFilter = {}): SearchStats {
    return readSearchStats(this.#store, query, options);
  }

  /**
   * Lists documents.
   *
   * @throws {RangeError} If `limit` or `offset` is out of range.
   */
  list(options: ListOptions = {}): DocumentPage {
    const { limit = LIST_LIMIT, offset = 0, sort = "recent" } = options;
    if (!(limit >= 1 && limit <= LIST_LIMIT_MAX && offset >= 0)) {
      throw new RangeError(
        `Cannot list: limit is ${limit}, must be 1 to ${LIST_LIMIT_MAX}; offset is ${offset}, must be >= 0`,
      );
    }
    return this.#store.read(() => {
      const where = toFilterSql(options);
      const { documents, total } = listDocuments(this.#store, {
        where,
        limit,
        offset,
        sort,
      });
      return {
        documents: documents.map((document) =>
          toSummary(this.#store, document)
        ),
        total,
      };
    });
  }

  /** Lists the tags in use, collections as `collection:` tags. */
  listTags(): TagCount[] {
    return listTags(this.#store);
  }

  /**
   * Gets a document as lists show it, by id, docid or path.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  summary(ref: string): DocumentSummary {
    return this.#store.read(() =>
      toSummary(this.#store, getDocumentByRef(this.#store, ref))
    );
  }

  /**
   * Gets what is known of a document, by id, docid or path.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  info(ref: string): DocumentInfo {
    return this.#store.read(() => readInfo(this.#store, ref));
  }

  /**
   * Gets the chunks of a document, by id, docid or path, in the order of its text.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  chunks(ref: string): ChunkSummary[] {
    return this.#store.read(() => readChunks(this.#store, ref));
  }

  /**
   * Finds the file a document was made of, by id, docid or path: the one uploaded, or the one that
   * was added if it still has the same bytes.
   *
   * @returns Where it is; `undefined` if there is none, as for a note, or it changed.
   * @throws {KbError} `not_found` if there is no such document.
   */
  original(ref: string): OriginalFile | undefined {
    const document = getDocumentByRef(this.#store, ref);
    return findOriginal(document, join(this.#options.dir, ORIGINALS));
  }

  /**
   * Gets the text of a document, by id, docid or path, or of a section, by kbid.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  get(ref: string): Content {
    return this.#store.read(() => readContent(this.#store, ref));
  }

  /**
   * Removes a document, by id, docid or path, or all documents under a folder; an archive with those of
   * the files in it.
   *
   * @returns What was removed.
   * @throws {KbError} `not_found` if nothing is named so.
   */
  remove(ref: string): DocumentSummary[] {
    const { removed, hashes } = removeDocuments(this.#store, ref);
    this.jobs.release(hashes);
    return removed;
  }

  /** Lists the collections that have documents, A to Z. */
  listCollections(): CollectionCount[] {
    return listCollections(this.#store);
  }

  /** Gives a collection another name and answers how many documents moved; see {@linkcode renameCollection}. */
  renameCollection(
    from: string,
    to: string,
    options: RenameCollectionOptions = {},
  ): number {
    return renameCollection(this.#store, from, to, options);
  }

  /** Removes a collection with all documents in it and answers how many; see {@linkcode removeCollection}. */
  removeCollection(name: string): number {
    const { documents, hashes } = removeCollection(this.#store, name);
    this.jobs.release(hashes);
    return documents;
  }

  /**
   * Makes all vectors anew beside the old ones, which answer until the new ones take their place.
   *
   * @throws {KbError} `model_unavailable` if the model cannot be loaded; `cancelled` if `signal`
   * aborts: the old vectors stay.
   */
  async reindex(options: EmbedOptions = {}): Promise<EmbedReport> {
    return await reindexVectors(this.#store, {
      ...options,
      model: putModelOf(this.#store, this.#model),
      embedder: this.#model.embedder(),
    });
  }

  /** Says what the base holds and how many chunks still wait for a vector. */
  status(): Status {
    const stats = readStats(this.#store);
    return {
      dir: this.#options.dir,
      ...stats,
      vectors: this.#retrieval.vectorStatus(),
    };
  }

  /** Closes the base and ends its workers. */
  async close(): Promise<void> {
    await this.jobs.stop();
    await this.#model[Symbol.asyncDispose]();
    this.#store.close();
  }

  /** Same as {@linkcode Kb.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Cuts texts in a thread of its own, while this one writes. */
  #openPlanner({ tags, collection, takesArchives }: AddOptions): Planner {
    const labels = {
      ...(tags === undefined ? {} : { tags }),
      ...(collection === undefined ? {} : { collection }),
      ...(takesArchives === undefined ? {} : { takesArchives }),
    };
    return workerPlanner({
      url: workerUrl("text_worker"),
      setup: { source: this.#model.measureSource(), ...labels },
      fallback: { measure: this.#model.measure(), ...labels },
    });
  }

  /** Composes one Markdown text of documents and sections; see {@linkcode composeContent}. */
  compose(ids: readonly string[], options: ComposeOptions = {}): Composition {
    return composeContent(this.#store, ids, options);
  }

  /** Recalls sections with what is around them; see {@linkcode recallSections}. */
  recall(
    kbids: readonly string[],
    options: RecallOptions = {},
  ): RecallAnswer {
    return recallSections(this.#store, kbids, options);
  }
}
