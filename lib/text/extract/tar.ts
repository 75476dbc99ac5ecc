import { ExtractError } from "./types.ts";

/** One entry of a tar archive. */
export interface TarEntry {
  /** As stored. */
  readonly name: string;
  /** What it is. */
  readonly kind: "file" | "folder" | "link" | "device";
  /** Its bytes; a view of the archive. */
  readonly bytes: Uint8Array;
}

const BLOCK = 512;
/** Longest name that a header of its own gives, in bytes. */
const NAME_BYTES = 64 * 1024;

/**
 * Goes through the entries of a tar archive, long names of GNU and POSIX tar resolved.
 *
 * @throws {ExtractError} `corrupted` if a header is damaged or an entry is cut off.
 */
export function* readTar(bytes: Uint8Array): Generator<TarEntry> {
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= bytes.length;) {
    const header = bytes.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    if (!hasRightSum(header)) throw damaged(at);
    const size = readNumber(header.subarray(124, 136));
    const start = at + BLOCK;
    const end = start + size;
    if (!(size >= 0 && end <= bytes.length)) throw damaged(at);
    const data = bytes.subarray(start, end);
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === "x" || type === "L") {
      const text = new TextDecoder().decode(data.subarray(0, NAME_BYTES));
      longName = type === "L"
        ? text.replace(/\0.*$/s, "")
        : paxPath(text) ?? longName;
    } else if (type !== "g" && type !== "K") {
      yield {
        name: longName ?? ownName(header),
        kind: kindOf(type),
        bytes: data,
      };
      longName = undefined;
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
}

function damaged(at: number): ExtractError {
  return new ExtractError(
    "corrupted",
    `The archive is cut off or damaged at byte ${at}.`,
  );
}

function kindOf(type: string): TarEntry["kind"] {
  if (type === "0" || type === "\0" || type === "7") return "file";
  if (type === "5") return "folder";
  return type === "1" || type === "2" ? "link" : "device";
}

function text(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end));
}

function ownName(header: Uint8Array): string {
  const prefix = text(header.subarray(345, 500));
  const name = text(header.subarray(0, 100));
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** A number in octal digits, or in bytes if its first bit is set; NaN if it is neither. */
function readNumber(field: Uint8Array): number {
  if (((field[0] ?? 0) & 0x80) !== 0) {
    return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0);
  }
  const digits = text(field).trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || "0", 8) : NaN;
}

/** The sum of a header's bytes, its own field taken for spaces. */
function hasRightSum(header: Uint8Array): boolean {
  const sum = header.reduce(
    (all, byte, index) => all + (index >= 148 && index < 156 ? 0x20 : byte),
    0,
  );
  return readNumber(header.subarray(148, 156)) === sum;
}

/** The path in records of the form `length key=value`. */
function paxPath(records: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(records)?.[1];
}
