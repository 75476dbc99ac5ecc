import { Buffer } from "node:buffer";
import { inflate } from "./inflate.ts";
import { ExtractError } from "./types.ts";

/** Part of what may be unpacked in all that one stream may take. */
const ONE_STREAM = 1 / 4;
/** Longest dictionary of a stream that is looked at, in bytes. */
const DICTIONARY_BYTES = 2_000;
/** Most filters of one stream. */
const FILTERS = 8;

/**
 * Unpacks the streams of a PDF that may hold text and counts what comes out, as the library that reads
 * them has no bound of its own. Pictures are passed over: nobody unpacks them. A stream that is locked
 * or damaged is passed over too.
 *
 * @param max Most bytes that may come out of all of them.
 * @throws {ExtractError} `too_large` if there is more.
 */
export function checkPdfStreams(bytes: Uint8Array, max: number): void {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let left = max;
  for (
    let at = file.indexOf("stream");
    at !== -1;
    at = file.indexOf("stream", at + 6)
  ) {
    const filters = filtersOf(file, at);
    if (filters.length === 0) continue;
    const start = at + 6 + (file[at + 6] === 13 ? 2 : 1);
    const found = file.indexOf("endstream", start);
    const end = found === -1 ? file.length : found;
    const most = Math.floor(Math.min(left, max * ONE_STREAM));
    left -= unpackedBytes(file.subarray(start, end), filters, most);
    at = end;
  }
}

/** Filters of the stream whose keyword stands at an offset; `[]` if it is none, or not of interest. */
function filtersOf(file: Buffer, at: number): string[] {
  const next = file[at + 6];
  if (next !== 13 && next !== 10) return [];
  const before = file.toString(
    "latin1",
    Math.max(0, at - DICTIONARY_BYTES),
    at,
  );
  const dictionary = before.slice(before.lastIndexOf(" obj") + 1).replace(
    /#([0-9a-fA-F]{2})/g,
    (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)),
  );
  if (/\/Subtype\s*\/Image\b/.test(dictionary)) return [];
  const list = /\/Filter\s*(\[[^\]]*\]|\/\w+)/.exec(dictionary)?.[1] ?? "";
  return [...list.matchAll(/\/(\w+)/g)].map(([, name = ""]) => name);
}

/** Bytes that come out of a stream, those between its filters among them. */
function unpackedBytes(
  packed: Buffer,
  filters: readonly string[],
  max: number,
): number {
  let data = packed;
  let total = 0;
  if (filters.length > FILTERS) throw tooLarge(max);
  for (const filter of filters) {
    if (filter === "ASCIIHexDecode" || filter === "AHx") {
      data = Buffer.from(data.toString("latin1").replace(/[\s>]/g, ""), "hex");
    } else if (filter === "ASCII85Decode" || filter === "A85") {
      data = decodeAscii85(data);
    } else if (filter === "FlateDecode" || filter === "Fl") {
      const inflated = inflate(data, "zlib", Math.max(1, max - total));
      if (inflated === "too_large") throw tooLarge(max);
      if (inflated === "damaged") return total;
      data = Buffer.from(inflated.buffer, inflated.byteOffset, inflated.length);
      total += data.length;
      if (total >= max) throw tooLarge(max);
    } else return total;
  }
  return total;
}

function tooLarge(max: number): ExtractError {
  return new ExtractError(
    "too_large",
    `A part of the PDF unpacks to more than ${max} bytes; split it.`,
  );
}

/** Decodes groups of five characters to four bytes. */
function decodeAscii85(data: Buffer): Buffer {
  const out = Buffer.alloc(data.length * 4);
  let length = 0;
  let group = 0;
  let count = 0;
  for (const byte of data) {
    if (byte === 0x7e) break;
    if (byte === 0x7a && count === 0) {
      length += 4;
    } else if (byte >= 33 && byte <= 117) {
      group = group * 85 + byte - 33;
      if (++count < 5) continue;
      out.writeUInt32BE(group % 0x1_0000_0000, length);
      length += 4;
      group = 0;
      count = 0;
    }
  }
  if (count > 1) {
    for (let fill = count; fill < 5; fill++) group = group * 85 + 84;
    out.writeUInt32BE(group % 0x1_0000_0000, length);
    length += count - 1;
  }
  return out.subarray(0, length);
}
