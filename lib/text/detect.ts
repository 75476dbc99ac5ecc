import {
  extensionOf,
  findMime,
  isTextName,
  type TextFormat,
} from "./formats.ts";
import {
  type BinaryFormat,
  findBinaryFormat,
  findFormatByExtension,
} from "./magic.ts";
import type { Detected, DetectedRejection, DetectedText } from "./types.ts";

/** Bytes at the start in which a file may declare its encoding. */
const DECLARATION_BYTES = 1024;
/** Share of control characters above which a text is not taken for one. */
const CONTROL_SHARE = 0.1;

/**
 * Recognises what the bytes of a file are: its content first, the extension of its path second.
 *
 * Text is UTF-8, UTF-16 with a byte order mark, or in the encoding that the file declares in an
 * HTML, XML, Emacs or Python line. Nothing is decoded by guessing, see {@linkcode recognise}.
 *
 * @param bytes Whole file.
 * @param path Path or name; only what is behind the last slash counts.
 * @returns The text with its media type, a document that is no text, or why it is neither. `empty` if
 * it is blank.
 *
 * @example Content decides before the name does
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
 * const found = detect(png, "notes.md");
 * assert.equal(found.kind === "document" && found.mime, "image/png");
 * ```
 */
export function detect(bytes: Uint8Array, path: string): Detected {
  if (bytes.length === 0) return reject("empty", "The file has no bytes.");
  const extension = extensionOf(path);
  const format = findBinaryFormat(bytes, extension);
  if (format !== undefined) return toDocument(format, path, extension);
  const decoded = decode(bytes);
  if ("kind" in decoded) return decoded;
  if (!/\S/.test(decoded.text)) {
    return reject("empty", "The file holds only white space.");
  }
  return toText(decoded, path);
}

/**
 * Recognises what the bytes of a file are as {@linkcode detect} does, and guesses the encoding of a
 * text that does not say it, where that can be told for sure.
 *
 * @param bytes Whole file.
 * @param path Path or name.
 */
export async function recognise(
  bytes: Uint8Array,
  path: string,
): Promise<Detected> {
  const detected = detect(bytes, path);
  if (detected.kind !== "rejected" || detected.state !== "not_text") {
    return detected;
  }
  const { guessEncoding, guessUtf16 } = await import("./guess_encoding.ts");
  const guess = bytes.includes(0) ? guessUtf16(bytes) : guessEncoding(bytes);
  if (guess === undefined || !/\S/.test(guess.text)) return detected;
  return toText({
    ...guess,
    warnings: [`Decoded as ${guess.encoding}, guessed.`],
  }, path);
}

/** Says what a decoded text is. */
function toText(
  { text, encoding, warnings }: Decoded,
  path: string,
): DetectedText {
  const found = findMime(text, path);
  return {
    kind: "text",
    ...found,
    text,
    encoding,
    warnings: [...warnings, ...warnOfTextName(found, extensionOf(path))],
  };
}

/** Makes a document of a format that may be read, or says that it is none. */
function toDocument(
  { name, mime, docType, isLocked }: BinaryFormat,
  path: string,
  extension: string,
): Detected {
  if (isLocked === true) {
    return reject(
      "password_required",
      `The file is ${name}; save a copy without a password and add that.`,
    );
  }
  if (mime === undefined || docType === undefined) {
    return reject("binary", `The file is ${name}.`);
  }
  const expected = findFormatByExtension(extension);
  const isOdd = expected === undefined
    ? isTextName(path)
    : expected.mime !== mime;
  return {
    kind: "document",
    mime,
    docType,
    name,
    warnings: isOdd
      ? [`The name ends in ".${extension}", but the file is ${name}.`]
      : [],
  };
}

/** Warns of a text whose name is that of another format. */
function warnOfTextName({ mime }: TextFormat, extension: string): string[] {
  const expected = findFormatByExtension(extension);
  if (expected === undefined) return [];
  const what = TEXT_NAMES[mime] ?? "plain text";
  return [
    `The name ends in ".${extension}", but the file is ${what}, not ${expected.name}.`,
  ];
}

const TEXT_NAMES: Readonly<Record<string, string>> = {
  "text/html": "an HTML page",
  "text/xml": "XML",
  "message/rfc822": "an e-mail",
};

/** Makes a rejection. */
function reject(
  state: DetectedRejection["state"],
  reason: string,
): Detected & { kind: "rejected" } {
  return { kind: "rejected", state, reason };
}

interface Decoded {
  readonly text: string;
  readonly encoding: string;
  readonly warnings: readonly string[];
}

