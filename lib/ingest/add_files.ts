import { lstatSync } from "node:fs";
import { sep } from "node:path";
import { KbError } from "../core/mod.ts";
import {
  addTags,
  deleteDocument,
  listSources,
  type SeenSource,
  type Store,
  touchSource,
} from "../store/mod.ts";
import { INSIDE } from "./plan_archive.ts";
import { type FilePlan, type FileToPlan, isUnchanged } from "./plan_file.ts";
import { localPlanner, type Planner } from "./planner.ts";
import { storeDocuments } from "./store_document.ts";
import type { FileReport, FileState, Measure, Progress } from "./types.ts";
import { type FoundFile, resolveRoot, walk } from "./walk.ts";

/** Options for {@linkcode addFiles}. */
export interface AddFilesOptions {
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Opens a planner in a thread of its own, for much text and for formats that need one. */
  readonly openPlanner: () => Planner;
  /** Tags given to every file. */
  readonly tags?: readonly string[];
  /** Collection of new documents; moves old ones when given. */
  readonly collection?: string;
  /** Whether the files in archives are taken too; default `false`. */
  readonly takesArchives?: boolean;
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
const BATCH_FILES = 400;
const BATCH_BYTES = 4 * 1024 * 1024;
/** Batches that are planned ahead of the one that is stored. */
const BATCHES_AHEAD = 2;
/** Changed bytes from which on texts are cut in a thread of their own. */
const THREAD_BYTES = 2 * 1024 * 1024;
/** Files found before the event loop gets a turn. */
const SCAN_FILES = 500;

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
  const seen = listSeen(store, root);
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
  const inArchives = groupMembers(seen);
  const work = files.map((file): FileToPlan => {
    const knownMembers = inArchives.get(file.path);
    return {
      file,
      known: seen.get(file.path),
      ...(knownMembers === undefined ? {} : { knownMembers }),
    };
  });
  await using planner = choosePlanner(work, options);
  let readBytes = 0;
  let done = 0;
  let doneSize = 0;
  for await (const { batch, plans } of planAhead(planner, toBatches(work))) {
    stopIfAborted(options.signal);
    reports.push(...store.write(() => carryOut(store, plans, options)));
    for (const plan of plans) readBytes += plan.readBytes;
    for (const { file } of batch) doneSize += file.sizeBytes;
    done += batch.length;
    options.onProgress?.({
      phase: "store",
      done,
      total: files.length,
      doneSize,
      totalSize,
    });
  }
  reports.push(...removeGone(store, seen, found, reports));
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

/** A thread of its own is worth starting only for much text. */
function choosePlanner(
  work: readonly FileToPlan[],
  { measure, tags, collection, takesArchives, openPlanner }: AddFilesOptions,
): Planner {
  let changedBytes = 0;
  for (const item of work) {
    if (!isUnchanged(item)) changedBytes += item.file.sizeBytes;
  }
  if (changedBytes >= THREAD_BYTES) return openPlanner();
  return localPlanner({
    measure,
    ...(tags === undefined ? {} : { tags }),
    ...(collection === undefined ? {} : { collection }),
    ...(takesArchives === undefined ? {} : { takesArchives }),
  }, openPlanner);
}

/** Has batches planned ahead of the one that is stored. */
async function* planAhead(
  planner: Planner,
  batches: Iterable<readonly FileToPlan[]>,
): AsyncGenerator<{ batch: readonly FileToPlan[]; plans: FilePlan[] }> {
  const ahead: { batch: readonly FileToPlan[]; plans: Promise<FilePlan[]> }[] =
    [];
  for (const batch of batches) {
    ahead.push({ batch, plans: planner.plan(batch) });
    if (ahead.length > BATCHES_AHEAD) yield* takeFirst(ahead);
  }
  while (ahead.length > 0) yield* takeFirst(ahead);
}

async function* takeFirst(
  ahead: { batch: readonly FileToPlan[]; plans: Promise<FilePlan[]> }[],
): AsyncGenerator<{ batch: readonly FileToPlan[]; plans: FilePlan[] }> {
  const first = ahead.shift();
  if (first !== undefined) {
    yield { batch: first.batch, plans: await first.plans };
  }
}

function* toBatches(work: readonly FileToPlan[]): Generator<FileToPlan[]> {
  let batch: FileToPlan[] = [];
  let bytes = 0;
  for (const item of work) {
    const { sizeBytes } = item.file;
    const isFull = batch.length >= BATCH_FILES ||
      bytes + sizeBytes > BATCH_BYTES;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(item);
    bytes += sizeBytes;
  }
  if (batch.length > 0) yield batch;
}

/** Stores what a batch came to; call inside a write. */
function carryOut(
  store: Store,
  outer: readonly FilePlan[],
  options: AddFilesOptions,
): FileReport[] {
  const plans = outer.flatMap((plan) => [plan, ...plan.members ?? []]);
  const ids = storeDocuments(
    store,
    plans.flatMap((plan) => plan.document ?? []),
  );
  return plans.map(({ report, document, unchanged }) => {
    if (unchanged !== undefined) {
      const { known, stat } = unchanged;
      if (stat !== undefined) touchSource(store, known.id, stat);
      applyLabels(store, known, options);
    }
    const documentId = document === undefined ? undefined : ids.shift();
    return documentId === undefined ? report : { ...report, documentId };
  });
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

/** What the base knows of a file or folder, of all in it, and of all in an archive. */
function listSeen(store: Store, root: string): Map<string, SeenSource> {
  return new Map([
    ...listSources(store, root, sep),
    ...listMembers(store, root),
  ]);
}

/** Lists what the base knows of the files in an archive, by their paths. */
export function listMembers(
  store: Store,
  archive: string,
): Map<string, SeenSource> {
  return listSources(store, archive + INSIDE.slice(0, -1), INSIDE.slice(-1));
}

/** Groups what is known of files in archives by the archive on disk they are in. */
function groupMembers(
  seen: ReadonlyMap<string, SeenSource>,
): Map<string, Map<string, SeenSource>> {
  const groups = new Map<string, Map<string, SeenSource>>();
  for (const [path, source] of seen) {
    for (const archive of archivesAround(path)) {
      const group = groups.get(archive) ?? new Map();
      groups.set(archive, group.set(path, source));
    }
  }
  return groups;
}

/** Paths of the archives a file may be in, the innermost first; `[]` for any other path. */
function archivesAround(path: string): string[] {
  const archives: string[] = [];
  for (
    let at = path.lastIndexOf(INSIDE);
    at > 0;
    at = path.lastIndexOf(INSIDE, at - 1)
  ) archives.push(path.slice(0, at));
  return archives;
}

/** Removes the documents whose files do not exist any more; one that merely cannot be read stays. */
function removeGone(
  store: Store,
  seen: ReadonlyMap<string, SeenSource>,
  found: ReadonlySet<string>,
  reports: readonly FileReport[],
): FileReport[] {
  const states = new Map(reports.map(({ path, state }) => [path, state]));
  const gone = [...seen].filter(([path]) =>
    !found.has(path) && !states.has(path) && !exists(path) &&
    !isKeptByArchive(path, states)
  );
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

/** Says whether a file is in an archive that is there and was not unpacked without it. */
function isKeptByArchive(
  path: string,
  states: ReadonlyMap<string, FileState>,
): boolean {
  for (const archive of archivesAround(path)) {
    const state = states.get(archive);
    if (state !== undefined) return state !== "indexed" && state !== "empty";
    if (exists(archive)) return true;
  }
  return false;
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
