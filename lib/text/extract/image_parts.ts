import { inflate } from "./inflate.ts";

/** What an image file says besides its pixels. */
export interface ImageParts {
  /** Pixels across. */
  readonly width: number;
  /** Pixels down. */
  readonly height: number;
  /** TIFF structure with EXIF fields. */
  readonly exif?: Uint8Array;
  /** XMP packet. */
  readonly xmp?: string;
  /** IPTC records. */
  readonly iptc?: Uint8Array;
  /** Texts by keyword, such as `Title` or `Comment`. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Parts while they are gathered. */
type Gathered = { -readonly [key in keyof ImageParts]?: ImageParts[key] } & {
  readonly texts: Map<string, string>;
};

/** Longest text in an image that is read, in bytes. */
const TEXT_BYTES = 64 * 1024;

/** Reads the parts of an image by its media type; `undefined` if the file is damaged. */
export function readImageParts(
  bytes: Uint8Array,
  mime: string,
): ImageParts | undefined {
  const gathered: Gathered = { texts: new Map() };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  READERS[mime]?.(bytes, view, gathered);
  const { width = 0, height = 0 } = gathered;
  return width > 0 && height > 0 ? { ...gathered, width, height } : undefined;
}

const READERS: Readonly<
  Record<string, (bytes: Uint8Array, view: DataView, to: Gathered) => void>
> = {
  "image/png": readPng,
  "image/jpeg": readJpeg,
  "image/gif": readGif,
  "image/webp": readWebp,
};

function latin1(bytes: Uint8Array): string {
  return new TextDecoder("latin1").decode(bytes);
}

function utf8(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** Inflates a text; `undefined` if it is damaged or too long. */
function inflateText(bytes: Uint8Array): Uint8Array | undefined {
  const inflated = inflate(bytes, "zlib", TEXT_BYTES);
  return typeof inflated === "string" ? undefined : inflated;
}

/** PNG is a list of chunks: length, type, data, checksum. */
function readPng(bytes: Uint8Array, view: DataView, to: Gathered): void {
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const end = at + 8 + length;
    if (end + 4 > bytes.length) return;
    const type = latin1(bytes.subarray(at + 4, at + 8));
    const data = bytes.subarray(at + 8, end);
    if (type === "IHDR" && length >= 8) {
      to.width = view.getUint32(at + 8);
      to.height = view.getUint32(at + 12);
    } else if (type === "eXIf") to.exif = data;
    else if (/^[tiz](?:EXt|TXt)$/.test(type)) readPngText(type, data, to);
    at = end + 4;
  }
}

function readPngText(type: string, data: Uint8Array, to: Gathered): void {
  const keyEnd = data.indexOf(0);
  if (keyEnd < 1) return;
  const key = latin1(data.subarray(0, keyEnd));
  let text: string | undefined;
  if (type === "tEXt") text = latin1(data.subarray(keyEnd + 1));
  else if (type === "zTXt") {
    const raw = inflateText(data.subarray(keyEnd + 2));
    text = raw && latin1(raw);
  } else {
    const isPacked = data[keyEnd + 1] === 1;
    const languageEnd = data.indexOf(0, keyEnd + 3);
    const translatedEnd = data.indexOf(0, languageEnd + 1);
    if (languageEnd === -1 || translatedEnd === -1) return;
    const rest = data.subarray(translatedEnd + 1);
    const raw = isPacked ? inflateText(rest) : rest;
    text = raw && utf8(raw);
  }
  if (text === undefined || text.length > TEXT_BYTES) return;
  if (key === "XML:com.adobe.xmp") to.xmp = text;
  else if (!to.texts.has(key)) to.texts.set(key, text);
}

const XMP_MARK = "http://ns.adobe.com/xap/1.0/\0";
const IPTC_MARK = "Photoshop 3.0\0";

/** JPEG is a list of segments up to the pixels. */
function readJpeg(bytes: Uint8Array, view: DataView, to: Gathered): void {
  for (let at = 2; at + 4 <= bytes.length;) {
    if (bytes[at] !== 0xff) return;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    // Pixels begin, or the image ends.
    if (marker === 0xda || marker === 0xd9) return;
    const length = view.getUint16(at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return;
    const data = bytes.subarray(at + 4, end);
    const isFrame = marker >= 0xc0 && marker <= 0xcf &&
      ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame && data.length >= 5) {
      to.height = view.getUint16(at + 5);
      to.width = view.getUint16(at + 7);
    } else if (marker === 0xe1) readApp1(data, to);
    else if (marker === 0xed && startsWith(data, IPTC_MARK)) {
      const iptc = findIptc(data.subarray(IPTC_MARK.length));
      if (iptc !== undefined) to.iptc = iptc;
    } else if (marker === 0xfe) to.texts.set("Comment", utf8(data));
    at = end;
  }
}

function readApp1(data: Uint8Array, to: Gathered): void {
  if (startsWith(data, "Exif\0\0")) to.exif ??= data.subarray(6);
  else if (startsWith(data, XMP_MARK)) {
    to.xmp ??= utf8(data.subarray(XMP_MARK.length));
  }
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return latin1(bytes.subarray(0, text.length)) === text;
}

/** Finds the IPTC records among the resources of an image. */
function findIptc(bytes: Uint8Array): Uint8Array | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 12 <= bytes.length;) {
    if (!startsWith(bytes.subarray(at, at + 4), "8BIM")) return undefined;
    const nameBytes = (view.getUint8(at + 6) + 2) & ~1;
    const start = at + 6 + nameBytes + 4;
    if (start > bytes.length) return undefined;
    const length = view.getUint32(start - 4);
    if (view.getUint16(at + 4) === 0x0404) {
      return bytes.subarray(start, start + length);
    }
    at = start + length + (length & 1);
  }
  return undefined;
}

