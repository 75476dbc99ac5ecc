import { findImageType } from "./images.ts";
import type { DocType } from "./types.ts";
import { findZipData, readZipDirectory } from "./zip_directory.ts";

/** A format that is not plain text, recognised by its bytes. */
export interface BinaryFormat {
  /** With its article, to end the sentence "The file is …". */
  readonly name: string;
  /** Media type of a format that may hold text or be shown; `undefined` for all others. */
  readonly mime?: string;
  /** What it is for filters, with `mime`. */
  readonly docType?: DocType;
  /** Whether it says that it is locked. */
  readonly isLocked?: boolean;
}

/** Bytes (as Latin-1) at an offset, and the format they mark. */
const MAGIC:
  readonly (readonly [offset: number, bytes: string, name: string])[] = [
    [0, "RIFF", "a RIFF media file"],
    [0, "II*\0", "a TIFF image"],
    [0, "MM\0*", "a TIFF image"],
    [0, "\0\0\x01\0", "an icon"],
    [4, "ftyp", "an MPEG-4 media file"],
    [0, "ID3", "an MP3 file"],
    [0, "OggS", "an Ogg media file"],
    [0, "fLaC", "a FLAC file"],
    [0, "\x1a\x45\xdf\xa3", "a Matroska media file"],
    [0, "BZh9", "a bzip2 archive"],
    [0, "\xfd7zXZ\0", "an xz archive"],
    [0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"],
    [0, "Rar!\x1a\x07", "a RAR archive"],
    [0, "\x28\xb5\x2f\xfd", "a Zstandard archive"],
    [0, "\x7fELF", "an ELF program"],
    [0, "MZ\x90\0", "a Windows program"],
    [0, "\xca\xfe\xba\xbe", "a Java class or Mach-O program"],
    [0, "\xcf\xfa\xed\xfe", "a Mach-O program"],
    [0, "\0asm", "a WebAssembly module"],
    [0, "SQLite format 3\0", "an SQLite database"],
    [0, "wOFF", "a font"],
    [0, "wOF2", "a font"],
  ];

const IMAGES: Readonly<Record<string, string>> = {
  "image/png": "a PNG image",
  "image/jpeg": "a JPEG image",
  "image/gif": "a GIF image",
  "image/webp": "a WebP image",
};

const OPEN_XML = "application/vnd.openxmlformats-officedocument";

const DOCX: BinaryFormat = {
  name: "a Word document",
  mime: `${OPEN_XML}.wordprocessingml.document`,
  docType: "document",
};
const PPTX: BinaryFormat = {
  name: "a PowerPoint presentation",
  mime: `${OPEN_XML}.presentationml.presentation`,
  docType: "slides",
};
const XLSX: BinaryFormat = {
  name: "an Excel workbook",
  mime: `${OPEN_XML}.spreadsheetml.sheet`,
  docType: "sheet",
};
const ODT: BinaryFormat = {
  name: "an OpenDocument text",
  mime: "application/vnd.oasis.opendocument.text",
  docType: "document",
};
const ODS: BinaryFormat = {
  name: "an OpenDocument spreadsheet",
  mime: "application/vnd.oasis.opendocument.spreadsheet",
  docType: "sheet",
};
const ODP: BinaryFormat = {
  name: "an OpenDocument presentation",
  mime: "application/vnd.oasis.opendocument.presentation",
  docType: "slides",
};
const EPUB: BinaryFormat = {
  name: "an EPUB book",
  mime: "application/epub+zip",
  docType: "book",
};
const ZIP: BinaryFormat = {
  name: "a ZIP archive",
  mime: "application/zip",
  docType: "archive",
};
const PDF: BinaryFormat = {
  name: "a PDF document",
  mime: "application/pdf",
  docType: "pdf",
};
const RTF: BinaryFormat = {
  name: "an RTF document",
  mime: "application/rtf",
  docType: "document",
};
const OLE: BinaryFormat = {
  name: "an old Office document",
  mime: "application/x-ole-storage",
  docType: "document",
};
const TAR: BinaryFormat = {
  name: "a tar archive",
  mime: "application/x-tar",
  docType: "archive",
};
const GZIP: BinaryFormat = {
  name: "a gzip archive",
  mime: "application/gzip",
  docType: "archive",
};

/** What a package says of itself in its entry `mimetype`. */
const BY_MIMETYPE: readonly BinaryFormat[] = [ODT, ODS, ODP, EPUB];

/** Formats by the extensions their files have. */
const BY_EXTENSION: ReadonlyMap<string, BinaryFormat> = new Map([
  ...named(PDF, "pdf"),
  ...named(RTF, "rtf"),
  ...named(DOCX, "docx docm dotx dotm"),
  ...named(PPTX, "pptx pptm ppsx potx"),
  ...named(XLSX, "xlsx xlsm xltx"),
  ...named(ODT, "odt ott"),
  ...named(ODS, "ods ots"),
  ...named(ODP, "odp otp"),
  ...named(EPUB, "epub"),
  ...named(OLE, "doc xls ppt msg"),
  ...named(ZIP, "zip"),
  ...named(TAR, "tar"),
  ...named(GZIP, "gz tgz"),
  ...named(toImage("image/png"), "png"),
  ...named(toImage("image/jpeg"), "jpg jpeg jpe"),
  ...named(toImage("image/gif"), "gif"),
  ...named(toImage("image/webp"), "webp"),
]);

function named(
  format: BinaryFormat,
  extensions: string,
): [string, BinaryFormat][] {
  return extensions.split(" ").map((extension) => [extension, format]);
}

function toImage(mime: string): BinaryFormat {
  return { name: IMAGES[mime] ?? "an image", mime, docType: "image" };
}

/** Finds the binary format that a file of this extension (without its dot, lower case) has. */
export function findFormatByExtension(
  extension: string,
): BinaryFormat | undefined {
  return BY_EXTENSION.get(extension);
}

/** Entries looked at to tell what a ZIP file is. */
const ZIP_ENTRIES = 4_000;
/** Bytes before `%PDF-` that readers pass over. */
const PDF_JUNK_BYTES = 1024;

/**
 * Recognises a format that is not plain text by its bytes.
 *
 * @param bytes Whole file.
 * @param extension Extension of its name, lower case: it decides only what a ZIP file is that has
 * no directory any more, and whether a PDF may begin late.
 * @returns `undefined` if it may be text.
 */
export function findBinaryFormat(
  bytes: Uint8Array,
  extension: string,
): BinaryFormat | undefined {
  const head = toLatin1(bytes.subarray(0, 16));
  if (head.startsWith("%PDF-") || hidesPdf(bytes, extension)) return PDF;
  if (head.startsWith("{\\rtf")) return RTF;
  if (head.startsWith("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) return toOle(bytes);
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) {
    return toZip(bytes, extension);
  }
  if (head.startsWith("\x1f\x8b")) return GZIP;
  if (toLatin1(bytes.subarray(257, 262)) === "ustar") return TAR;
  const image = findImageType(bytes);
  if (image !== undefined && image in IMAGES) return toImage(image);
  for (const [offset, magic, name] of MAGIC) {
    if (!head.startsWith(magic, offset)) continue;
    // Four letters can begin a text too; only a binary file has a NUL byte near them.
    const isSure = /[^\x20-\x7e]/.test(magic);
    if (isSure || bytes.subarray(0, 512).includes(0)) return { name };
  }
  return undefined;
}

function toLatin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

/** Says whether a file named as a PDF has the mark of one behind some other bytes. */
function hidesPdf(bytes: Uint8Array, extension: string): boolean {
  return extension === "pdf" &&
    toLatin1(bytes.subarray(0, PDF_JUNK_BYTES)).includes("%PDF-");
}

/** An encrypted document of today's Office is wrapped into the old format. */
function toOle(bytes: Uint8Array): BinaryFormat {
  const mark = [..."EncryptedPackage"].flatMap((
    letter,
  ) => [letter.charCodeAt(0), 0]);
  return containsBytes(bytes, mark)
    ? { ...OLE, name: "a locked Office document", isLocked: true }
    : OLE;
}

function containsBytes(bytes: Uint8Array, part: readonly number[]): boolean {
  const [first = 0] = part;
  for (
    let at = bytes.indexOf(first);
    at !== -1;
    at = bytes.indexOf(first, at + 1)
  ) {
    if (part.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}

/** Tells what a ZIP file holds by its entries, or by its name if they cannot be read. */
function toZip(bytes: Uint8Array, extension: string): BinaryFormat {
  const directory = readZipDirectory(bytes, ZIP_ENTRIES);
  const fallback = BY_EXTENSION.get(extension);
  if (directory === undefined) {
    const isPackage = fallback !== undefined && fallback !== PDF &&
      fallback.docType !== "image";
    return isPackage ? fallback : ZIP;
  }
  const [first] = directory.entries;
  if (first?.name === "mimetype" && first.method === 0) {
    const mimetype = toLatin1(
      (findZipData(bytes, first) ?? new Uint8Array()).subarray(0, 100),
    ).trim();
    const found = BY_MIMETYPE.find(({ mime }) => mime === mimetype);
    if (found !== undefined) return found;
  }
  const names = new Set(directory.entries.map(({ name }) => name));
  if (names.has("[Content_Types].xml")) {
    if (names.has("word/document.xml")) return DOCX;
    if (names.has("ppt/presentation.xml")) return PPTX;
    if (names.has("xl/workbook.xml")) return XLSX;
  }
  if (names.has("META-INF/container.xml") && extension === "epub") return EPUB;
  return ZIP;
}
