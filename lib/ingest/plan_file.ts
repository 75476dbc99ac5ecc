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

/** A file that was found, and what the base knows of it. */
export interface FileToPlan {
  /** The file. */
  readonly file: FoundFile;
  /** The document it is stored as. */
  readonly known: SeenSource | undefined;
  /** Where its bytes are, if not at its path. */
  readonly readPath?: string;
  /** Title; otherwise its own. */
  readonly title?: string;
}

/** A file with its bytes, unless nothing changed or it cannot be read. */
export interface ReadFile extends FileToPlan {
  /** When it was looked at, in ms since 1970. */
  readonly seenMs: number;
  /** Its bytes, if they were read. */
  readonly bytes?: Uint8Array;
  /** Why they could not be read. */
  readonly error?: string;
}

/** Says whether size and time stamp tell that a file is the one read before. */
export function isUnchanged({ file, known }: FileToPlan): boolean {
  const stat = known?.stat;
  return stat !== undefined && file.sizeBytes === stat.sizeBytes &&
    file.mtimeMs === stat.mtimeMs && stat.mtimeMs + RACY_MS < stat.seenMs;
}

/** Reads a file, unless it is the one read before. */
export async function readChanged(item: FileToPlan): Promise<ReadFile> {
  const seenMs = Date.now();
  if (isUnchanged(item)) return { ...item, seenMs };
  try {
    return {
      ...item,
      seenMs,
      bytes: await readFile(item.readPath ?? item.file.path),
    };
  } catch (error) {
    return { ...item, seenMs, error: toReason(error) };
  }
}

/** What is to be done about a file. */
export interface FilePlan {
  /** What to say of it; the id of a stored document is added later. */
  readonly report: FileReport;
  /** Bytes that were read; 0 if none were. */
  readonly readBytes: number;
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
export function planFile(read: ReadFile, options: PlanFileOptions): FilePlan {
  return { ...decide(read, options), readBytes: read.bytes?.length ?? 0 };
}

function decide(
  { file, known, title, seenMs, bytes, error }: ReadFile,
  { measure, tags, collection }: PlanFileOptions,
): Omit<FilePlan, "readBytes"> {
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
    ? prepareFile(path, detected, contentHash, {
      measure,
      ...(title === undefined ? {} : { title }),
    })
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