/** GIF has its size at the start and comments in extensions. */
function readGif(bytes: Uint8Array, view: DataView, to: Gathered): void {
  if (bytes.length < 13) return;
  to.width = view.getUint16(6, true);
  to.height = view.getUint16(8, true);
  const flags = view.getUint8(10);
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1));
  while (at + 2 < bytes.length) {
    const kind = bytes[at];
    if (kind === 0x21) {
      const isComment = bytes[at + 1] === 0xfe;
      const blocks = readBlocks(bytes, at + 2);
      if (isComment) to.texts.set("Comment", utf8(blocks.data));
      at = blocks.end;
    } else if (kind === 0x2c && at + 10 < bytes.length) {
      const own = view.getUint8(at + 9);
      const table = (own & 0x80) === 0 ? 0 : 3 << ((own & 7) + 1);
      at = readBlocks(bytes, at + 11 + table).end;
    } else return;
  }
}

/** Joins the blocks of a GIF extension, each with its length before it. */
function readBlocks(
  bytes: Uint8Array,
  start: number,
): { data: Uint8Array; end: number } {
  const parts: number[] = [];
  let at = start;
  for (
    let length = bytes[at] ?? 0;
    length > 0 && at < bytes.length;
    length = bytes[at] ?? 0
  ) {
    if (parts.length < TEXT_BYTES) {
      parts.push(...bytes.subarray(at + 1, at + 1 + length));
    }
    at += length + 1;
  }
  return { data: Uint8Array.from(parts), end: at + 1 };
}

/** WebP is a list of chunks in a RIFF file. */
function readWebp(bytes: Uint8Array, view: DataView, to: Gathered): void {
  for (let at = 12; at + 8 <= bytes.length;) {
    const type = latin1(bytes.subarray(at, at + 4));
    const length = view.getUint32(at + 4, true);
    const start = at + 8;
    const data = bytes.subarray(start, start + length);
    if (type === "VP8X" && data.length >= 10) {
      to.width = 1 + (view.getUint32(start + 4, true) & 0xffffff);
      to.height = 1 + (view.getUint32(start + 6, true) >>> 8);
    } else if (type === "VP8 " && data.length >= 10) {
      to.width ??= view.getUint16(start + 6, true) & 0x3fff;
      to.height ??= view.getUint16(start + 8, true) & 0x3fff;
    } else if (type === "VP8L" && data.length >= 5) {
      const size = view.getUint32(start + 1, true);
      to.width ??= 1 + (size & 0x3fff);
      to.height ??= 1 + ((size >>> 14) & 0x3fff);
    } else if (type === "EXIF") {
      to.exif = startsWith(data, "Exif\0\0") ? data.subarray(6) : data;
    } else if (type === "XMP ") to.xmp = utf8(data);
    at = start + length + (length & 1);
  }
}
