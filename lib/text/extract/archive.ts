import {
  findZipData,
  readZipDirectory,
  type ZipEntry,
} from "../zip_directory.ts";
import { inflate, type Packing } from "./inflate.ts";
import { readTar } from "./tar.ts";
import { ExtractError } from "./types.ts";

/** What is left of the bounds of an archive and the archives in it; counted down while it is read. */
export interface ArchiveBudget {
  /** Bytes that may still come out. */
  bytes: number;
  /** Entries that may still be gone through. */
  entries: number;
  /** Largest file that is taken out, in bytes. */
  readonly memberBytes: number;
  /** How many times the bytes in the archive a file may have. */
  readonly ratio: number;
}

/** A file in an archive, or something in it that is left out. */
export type ArchiveMember =
  | { readonly name: string; readonly bytes: Uint8Array }
  | {
    readonly name: string;
    readonly state: MemberState;
    readonly reason: string;
  };

/** Why a member is left out. */
export type MemberState =
  | "corrupted"
  | "ignored"
  | "outside_root"
  | "password_required"
  | "too_large"
  | "unsupported";

/** Folders and files that tools put into archives. */
const IGNORED =
  /^(?:.*\/)?(__MACOSX|\.git|\.hg|\.svn|\.kbdb|node_modules|__pycache__|\.venv)(?=\/)/;
const IGNORED_FILE = /(?:^|\/)(?:\.DS_Store|Thumbs\.db)$/;
/** Files that are so small are taken whatever their ratio. */
const SMALL_BYTES = 1024 * 1024;

/**
 * Goes through the files of an archive in its order. A name that leads out of it, one that was used
 * before, and whatever is no file is reported and left out.
 *
 * @param bytes Whole archive.
 * @param mime `application/zip`, `application/x-tar` or `application/gzip`.
 * @param name Name of the archive; what is packed alone is named after it.
 * @param budget Bounds, counted down.
 * @throws {ExtractError} `corrupted` if it is damaged, `too_large` if it is past a bound.
 */
export function* readArchive(
  bytes: Uint8Array,
  mime: string,
  name: string,
  budget: ArchiveBudget,
): Generator<ArchiveMember> {
  const members = mime === "application/zip"
    ? readZip(bytes, budget)
    : mime === "application/gzip"
    ? readGzip(bytes, name, budget)
    : readTarMembers(bytes, budget);
  const seen = new Set<string>();
  const ignored = new Set<string>();
  for (const member of members) {
    const folder = IGNORED.exec(member.name)?.[0];
    if (folder !== undefined || IGNORED_FILE.test(member.name)) {
      const left = folder ?? member.name;
      if (!ignored.has(left)) {
        yield {
          name: left,
          state: "ignored",
          reason: "Tools made it, nobody wrote it",
        };
      }
      ignored.add(left);
    } else if (seen.has(member.name)) {
      yield {
        name: member.name,
        state: "unsupported",
        reason:
          "The archive holds another file of that name; the first is taken",
      };
    } else {
      seen.add(member.name);
      yield member;
    }
  }
}

/** Says why a name cannot be that of a file in an archive; gives it with plain slashes otherwise. */
function checkName(raw: string): { name: string; objection?: string } {
  const name = raw.replaceAll("\\", "/").replace(/^(?:\.\/)+/, "");
  const parts = name.split("/");
  const isOutside = name.startsWith("/") || /^[a-z]:/i.test(name) ||
    parts.includes("..");
  if (isOutside) {
    return { name, objection: "Its name leads out of the archive" };
  }
  if (name === "" || /\p{Cc}/u.test(name)) {
    return { name, objection: "Its name has control characters or is empty" };
  }
  return {
    name: parts.filter((part) => part !== "" && part !== ".").join("/"),
  };
}

/** Counts an entry; hostile archives have millions. */
function countEntry(budget: ArchiveBudget): void {
  if (--budget.entries < 0) {
    throw new ExtractError(
      "too_large",
      "The archive holds more files than are taken from one; unpack it and add the folder.",
    );
  }
}

/** Counts bytes that came out. */
function countBytes(budget: ArchiveBudget, bytes: number): void {
  budget.bytes -= bytes;
  if (budget.bytes < 0) {
    throw new ExtractError(
      "too_large",
      "The archive unpacks to more bytes than are taken from one; unpack it and add the folder.",
    );
  }
}

