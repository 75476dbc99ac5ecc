/** One entry of a ZIP file's central directory. */
export interface ZipEntry {
  /** As stored: may be absolute, hold `..`, or be used twice. */
  readonly name: string;
  /** 0 stored, 8 deflated, others are not read. */
  readonly method: number;
  /** Whether it is locked with a password. */
  readonly isEncrypted: boolean;
  /** Whether it says it is a symbolic link. */
  readonly isLink: boolean;
  /** Bytes before compression, as the directory says; not to be trusted. */
  readonly sizeBytes: number;
  /** Bytes in the file, as the directory says. */
  readonly packedBytes: number;
  /** Where its local header begins. */
  readonly offset: number;
}

/** The entries of a ZIP file and how many there are. */
export interface ZipDirectory {
  /** As many as were asked for, in the order of the directory. */
  readonly entries: readonly ZipEntry[];
  /** Entries in all, as the directory says. */
  readonly total: number;
}

const END = 0x06054b50;
const END_BYTES = 22;
/** A comment can stand between the end record and the end of the file. */
const COMMENT_BYTES = 0xffff;
const CENTRAL = 0x02014b50;
const CENTRAL_BYTES = 46;
const LOCAL = 0x04034b50;
const LOCAL_BYTES = 30;
const ZIP64 = 0xffffffff;
const UNIX = 3;
const LINK_MODE = 0o120000;
const FILE_TYPE = 0o170000;

/**
 * Reads the directory of a ZIP file. Nothing is decompressed.
 *
 * @param bytes Whole file.
 * @param max Most entries to read.
 * @returns `undefined` if there is no directory, or one that points outside of the file.
 */
export function readZipDirectory(
  bytes: Uint8Array,
  max: number,
): ZipDirectory | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = findEnd(view);
  if (end === undefined) return undefined;
  const total = view.getUint16(end + 10, true);
  const start = view.getUint32(end + 16, true);
  const entries: ZipEntry[] = [];
  for (let at = start; entries.length < max;) {
    if (at + CENTRAL_BYTES > bytes.length) break;
    if (view.getUint32(at, true) !== CENTRAL) break;
    const nameBytes = view.getUint16(at + 28, true);
    const next = at + CENTRAL_BYTES + nameBytes +
      view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    if (next > bytes.length) break;
    entries.push(readEntry(bytes, view, at, nameBytes));
    at = next;
  }
  if (entries.length === 0 && total > 0 && max > 0) return undefined;
  return { entries, total: Math.max(total, entries.length) };
}

/** Reads one record of the directory. */
function readEntry(
  bytes: Uint8Array,
  view: DataView,
  at: number,
  nameBytes: number,
): ZipEntry {
  const from = at + CENTRAL_BYTES;
  const flags = view.getUint16(at + 8, true);
  const mode = view.getUint32(at + 38, true) >>> 16;
  const isUnix = view.getUint8(at + 5) === UNIX;
  return {
    name: decodeName(bytes.subarray(from, from + nameBytes)),
    method: view.getUint16(at + 10, true),
    isEncrypted: (flags & 1) !== 0,
    isLink: isUnix && (mode & FILE_TYPE) === LINK_MODE,
    packedBytes: view.getUint32(at + 20, true),
    sizeBytes: view.getUint32(at + 24, true),
    offset: view.getUint32(at + 42, true),
  };
}

/** Names are UTF-8 today and of an old code page where they are not. */
function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

/**
 * Finds the packed bytes of an entry.
 *
 * @returns `undefined` if they are not whole in the file, or too large for the plain format.
 */
export function findZipData(
  bytes: Uint8Array,
  { offset, packedBytes }: ZipEntry,
): Uint8Array | undefined {
  if (offset === ZIP64 || packedBytes === ZIP64) return undefined;
  if (offset + LOCAL_BYTES > bytes.length) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(offset, true) !== LOCAL) return undefined;
  const start = offset + LOCAL_BYTES + view.getUint16(offset + 26, true) +
    view.getUint16(offset + 28, true);
  const end = start + packedBytes;
  return end > bytes.length ? undefined : bytes.subarray(start, end);
}

/** Finds the record that ends a ZIP file. */
function findEnd(view: DataView): number | undefined {
  const last = view.byteLength - END_BYTES;
  for (let at = last; at >= Math.max(0, last - COMMENT_BYTES); at--) {
    if (view.getUint32(at, true) === END) return at;
  }
  return undefined;
}
