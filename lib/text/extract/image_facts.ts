import type { ImageParts } from "./image_parts.ts";

/** Fields of EXIF that hold words, by their tags, and what they are called here. */
const EXIF_FIELDS: ReadonlyMap<number, string> = new Map([
  [0x010e, "description"],
  [0x010f, "make"],
  [0x0110, "model"],
  [0x013b, "artist"],
  [0x8298, "copyright"],
  [0x9003, "taken"],
  [0x9286, "comment"],
  [0x9c9b, "title"],
  [0x9c9c, "comment"],
  [0x9c9e, "keywords"],
  [0x9c9f, "subject"],
]);
/** Tag that points to further fields. */
const EXIF_FOLDER = 0x8769;
/** Bytes of one value by its type. */
const TYPE_BYTES: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8];
/** Most fields of one folder, and longest field in bytes. */
const FIELDS = 500;
const FIELD_BYTES = 32 * 1024;

const IPTC_FIELDS: ReadonlyMap<number, string> = new Map([
  [5, "title"],
  [25, "keywords"],
  [80, "artist"],
  [90, "city"],
  [101, "country"],
  [105, "headline"],
  [116, "copyright"],
  [120, "description"],
]);

const TEXT_FIELDS: Readonly<Record<string, string>> = {
  Title: "title",
  Author: "artist",
  Description: "description",
  Copyright: "copyright",
  Comment: "comment",
  "Creation Time": "taken",
};

/** Words an image file holds, by what they are; the same words once. */
export function readImageFacts(parts: ImageParts): Map<string, string> {
  const facts = new Map<string, string>();
  function add(name: string | undefined, raw: string): void {
    const text = raw.replace(/[\p{Cc}\ufffd]+/gu, " ").trim();
    if (name === undefined || text === "") return;
    const before = facts.get(name);
    if (before === undefined) facts.set(name, text);
    else if (name === "keywords" && !before.split(", ").includes(text)) {
      facts.set(name, `${before}, ${text}`);
    }
  }
  if (parts.xmp !== undefined) readXmp(parts.xmp, add);
  if (parts.iptc !== undefined) readIptc(parts.iptc, add);
  if (parts.exif !== undefined) readExif(parts.exif, add);
  for (const [key, text] of parts.texts) add(TEXT_FIELDS[key], text);
  return facts;
}

type Add = (name: string | undefined, text: string) => void;

/** Takes the words of the common elements of an XMP packet. */
function readXmp(xmp: string, add: Add): void {
  for (
    const [element, name] of [
      ["dc:title", "title"],
      ["dc:description", "description"],
      ["dc:creator", "artist"],
      ["dc:rights", "copyright"],
      ["photoshop:Headline", "headline"],
    ] as const
  ) {
    for (const text of listItems(xmp, element).slice(0, 1)) add(name, text);
  }
  for (const text of listItems(xmp, "dc:subject")) add("keywords", text);
}

/** Items of an element of XMP, or its own words; or of an attribute of that name. */
function listItems(xmp: string, element: string): string[] {
  const attribute = new RegExp(`${element}="([^"]*)"`).exec(xmp)?.[1];
  if (attribute !== undefined) return [unescape(attribute)];
  const start = xmp.indexOf(`<${element}`);
  const end = xmp.indexOf(`</${element}>`, start);
  if (start === -1 || end === -1) return [];
  const inner = xmp.slice(xmp.indexOf(">", start) + 1, end);
  const items = [...inner.matchAll(/<rdf:li[^>]*>([^<]*)</g)].map(([, text]) =>
    unescape(text ?? "")
  );
  return items.length > 0 ? items : [unescape(inner.replace(/<[^>]*>/g, " "))];
}

function unescape(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"').replaceAll("&apos;", "'")
    .replaceAll("&amp;", "&");
}

/** Reads the records of the application block: marker, number, length, data. */
function readIptc(bytes: Uint8Array, add: Add): void {
  for (let at = 0; at + 5 <= bytes.length;) {
    if (bytes[at] !== 0x1c) return;
    const length = ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
    const end = at + 5 + length;
    if (length >= 0x8000 || end > bytes.length) return;
    if (bytes[at + 1] === 2) {
      add(
        IPTC_FIELDS.get(bytes[at + 2] ?? 0),
        new TextDecoder().decode(bytes.subarray(at + 5, end)),
      );
    }
    at = end;
  }
}

/** Reads the fields with words of a TIFF structure. */
function readExif(bytes: Uint8Array, add: Add): void {
  if (bytes.length < 8) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const isLittle = view.getUint16(0) === 0x4949;
  if (view.getUint16(2, isLittle) !== 42) return;
  const folder = readFolder(view, view.getUint32(4, isLittle), isLittle, add);
  if (folder !== undefined) readFolder(view, folder, isLittle, add);
}

/** Reads one folder of fields; gives where the one with further fields is. */
function readFolder(
  view: DataView,
  start: number,
  isLittle: boolean,
  add: Add,
): number | undefined {
  if (start + 2 > view.byteLength) return undefined;
  let further: number | undefined;
  const count = Math.min(FIELDS, view.getUint16(start, isLittle));
  for (let index = 0; index < count; index++) {
    const at = start + 2 + index * 12;
    if (at + 12 > view.byteLength) break;
    const tag = view.getUint16(at, isLittle);
    if (tag === EXIF_FOLDER) further = view.getUint32(at + 8, isLittle);
    const name = EXIF_FIELDS.get(tag);
    if (name === undefined) continue;
    const length = view.getUint32(at + 4, isLittle) *
      (TYPE_BYTES[view.getUint16(at + 2, isLittle)] ?? 0);
    const from = length <= 4 ? at + 8 : view.getUint32(at + 8, isLittle);
    if (length > FIELD_BYTES || from + length > view.byteLength) continue;
    const data = new Uint8Array(view.buffer, view.byteOffset + from, length);
    add(name, decodeField(tag, data));
  }
  return further;
}

/** Decodes a field: UTF-16 by Windows, a comment behind the name of its character set, else UTF-8. */
function decodeField(tag: number, data: Uint8Array): string {
  if (tag >= 0x9c9b && tag <= 0x9c9f) {
    return new TextDecoder("utf-16le").decode(data);
  }
  if (tag !== 0x9286) return new TextDecoder().decode(data);
  const charset = new TextDecoder().decode(data.subarray(0, 7));
  const text = data.subarray(8);
  if (charset !== "UNICODE") return new TextDecoder().decode(text);
  // The order of its bytes is not said: words have their zeros behind or before the letters.
  const isBig = text[0] === 0;
  return new TextDecoder(isBig ? "utf-16be" : "utf-16le").decode(text);
}
