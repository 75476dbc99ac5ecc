import { createReadStream } from "node:fs";
import { KbError } from "../core/mod.ts";
import type {
  AddOptions,
  AddReport,
  FileReport,
  FileState,
  FoundFile,
  Job,
  Progress,
} from "../kb/mod.ts";
import { findFiles } from "../kb/folders.ts";
import type { RemoteJobs } from "./jobs.ts";

/** Files that wait at the engine at once, so that it has always one to work on. */
const AHEAD = 4;
/** How often a job is looked at. */
const POLL_MS = 100;

/** How a job's end reads as the state of its file. */
const STATES: Readonly<Record<string, FileState>> = {
  done: "indexed",
  skipped: "unchanged",
};

/**
 * Sends a file, or all files of a folder, to an engine that cannot see them: one job a file, with its path here as
 * the source. Documents whose files are gone stay there.
 *
 * @returns One entry a file, in the order of the walk.
 * @throws {KbError} `not_found` if the path does not exist; `invalid_input` if archives are to be unpacked; `cancelled` if `signal` aborts, and what was sent stays.
 */
export async function sendFiles(
  jobs: RemoteJobs,
  path: string,
  options: AddOptions,
): Promise<AddReport> {
  refuseArchives(options);
  const { root, found } = findFiles(path, options);
  const files = found.filter((item) => "sizeBytes" in item);
  const left = found.filter((item) => "state" in item);
  const sent = await sendFound(jobs, files, options);
  return toAddReport(root, [...left, ...sent], sizeOf(files));
}

/** Refuses to unpack archives, whose files an engine elsewhere would not see. */
export function refuseArchives({ takesArchives }: AddOptions): void {
  if (takesArchives !== true) return;
  throw new KbError(
    "invalid_input",
    "Cannot take the files in archives: the engine gets files one by one; unpack the archives and add the folder",
  );
}

/** Sends files, and says what became of each. */
export async function sendFound(
  jobs: RemoteJobs,
  files: readonly FoundFile[],
  options: AddOptions,
): Promise<FileReport[]> {
  const totalSize = sizeOf(files);
  const reports: FileReport[] = [];
  const waiting: { file: FoundFile; report: Promise<FileReport> }[] = [];
  let doneSize = 0;
  async function settleFirst(): Promise<void> {
    const first = waiting.shift();
    if (first === undefined) return;
    reports.push(await first.report);
    doneSize += first.file.sizeBytes;
    const progress: Progress = {
      phase: "store",
      done: reports.length,
      total: files.length,
      doneSize,
      totalSize,
    };
    options.onProgress?.(progress);
  }
  for (const file of files) {
    if (waiting.length >= AHEAD) await settleFirst();
    const report = sendFile(jobs, file, options);
    // Told when its turn comes.
    report.catch(() => {});
    waiting.push({ file, report });
  }
  while (waiting.length > 0) await settleFirst();
  return reports;
}

/** Sums up what became of files. */
export function toAddReport(
  root: string,
  files: readonly FileReport[],
  readBytes: number,
): AddReport {
  const counts: Partial<Record<FileState, number>> = {};
  for (const { state } of files) counts[state] = (counts[state] ?? 0) + 1;
  return { root, files, counts, readBytes };
}

/** Bytes of files. */
export function sizeOf(files: readonly FoundFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
}

async function sendFile(
  jobs: RemoteJobs,
  { path }: FoundFile,
  { tags, collection, signal }: AddOptions,
): Promise<FileReport> {
  stopIfAborted(signal);
  try {
    const job = await jobs.submitFile(path, readFile(path), {
      ...(tags === undefined ? {} : { tags }),
      ...(collection === undefined ? {} : { collection }),
    });
    return toReport(path, await waitFor(jobs, job, signal));
  } catch (error) {
    // What concerns one file only stops no other.
    const isOwn = error instanceof KbError &&
      (error.code === "invalid_input" || error.code === "unsupported_type");
    if (!isOwn) throw error;
    const isTooLarge = error.details["reason"] === "too_large";
    const state = isTooLarge ? "too_large" : "unreadable";
    return { path, state, reason: error.message };
  }
}

/** Reads a file; that it cannot be read is not taken for a fault of the network. */
export async function* readFile(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const part of createReadStream(path)) yield part;
  } catch (error) {
    throw new KbError(
      "invalid_input",
      error instanceof Error ? error.message : String(error),
      { cause: error },
    );
  }
}

async function waitFor(
  jobs: RemoteJobs,
  job: Job,
  signal: AbortSignal | undefined,
): Promise<Job> {
  let now = job;
  while (now.status === "queued" || now.status === "processing") {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    stopIfAborted(signal);
    now = await jobs.get(job.id);
  }
  return now;
}

function toReport(
  path: string,
  { status, state, error, documentId }: Job,
): FileReport {
  const reported = (state ?? STATES[status] ?? "unreadable") as FileState;
  return {
    path,
    state: reported,
    ...(error === null ? {} : { reason: error }),
    ...(documentId === null ? {} : { documentId }),
  };
}

/** Throws once a signal has aborted. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new KbError("cancelled", "Adding was stopped; what was sent stays");
  }
}
