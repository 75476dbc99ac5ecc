import { lstatSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { sep } from "node:path";
import { KbError, sha256Hex } from "../core/mod.ts";
import {
  addTags,
  deleteDocument,
  listSources,
  type SeenSource,
  type SourceStat,
  type Store,
  touchSource,
} from "../store/mod.ts";
import { detect } from "../text/mod.ts";
import {
  type PreparedDocument,
  prepareEmptyFile,
  prepareFile,
} from "./prepare.ts";
import { storeDocument } from "./store_document.ts";
import type { FileReport, FileState, Measure, Progress } from "./types.ts";
import { type FoundFile, resolveRoot, toReason, walk } from "./walk.ts";

/** Options for {@linkcode addFiles}. */
export interface AddFilesOptions {
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Tags given to every file. */
  readonly tags?: readonly string[];
  /** Collection of new documents; moves old ones when given. */
  readonly collection?: string;
  /** Stops between files; what is stored by then stays. */
  readonly signal?: AbortSignal;
  /** Called as the work goes on. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What became of a file or folder and all in it. */
export interface AddFilesReport {
  /** Real path of what was added. */
  readonly root: string;
  /** One entry a file, in the order of the walk; removed ones last. */
  readonly files: readonly FileReport[];
  /** Files by state. */
  readonly counts: Readonly<Partial<Record<FileState, number>>>;
  /** Bytes of the files that were read. */
  readonly readBytes: number;
}

/** Files read at the same time, stored in one transaction. */
const BATCH_FILES = 200;
const BATCH_BYTES = 16 * 1024 * 1024;
/** Files found before the event loop gets a turn. */
const SCAN_FILES = 500;
/** A file changed this shortly before it was read may change again under the same time stamp. */
const RACY_MS = 2000;

/**
 * Brings a file, or a folder with all its files, into the base: adds what is new, updates what
 * changed, passes over what did not, and removes documents whose files are gone.
 *
 * A file that cannot be taken in is reported and stops nothing.
 *
 * @param store Open store.
 * @param path File or folder.
 * @param options Measure, tags, collection, progress.
 * @returns A report with one entry a file.
 * @throws {KbError} `not_found` if the path does not exist; `cancelled` if `signal` aborts.
 */
export async function addFiles(
  store: Store,
  path: string,
  options: AddFilesOptions,
): Promise<AddFilesReport> {
  const root = resolveRoot(path);
  const seen = listSources(store, root, sep);
  const reports: FileReport[] = [];
  const files: FoundFile[] = [];
  const found = new Set<string>();
  let totalSize = 0;
  for (const item of walk(root)) {
    found.add(item.path);
    if ("state" in item) reports.push(item);
    else {
      files.push(item);
      totalSize += item.sizeBytes;
    }
    if (found.size % SCAN_FILES === 0) {
      options.onProgress?.({
        phase: "scan",
        done: files.length,
        total: files.length,
        doneSize: totalSize,
        totalSize,
      });
      await pause();
      stopIfAborted(options.signal);
    }
  }
  let readBytes = 0;
  let done = 0;
  let doneSize = 0;
  for (const batch of toBatches(files)) {
    stopIfAborted(options.signal);
    const read = await Promise.all(
      batch.map((file) => readChanged(file, seen.get(file.path))),
    );
    store.write(() => {
      for (const file of read) reports.push(storeFile(store, file, options));
    });
    for (const { file, bytes } of read) {
      readBytes += bytes?.length ?? 0;
      doneSize += file.sizeBytes;
    }
    done += batch.length;
    options.onProgress?.({
      phase: "store",
      done,
      total: files.length,
      doneSize,
      totalSize,
    });
  }
  reports.push(...removeGone(store, seen, found));
  return { root, files: reports, counts: countStates(reports), readBytes };
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new KbError(
      "cancelled",
      "Adding was stopped; the files stored so far stay, add again to go on",
    );
  }
}

/** Lets timers, signals and messages in. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function* toBatches(files: readonly FoundFile[]): Generator<FoundFile[]> {
  let batch: FoundFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (
      batch.length >= BATCH_FILES ||
      (bytes > 0 && bytes + file.sizeBytes > BATCH_BYTES)
    ) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(file);
    bytes += file.sizeBytes;
  }
  if (batch.length > 0) yield batch;
}

/** A file with its bytes, unless nothing changed or it cannot be read. */
interface ReadFile {
  readonly file: FoundFile;
  readonly known: SeenSource | undefined;
  readonly seenMs: number;
  readonly bytes?: Uint8Array;
  readonly error?: string;
}

/** Reads a file unless size and time stamp say that it is the one read before. */
async function readChanged(
  file: FoundFile,
  known: SeenSource | undefined,
): Promise<ReadFile> {
  const seenMs = Date.now();
  if (known?.stat !== undefined && isSame(file, known.stat)) {
    return { file, known, seenMs };
  }
  try {
    return { file, known, seenMs, bytes: await readFile(file.path) };
  } catch (error) {
    return { file, known, seenMs, error: toReason(error) };
  }
}

function isSame(file: FoundFile, stat: SourceStat): boolean {
  return file.sizeBytes === stat.sizeBytes && file.mtimeMs === stat.mtimeMs &&
    stat.mtimeMs + RACY_MS < stat.seenMs;
}

/** Stores one file as it was read; call inside a write. */
function storeFile(
  store: Store,
  { file, known, seenMs, bytes, error }: ReadFile,
  options: AddFilesOptions,
): FileReport {
  const { path } = file;
  if (error !== undefined) {
    return { path, state: "unreadable", reason: keptNote(error, known) };
  }
  const stat: SourceStat = {
    sizeBytes: file.sizeBytes,
    mtimeMs: file.mtimeMs,
    seenMs,
  };
  const contentHash = bytes === undefined
    ? known?.contentHash
    : sha256Hex(bytes);
  if (known !== undefined && contentHash === known.contentHash) {
    if (bytes !== undefined) touchSource(store, known.id, stat);
    applyLabels(store, known, options);
    return { path, state: "unchanged", documentId: known.id };
  }
  if (bytes === undefined || contentHash === undefined) {
    throw new TypeError("A new file was not read");
  }
  const detected = detect(bytes, path);
  let prepared: PreparedDocument;
  if (detected.kind === "text") {
    prepared = prepareFile(path, detected, contentHash, options.measure);
  } else if (detected.state === "empty") {
    prepared = prepareEmptyFile(path, contentHash);
  } else {return {
      path,
      state: detected.state,
      reason: keptNote(detected.reason, known),
    };}
  const documentId = storeDocument(store, prepared, {
    ...(known === undefined ? {} : { existing: known.id }),
    ...(options.tags === undefined ? {} : { tags: options.tags }),
    ...(options.collection === undefined
      ? {}
      : { collection: options.collection }),
    stat,
  });
  const { warnings } = prepared.document;
  const isEmpty = prepared.sections.length === 0;
  return {
    path,
    state: isEmpty ? "empty" : "indexed",
    documentId,
    ...(isEmpty ? { reason: "It has no text" } : {}),
    ...(isEmpty || warnings.length === 0 ? {} : { warnings }),
  };
}

/** Gives an unchanged document the tags and collection this call asks for. */
function applyLabels(
  store: Store,
  known: SeenSource,
  { tags = [], collection }: AddFilesOptions,
): void {
  addTags(
    store,
    known.id,
    collection === undefined ? tags : [...tags, `collection:${collection}`],
  );
}

/** Adds to a reason that the version stored before is still there. */
function keptNote(reason: string, known: SeenSource | undefined): string {
  return known === undefined
    ? reason
    : `${reason} The version indexed before is kept.`;
}

/** Removes the documents whose files do not exist any more; one that merely cannot be read stays. */
function removeGone(
  store: Store,
  seen: ReadonlyMap<string, SeenSource>,
  found: ReadonlySet<string>,
): FileReport[] {
  const gone = [...seen].filter(([path]) => !found.has(path) && !exists(path));
  store.write(() => {
    for (const [, { id }] of gone) deleteDocument(store, id);
  });
  return gone.map(([path, { id }]) => ({
    path,
    state: "removed",
    reason: "Its file is gone",
    documentId: id,
  }));
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error &&
      (error.code === "ENOENT" || error.code === "ENOTDIR"));
  }
}

function countStates(
  reports: readonly FileReport[],
): Partial<Record<FileState, number>> {
  const counts: Partial<Record<FileState, number>> = {};
  for (const { state } of reports) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
