import {
  type DocumentId,
  type JsonObject,
  KbError,
  LIMITS,
} from "../core/mod.ts";
import {
  endJob,
  findDocumentsBy,
  holdsJob,
  type JobEnd,
  type JobRow,
  relabel,
  type Store,
} from "../store/mod.ts";
import { addNote } from "./add_note.ts";
import type { Originals } from "./originals.ts";
import type { Planner } from "./planner.ts";
import { storeDocuments, withPresent } from "./store_document.ts";
import type { Measure } from "./types.ts";

/** What every job's document gets. */
export interface JobLabels {
  /** Title; otherwise its own. */
  readonly title?: string;
  /** Tags. */
  readonly tags?: readonly string[];
  /** Collection. */
  readonly collection?: string;
}

/** A note that waits. */
export interface NoteJob extends JobLabels {
  /** Markdown. */
  readonly text: string;
  /** Text id of the note. */
  readonly docid?: string;
}

/** An uploaded file that waits. */
export interface FileJob extends JobLabels {
  /** Name or relative path. */
  readonly path: string;
  /** SHA-256 of its bytes, hex. */
  readonly sha256: string;
  /** Its bytes. */
  readonly sizeBytes: number;
}

/** What running a job needs. */
export interface RunJobOptions {
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Reads and cuts files, by preference in a thread of its own. */
  readonly planner: Pick<Planner, "plan">;
  /** Where uploaded files are. */
  readonly originals: Originals;
  /** The process that holds the job. */
  readonly owner: string;
  /** Aborts when the job is held no more. */
  readonly signal: AbortSignal;
}

/**
 * Runs a job that was claimed. What it stores and how it ended become true in one transaction; a job
 * that was cancelled, or taken up by another process meanwhile, stores nothing.
 *
 * @returns How it ended; `undefined` if it was no longer held.
 */
export async function runJob(
  store: Store,
  job: JobRow,
  options: RunJobOptions,
): Promise<JobEnd | undefined> {
  try {
    const finish = job.kind === "note"
      ? prepareNoteJob(store, job, options)
      : await prepareFileJob(store, job, options);
    return store.write(() => {
      if (!holdsJob(store, job.id, options.owner)) return undefined;
      const end = finish();
      endJob(store, job.id, end);
      return end;
    });
  } catch (error) {
    if (options.signal.aborted) return undefined;
    return fail(store, job, error, options.owner);
  }
}

/** Notes that a job failed; one that may yet succeed goes back to the queue. */
function fail(
  store: Store,
  job: JobRow,
  error: unknown,
  owner: string,
): JobEnd | undefined {
  const isFinal = error instanceof KbError && error.code !== "busy";
  const state = error instanceof KbError ? error.details["state"] : undefined;
  const end: JobEnd = {
    status: isFinal || job.attempts >= LIMITS.jobTries ? "failed" : "queued",
    ...(typeof state === "string" ? { state } : {}),
    error: error instanceof Error ? error.message : String(error),
  };
  return store.write(() => {
    if (!holdsJob(store, job.id, owner)) return undefined;
    endJob(store, job.id, end);
    return end;
  });
}

/** A file that cannot be taken in, however often it is tried. */
function refusal(state: string, reason: string): KbError {
  return new KbError("unsupported_type", reason, { details: { state } });
}

function prepareNoteJob(
  store: Store,
  { payload }: JobRow,
  { measure }: RunJobOptions,
): () => JobEnd {
  const { text, ...labels } = payload as unknown as NoteJob;
  return () => {
    const { state, documentId } = addNote(store, { ...labels, text }, measure);
    const isNew = state === "indexed";
    if (!isNew) label(store, documentId, labels);
    return {
      status: isNew ? "done" : "skipped",
      state,
      documentId,
      payload: labels as unknown as JsonObject,
      ...(isNew ? {} : { error: "A note has the same text already" }),
    };
  };
}

/** Reads and cuts a file; what is left to do in the transaction is to store it. */
async function prepareFileJob(
  store: Store,
  { payload }: JobRow,
  { planner, originals, signal }: RunJobOptions,
): Promise<() => JobEnd> {
  const { path, sha256, sizeBytes, title, tags = [], collection } =
    payload as unknown as FileJob;
  if (sizeBytes > LIMITS.fileBytes) {
    throw refusal(
      "too_large",
      `The file has ${sizeBytes} bytes, the limit for indexing is ${LIMITS.fileBytes}`,
    );
  }
  const [same] = findDocumentsBy(store, "content_hash", sha256);
  if (same !== undefined) {
    return () => skip(store, same.id, payload as unknown as FileJob);
  }
  // A bare name says too little to take another file of that name for the same document.
  const namesDocument = path.includes("/");
  const known = namesDocument
    ? findDocumentsBy(store, "source_path", path)[0]
    : undefined;
  const planning = planner.plan([{
    file: { path, sizeBytes, mtimeMs: 0 },
    readPath: originals.pathOf(sha256),
    known: known === undefined
      ? undefined
      : { id: known.id, contentHash: known.contentHash, stat: undefined },
    ...(title === undefined ? {} : { title }),
  }]);
  const [plan] = await Promise.race([planning, untilAborted(signal)]);
  if (plan?.document === undefined) {
    const { state = "unreadable", reason } = plan?.report ?? {};
    throw refusal(state, reason ?? state);
  }
  const { report, document: { stat: _, ...document } } = plan;
  return () => {
    // Another process may have stored the same bytes while these were read.
    const [twin] = findDocumentsBy(store, "content_hash", sha256);
    if (twin !== undefined) {
      return skip(store, twin.id, payload as unknown as FileJob);
    }
    const labelled = {
      ...document,
      tags,
      ...(collection === undefined ? {} : { collection }),
    };
    const [documentId] = storeDocuments(store, [
      namesDocument ? withPresent(store, path, labelled) : labelled,
    ]);
    return {
      status: "done",
      state: report.state,
      ...(report.reason === undefined ? {} : { error: report.reason }),
      ...(documentId === undefined ? {} : { documentId }),
    };
  };
}

/** Rejects when a signal aborts. */
function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  if (signal.aborted) reject(signal.reason);
  signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  promise.catch(() => {});
  return promise;
}

/** Ends a job whose bytes are in the base. */
function skip(
  store: Store,
  documentId: DocumentId,
  labels: JobLabels,
): JobEnd {
  label(store, documentId, labels);
  return {
    status: "skipped",
    state: "unchanged",
    documentId,
    error: `Document ${documentId} has the same bytes`,
  };
}

/** Gives a document that is here already what a job says of it. */
function label(
  store: Store,
  documentId: DocumentId,
  { tags = [], collection }: JobLabels,
): void {
  relabel(store, documentId, [
    ...tags,
    ...(collection === undefined ? [] : [`collection:${collection}`]),
  ]);
}