/** Decodes bytes that are not of a binary format. */
function decode(
  bytes: Uint8Array,
): Decoded | (Detected & { kind: "rejected" }) {
  const [a, b, c, d] = bytes;
  const isUtf32 = (a === 0xff && b === 0xfe && c === 0 && d === 0) ||
    (a === 0 && b === 0 && c === 0xfe && d === 0xff);
  if (isUtf32) {
    return reject("not_text", "The file is UTF-32; save it as UTF-8.");
  }
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    return decodeUtf16(bytes);
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    return looksLikeUtf16(bytes)
      ? reject(
        "not_text",
        "The file looks like UTF-16 without a byte order mark; save it as UTF-8.",
      )
      : reject("binary", `The file has a NUL byte at offset ${nul}.`);
  }
  const text = tryDecode(bytes, "utf-8");
  if (text !== undefined) {
    return isMostlyControl(text)
      ? reject("binary", "The file is mostly control characters.")
      : { text, encoding: "utf-8", warnings: [] };
  }
  const declared = findDeclared(bytes);
  if (declared === undefined) return reject("not_text", explainNotUtf8(bytes));
  const other = /^utf-?8$/i.test(declared)
    ? undefined
    : tryDecode(bytes, declared);
  if (other === undefined) {
    return reject(
      "not_text",
      `The file declares the encoding "${declared}" but cannot be decoded by it.`,
    );
  }
  const encoding = declared.toLowerCase();
  return {
    text: other,
    encoding,
    warnings: [`Decoded as ${encoding}, which the file declares.`],
  };
}

/** Decodes UTF-16 by its byte order mark. */
function decodeUtf16(
  bytes: Uint8Array,
): Decoded | (Detected & { kind: "rejected" }) {
  const encoding = bytes[0] === 0xff ? "utf-16le" : "utf-16be";
  const text = tryDecode(bytes, encoding);
  if (text === undefined) {
    return reject(
      "not_text",
      `The file begins like ${encoding} but is not valid ${encoding}.`,
    );
  }
  const nul = text.indexOf("\0");
  if (nul !== -1) {
    return reject("binary", `The file has a NUL character at offset ${nul}.`);
  }
  return { text, encoding, warnings: [] };
}

/** Decodes bytes, or gives `undefined` if they are invalid or the encoding is unknown. */
function tryDecode(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Says whether every other byte at the start is zero. */
function looksLikeUtf16(bytes: Uint8Array): boolean {
  const length = Math.min(bytes.length, DECLARATION_BYTES) & ~1;
  const zeros = [0, 0];
  for (let i = 0; i < length; i++) {
    if (bytes[i] === 0) zeros[i & 1] = (zeros[i & 1] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  return length >= 4 && Math.max(even, odd) > length * 0.3 &&
    Math.min(even, odd) === 0;
}

/** Says whether the start of a text is mostly control characters. */
function isMostlyControl(text: string): boolean {
  const start = text.slice(0, 4096);
  // deno-lint-ignore no-control-regex -- control characters are what is counted
  const controls = start.match(/[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]/g)?.length ??
    0;
  return controls > start.length * CONTROL_SHARE;
}

const DECLARATIONS: readonly RegExp[] = [
  /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/i,
  /<meta[^>]*\bcharset\s*=\s*["']?([\w.:-]+)/i,
  /^[^\n]*\n?[^\n]*?(?:#|\/\/|;|--|%|\/\*)[^\n]*?\bcoding[:=]\s*([\w.-]+)/,
];

/** Finds the encoding a file says it has. */
function findDeclared(bytes: Uint8Array): string | undefined {
  const start = new TextDecoder("latin1").decode(
    bytes.subarray(0, DECLARATION_BYTES),
  );
  for (const declaration of DECLARATIONS) {
    const name = declaration.exec(start)?.[1];
    if (name === undefined) continue;
    // Emacs adds the line ends to the name; it and Python write latin1 in ways of their own.
    return name.replace(/-(?:unix|dos|mac)$/i, "")
      .replace(/^(?:iso-)?latin[-_](?=\d+$)/i, "latin");
  }
  return undefined;
}

/** Says why bytes are not UTF-8, and names the encoding they most likely have. */
function explainNotUtf8(bytes: Uint8Array): string {
  const at = firstInvalid(bytes);
  const byte = (bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, "0");
  const where = `not UTF-8: byte 0x${byte} at offset ${at}`;
  const isCutOff = at > 0 && (bytes[at] ?? 0) >= 0xc2 &&
    at >= bytes.length - 3 &&
    bytes.subarray(at + 1).every((next) => (next & 0xc0) === 0x80);
  if (isCutOff) {
    return `The file is ${where}; it may be cut off inside a character.`;
  }
  let high = 0;
  let paired = 0;
  for (let i = 0; i < bytes.length; i++) {
    if ((bytes[i] ?? 0) < 0x80) continue;
    high++;
    if ((bytes[i - 1] ?? 0) >= 0x80 || (bytes[i + 1] ?? 0) >= 0x80) paired++;
  }
  const guess = paired * 10 > high * 8
    ? "a double-byte encoding such as GBK, Big5 or Shift_JIS"
    : "a one-byte encoding such as Latin-1, Windows-1250 or Windows-1252";
  return `The file is ${where}; it is probably in ${guess}. Save it as UTF-8.`;
}

/** Finds the first byte of what is not valid UTF-8, by halving the prefix that decodes. */
function firstInvalid(bytes: Uint8Array): number {
  let valid = 0;
  let invalid = bytes.length;
  while (invalid - valid > 1) {
    const middle = (valid + invalid) >>> 1;
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(
        bytes.subarray(0, middle),
        { stream: true },
      );
      valid = middle;
    } catch {
      invalid = middle;
    }
  }
  // A character that began before it and lacks bytes is what is wrong.
  for (let at = valid - 1; at >= Math.max(0, valid - 3); at--) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return at + length > valid ? at : valid;
  }
  return valid;
}
