import { readFile } from "node:fs/promises";
import { sha256Hex } from "../core/mod.ts";
import type { SeenSource, SourceStat } from "../store/mod.ts";
import { detect } from "../text/mod.ts";
import { prepareEmptyFile, prepareFile } from "./prepare.ts";
import type { DocumentToStore } from "./store_document.ts";
import type { FileReport, Measure } from "./types.ts";
import { type FoundFile, toReason } from "./walk.ts";

/** A file changed this shortly before it was read may change again under the same time stamp. */
const RACY_MS = 2000;

/** A file with its bytes, unless nothing changed or it cannot be read. */
export interface ReadFile {
  /** The file. */
  readonly file: FoundFile;
  /** What the base knows of it. */
  readonly known: SeenSource | undefined;
  /** When it was looked at, in ms since 1970. */
  readonly seenMs: number;
  /** Its bytes, if they were read. */
  readonly bytes?: Uint8Array;
  /** Why they could not be read. */
  readonly error?: string;
}

/** Reads a file unless size and time stamp say that it is the one read before. */
export async function readChanged(
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

/** What is to be done about a file. */
export interface FilePlan {
  /** What to say of it; the id of a stored document is added later. */
  readonly report: FileReport;
  /** Document to store. */
  readonly document?: DocumentToStore;
  /** Document that has these bytes already, and the file's new stat if it was read again. */
  readonly unchanged?: {
    readonly known: SeenSource;
    readonly stat?: SourceStat;
  };
}

/** What the caller gives every file. */
export interface PlanFileOptions {
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Tags. */
  readonly tags?: readonly string[];
  /** Collection. */
  readonly collection?: string;
}

/** Decides what is to be done about a file as it was read. Touches no store. */
export function planFile(
  { file, known, seenMs, bytes, error }: ReadFile,
  { measure, tags, collection }: PlanFileOptions,
): FilePlan {
  const { path } = file;
  if (error !== undefined) {
    return {
      report: { path, state: "unreadable", reason: keptNote(error, known) },
    };
  }
  const stat = { sizeBytes: file.sizeBytes, mtimeMs: file.mtimeMs, seenMs };
  const contentHash = bytes === undefined
    ? known?.contentHash
    : sha256Hex(bytes);
  if (known !== undefined && contentHash === known.contentHash) {
    return {
      report: { path, state: "unchanged", documentId: known.id },
      unchanged: bytes === undefined ? { known } : { known, stat },
    };
  }
  if (bytes === undefined || contentHash === undefined) {
    throw new TypeError("A new file was not read");
  }
  const detected = detect(bytes, path);
  if (detected.kind === "rejected" && detected.state !== "empty") {
    const { state, reason } = detected;
    return { report: { path, state, reason: keptNote(reason, known) } };
  }
  const prepared = detected.kind === "text"
    ? prepareFile(path, detected, contentHash, measure)
    : prepareEmptyFile(path, contentHash);
  const document = {
    prepared,
    ...(known === undefined ? {} : { existing: known.id }),
    ...(tags === undefined ? {} : { tags }),
    ...(collection === undefined ? {} : { collection }),
    stat,
  };
  if (prepared.sections.length === 0) {
    return {
      report: { path, state: "empty", reason: "It has no text" },
      document,
    };
  }
  const { warnings } = prepared.document;
  return {
    report: {
      path,
      state: "indexed",
      ...(warnings.length === 0 ? {} : { warnings }),
    },
    document,
  };
}

/** Adds to a reason that the version stored before is still there. */
function keptNote(reason: string, known: SeenSource | undefined): string {
  return known === undefined
    ? reason
    : `${reason} The version indexed before is kept.`;
}
