import { readFile } from "node:fs/promises";
import { sha256Hex } from "../core/mod.ts";
import type { SeenSource, SourceStat } from "../store/mod.ts";
import {
  type Detected,
  type DetectedDocument,
  type DetectedText,
  extract,
  type Extracted,
  ExtractError,
  needsThread,
  recognise,
} from "../text/mod.ts";
import { type ArchiveState, unpackArchive } from "./plan_archive.ts";
import {
  type PreparedDocument,
  prepareEmptyFile,
  prepareFile,
} from "./prepare.ts";
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
  /** Path it was known by, if it was renamed. */
  readonly movedFrom?: string;
  /** What the base knows of the files in it, if it is an archive, by their paths. */
  readonly knownMembers?: ReadonlyMap<string, SeenSource>;
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
  /** Plans of the files in it, if it is an archive that was unpacked. */
  readonly members?: readonly FilePlan[];
}

/** What the caller gives every file. */
export interface PlanFileOptions {
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Tags. */
  readonly tags?: readonly string[];
  /** Collection. */
  readonly collection?: string;
  /** Whether files are left that must be read where that can be ended. */
  readonly leavesHeavy?: boolean;
  /** Whether the files in archives are taken too. */
  readonly takesArchives?: boolean;
  /** Called for each file in an archive. */
  readonly onMember?: () => void;
  /** The archives a file is in. */
  readonly archive?: ArchiveState;
}

/**
 * Decides what is to be done about a file as it was read. Touches no store.
 *
 * @returns `undefined` if the file is left to a thread of its own, as `leavesHeavy` asks.
 */
export async function planFile(
  read: ReadFile,
  options: PlanFileOptions,
): Promise<FilePlan | undefined> {
  const plan = await decide(read, options);
  return plan && { ...plan, readBytes: read.bytes?.length ?? 0 };
}

async function decide(
  read: ReadFile,
  options: PlanFileOptions,
): Promise<Omit<FilePlan, "readBytes"> | undefined> {
  const { file, known, seenMs, bytes, error } = read;
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
  const detected = await recognise(bytes, path);
  if (detected.kind === "rejected" && detected.state !== "empty") {
    const { state, reason } = detected;
    return { report: { path, state, reason: keptNote(reason, known) } };
  }
  if (options.leavesHeavy === true && isHeavy(detected, options)) {
    return undefined;
  }
  let prepared: PreparedDocument;
  let members: readonly FilePlan[] | undefined;
  if (detected.kind === "rejected") {
    prepared = prepareEmptyFile(path, contentHash, detected.reason);
  } else {
    const content = await tryRead({ ...read, bytes }, detected, options);
    if (content instanceof ExtractError) {
      const { state, message } = content;
      return { report: { path, state, reason: keptNote(message, known) } };
    }
    members = content.members;
    prepared = prepareFile(path, { detected, ...content, contentHash }, {
      measure: options.measure,
      ...(read.title === undefined ? {} : { title: read.title }),
    });
  }
  return {
    report: toReport(path, prepared),
    document: {
      prepared,
      ...(known === undefined ? {} : { existing: known.id }),
      ...(options.tags === undefined ? {} : { tags: options.tags }),
      ...(options.collection === undefined
        ? {}
        : { collection: options.collection }),
      stat,
    },
    ...(members === undefined ? {} : { members }),
  };
}

/** Says how a file ends that a document was made of. */
function toReport(path: string, prepared: PreparedDocument): FileReport {
  const { warnings } = prepared.document;
  const isEmpty = prepared.sections.length === 0;
  const others = isEmpty ? warnings.slice(0, -1) : warnings;
  return {
    path,
    ...(isEmpty
      ? { state: "empty", reason: warnings.at(-1) ?? "" }
      : { state: "indexed" }),
    ...(others.length === 0 ? {} : { warnings: others }),
  };
}

/** Says whether a file is to be unpacked. */
function isUnpacked(
  detected: DetectedText | DetectedDocument,
  { takesArchives }: PlanFileOptions,
): boolean {
  return takesArchives === true && detected.docType === "archive";
}

/** Says whether a file must be read where that can be ended. */
function isHeavy(detected: Detected, options: PlanFileOptions): boolean {
  return detected.kind !== "rejected" &&
    (needsThread(detected.mime) || isUnpacked(detected, options));
}

/** Extracts or unpacks, or gives the reason why that cannot be done. */
async function tryRead(
  read: ReadFile & { readonly bytes: Uint8Array },
  detected: DetectedText | DetectedDocument,
  options: PlanFileOptions,
): Promise<
  Pick<FilePlan, "members"> & { extracted: Extracted } | ExtractError
> {
  try {
    const { file: { path }, bytes } = read;
    return isUnpacked(detected, options)
      ? await unpackArchive(read, detected.mime, options, planFile)
      : { extracted: await extract(bytes, { path, detected }) };
  } catch (error) {
    if (error instanceof ExtractError) return error;
    throw error;
  }
}

/** Adds to a reason that the version stored before is still there. */
export function keptNote(
  reason: string,
  known: SeenSource | undefined,
): string {
  return known === undefined
    ? reason
    : `${reason.replace(/[^.]$/, "$&.")} The version indexed before is kept.`;
}
