import {
  deleteDocument,
  relabel,
  type SeenSource,
  type Store,
  touchSource,
} from "../store/mod.ts";
import type { RuleOptions } from "./ignore_rules.ts";
import { type FilePlan, type FileToPlan, isUnchanged } from "./plan_file.ts";
import { localPlanner, type Planner } from "./planner.ts";
import { findRenames, type Rename } from "./renames.ts";
import { type Scan, scan, stopIfAborted } from "./scan.ts";
import {
  findGone,
  findMissing,
  groupMembers,
  listSeen,
  stopIfEmpty,
} from "./seen.ts";
import { storeDocuments, withPresent } from "./store_document.ts";
import type { FileReport, FileState, Measure, Progress } from "./types.ts";
import { resolveRoot } from "./walk.ts";

/** Options for {@linkcode addFiles}. */
export interface AddFilesOptions extends RuleOptions {
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
  /** Real paths of folders below that are left alone, with the documents from there. */
  readonly apart?: ReadonlySet<string>;
  /** Whether documents stay when all files of their folder are gone at once. */
  readonly keepsIfEmpty?: boolean;
  /** Whether nothing is stored and the report says what would be. */
  readonly dryRun?: boolean;
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
  const scanned = await scan(root, options);
  const { files, totalSize } = scanned;
  if (options.keepsIfEmpty === true) stopIfEmpty(path, seen, scanned);
  const work = await toWork(seen, scanned);
  const moved = new Set(work.flatMap(({ movedFrom }) => movedFrom ?? []));
  const reports: FileReport[] = [...scanned.reports];
  await using planner = choosePlanner(work, options);
  let readBytes = 0;
  let done = 0;
  let doneSize = 0;
  for await (const { batch, plans } of planAhead(planner, toBatches(work))) {
    stopIfAborted(options.signal);
    reports.push(...carryOut(store, batch, plans, options));
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
  const gone = findGone(seen, scanned, reports)
    .filter(({ path }) => !moved.has(path));
  if (options.dryRun !== true && gone.length > 0) {
    store.write(() => {
      for (const { source } of gone) deleteDocument(store, source.id);
    });
  }
  reports.push(...gone.map(({ path, source, reason }): FileReport => ({
    path,
    state: "removed",
    reason,
    documentId: source.id,
  })));
  return { root, files: reports, counts: countStates(reports), readBytes };
}

/** What is known of each file; one that was renamed is known by the document it was. */
async function toWork(
  seen: ReadonlyMap<string, SeenSource>,
  scanned: Scan,
): Promise<FileToPlan[]> {
  const { files } = scanned;
  const inArchives = groupMembers(seen);
  const missing = findMissing(seen, scanned);
  const renames = missing.length === 0
    ? new Map<string, Rename>()
    : await findRenames(missing, files.filter(({ path }) => !seen.has(path)));
  return files.map((file): FileToPlan => {
    const knownMembers = inArchives.get(file.path);
    const rename = renames.get(file.path);
    return {
      file,
      // Without its hash, as the path and perhaps the title are to be stored anew.
      known: rename === undefined
        ? seen.get(file.path)
        : { id: rename.source.id, contentHash: "", stat: undefined },
      ...(rename === undefined ? {} : { movedFrom: rename.from }),
      ...(knownMembers === undefined ? {} : { knownMembers }),
    };
  });
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

/** Stores what a batch came to, in one transaction, and says so; only says so in a dry run. */
function carryOut(
  store: Store,
  batch: readonly FileToPlan[],
  outer: readonly FilePlan[],
  options: AddFilesOptions,
): FileReport[] {
  const plans = outer.flatMap((plan) => [plan, ...plan.members ?? []]);
  const reports = options.dryRun === true
    ? plans.map(({ report }) => report)
    : store.write(() => storePlans(store, plans, options));
  const moved = new Map(
    batch.map(({ file, movedFrom }) => [file.path, movedFrom]),
  );
  return reports.map((report) => {
    const movedFrom = moved.get(report.path);
    return movedFrom === undefined ? report : { ...report, movedFrom };
  });
}

/** Stores what plans came to; call inside a write. */
function storePlans(
  store: Store,
  plans: readonly FilePlan[],
  options: AddFilesOptions,
): FileReport[] {
  const ids = storeDocuments(
    store,
    plans.flatMap(({ report, document }) =>
      document === undefined ? [] : withPresent(store, report.path, document)
    ),
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
  relabel(
    store,
    known.id,
    collection === undefined ? tags : [...tags, `collection:${collection}`],
  );
}

function countStates(
  reports: readonly FileReport[],
): Partial<Record<FileState, number>> {
  const counts: Partial<Record<FileState, number>> = {};
  for (const { state } of reports) counts[state] = (counts[state] ?? 0) + 1;
  return counts;
}