function* readZip(
  bytes: Uint8Array,
  budget: ArchiveBudget,
): Generator<ArchiveMember> {
  const directory = readZipDirectory(bytes, budget.entries + 1);
  if (directory === undefined) {
    throw new ExtractError("corrupted", "The archive is cut off or damaged.");
  }
  if (directory.total > budget.entries) budget.entries = 0;
  for (const entry of directory.entries) {
    countEntry(budget);
    const { name, objection } = checkName(entry.name);
    if (objection !== undefined) {
      yield { name, state: "outside_root", reason: objection };
    } else if (!/[/\\]$/.test(entry.name)) {
      yield readZipEntry(bytes, { ...entry, name }, budget);
    }
  }
}

/** Unpacks one entry within its bounds. */
export function readZipEntry(
  bytes: Uint8Array,
  entry: ZipEntry,
  budget: ArchiveBudget,
): ArchiveMember {
  const { name, method } = entry;
  if (entry.isLink) return leave(name, "unsupported", "It is a symbolic link");
  if (entry.isEncrypted) {
    return leave(name, "password_required", "It is locked with a password");
  }
  if (method !== 0 && method !== 8) {
    return leave(
      name,
      "unsupported",
      `It is compressed by method ${method}, which is not read`,
    );
  }
  const packed = findZipData(bytes, entry);
  if (packed === undefined) {
    return leave(name, "corrupted", "Its bytes are not in the archive");
  }
  const most = mostBytes(packed.length, budget);
  if (method === 0) {
    if (packed.length > most) return tooLarge(name, most);
    countBytes(budget, packed.length);
    return { name, bytes: packed };
  }
  return unpack({ name, packed, packing: "deflate" }, most, budget);
}

function leave(
  name: string,
  state: MemberState,
  reason: string,
): ArchiveMember {
  return { name, state, reason };
}

function tooLarge(name: string, most: number): ArchiveMember {
  return leave(
    name,
    "too_large",
    `It has more than ${most} bytes unpacked, which is the limit for it`,
  );
}

/** Most bytes a file may unpack to. */
function mostBytes(
  packed: number,
  { memberBytes, ratio }: ArchiveBudget,
): number {
  return Math.min(memberBytes, Math.max(SMALL_BYTES, packed * ratio));
}

/** A file as it is packed. */
interface PackedFile {
  readonly name: string;
  readonly packed: Uint8Array;
  readonly packing: Packing;
}

/** Unpacks a file within its bound; what it unpacked to counts even if it is left out. */
function unpack(
  { name, packed, packing }: PackedFile,
  most: number,
  budget: ArchiveBudget,
): ArchiveMember {
  const max = Math.max(1, Math.min(most, budget.bytes));
  const bytes = inflate(packed, packing, max);
  if (bytes === "damaged") {
    return leave(name, "corrupted", "Its bytes are damaged");
  }
  if (bytes === "too_large") {
    countBytes(budget, Math.min(most, budget.bytes + 1));
    return tooLarge(name, most);
  }
  countBytes(budget, bytes.length);
  return { name, bytes };
}

/** A packed tar archive, or one file that is named after what it is packed in. */
function* readGzip(
  bytes: Uint8Array,
  name: string,
  budget: ArchiveBudget,
): Generator<ArchiveMember> {
  const own = name.replace(/\.tgz$/i, ".tar").replace(/\.gz$/i, "") || "file";
  const isTar = own.toLowerCase().endsWith(".tar");
  const most = isTar ? budget.bytes : mostBytes(bytes.length, budget);
  const member = unpack(
    { name: own, packed: bytes, packing: "gzip" },
    most,
    budget,
  );
  if ("bytes" in member && isTar) {
    yield* readTarMembers(member.bytes, budget);
  } else if ("state" in member && member.state === "corrupted") {
    throw new ExtractError("corrupted", "The archive is cut off or damaged.");
  } else {
    countEntry(budget);
    yield member;
  }
}

function* readTarMembers(
  bytes: Uint8Array,
  budget: ArchiveBudget,
): Generator<ArchiveMember> {
  for (const entry of readTar(bytes)) {
    countEntry(budget);
    const { name, objection } = checkName(entry.name);
    if (objection !== undefined) yield leave(name, "outside_root", objection);
    else if (entry.kind === "folder") continue;
    else if (entry.kind !== "file") {
      yield leave(name, "unsupported", `It is a ${entry.kind}, not a file`);
    } else if (entry.bytes.length > budget.memberBytes) {
      yield tooLarge(name, budget.memberBytes);
    } else {
      countBytes(budget, entry.bytes.length);
      yield { name, bytes: entry.bytes };
    }
  }
}
