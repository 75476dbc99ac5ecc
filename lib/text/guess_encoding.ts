import { analyse } from "chardet";

/** A text whose encoding was guessed. */
export interface GuessedText {
  /** The text. */
  readonly text: string;
  /** Lower-case name of the encoding. */
  readonly encoding: string;
}

/** Bytes that are looked at to guess, from a little before the first one beyond ASCII. */
const SAMPLE_BYTES = 128 * 1024;
const BEFORE_BYTES = 2 * 1024;
/** What a guess has to reach, of 100; several-byte encodings have rules that no other text keeps. */
const LEAST_CONFIDENCE = 30;
const LEAST_CONFIDENCE_MULTI = 90;
/** How much surer it has to be than the next that gives another text. */
const LEAD = 1.4;
const LEAD_MULTI = 1.15;
/** Fewer bytes tell nothing. */
const LEAST_BYTES = 24;
/** Share of the characters beyond ASCII that may look wrong. */
const ODD_SHARE = 0.002;

const MULTI: ReadonlySet<string> = new Set([
  "shift_jis",
  "euc-jp",
  "euc-kr",
  "gb18030",
  "big5",
  "iso-2022-jp",
]);

/**
 * Decodes bytes that are not UTF-8 and declare no encoding, if it is sure enough which they have: by
 * the words of the language, by a clear lead before any other encoding, and because nothing in the
 * text looks as it does when a wrong one was used.
 *
 * @param bytes Whole file, without NUL bytes.
 * @returns `undefined` if it cannot be told.
 */
export function guessEncoding(bytes: Uint8Array): GuessedText | undefined {
  const high = bytes.findIndex((byte) => byte >= 0x80 || byte === 0x1b);
  if (high === -1 || bytes.length < LEAST_BYTES) return undefined;
  const start = Math.max(0, high - BEFORE_BYTES);
  const sample = bytes.subarray(start, start + SAMPLE_BYTES);
  const guesses = analyse(sample).flatMap(({ name, confidence }) => {
    const text = tryDecode(bytes, name);
    return text === undefined || !isPlausible(text.text)
      ? []
      : [{ ...text, confidence }];
  });
  const [best] = guesses;
  if (best === undefined) return undefined;
  const next = guesses.find(({ text }) => text !== best.text);
  const [least, lead] = MULTI.has(best.encoding)
    ? [LEAST_CONFIDENCE_MULTI, LEAD_MULTI]
    : [LEAST_CONFIDENCE, LEAD];
  const isSure = best.confidence >= least &&
    best.confidence >= lead * (next?.confidence ?? 0);
  return isSure ? { text: best.text, encoding: best.encoding } : undefined;
}

/** Decodes bytes all of which the encoding knows; its name is that of the web's standard. */
function tryDecode(bytes: Uint8Array, name: string): GuessedText | undefined {
  if (/^(?:utf|ascii)/i.test(name)) return undefined;
  try {
    const decoder = new TextDecoder(name, { fatal: true });
    return { text: decoder.decode(bytes), encoding: decoder.encoding };
  } catch {
    return undefined;
  }
}

/** A control, a private or an unassigned character. */
const NO_TEXT = /[\x80-\x9f\ufffd\p{Co}\p{Cn}]/u;
/** A sign where only a letter can stand, or a capital behind a small letter. */
const ODD =
  /(?<=\p{L})(?![’'ʼ·\u00ad\u200c\u200d])[^\p{ASCII}\p{L}\p{M}\p{N}\p{Z}\p{P}](?=\p{L})|\p{Ll}(?=\P{ASCII})\p{Lu}|(?=\P{ASCII})\p{Ll}\p{Lu}/gu;
/** Two scripts in one word. */
const MIXED =
  /(?:\p{sc=Latin}[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}])|(?:[\p{sc=Cyrillic}\p{sc=Greek}\p{sc=Hebrew}\p{sc=Arabic}]\p{sc=Latin})/gu;
/** Half-width kana, which a wrong encoding makes of almost any bytes. */
const HALF_KANA = /[\uff61-\uff9f]/g;

/** Says whether nothing in a text looks as it does when it was decoded wrongly. */
function isPlausible(text: string): boolean {
  if (NO_TEXT.test(text)) return false;
  const beyond = countMatches(text, /\P{ASCII}/gu);
  const odd = countMatches(text, ODD) + countMatches(text, MIXED);
  return odd <= beyond * ODD_SHARE &&
    countMatches(text, HALF_KANA) <= beyond / 2;
}

function countMatches(text: string, pattern: RegExp): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) count++;
  return count;
}

/** A control character that no text has. */
const CONTROL = /(?![\t\n\v\f\r])\p{Cc}/u;
const UNASSIGNED = /[\p{Cn}\p{Co}]/u;

/**
 * Decodes UTF-16 without a byte order mark, where every other byte is zero often enough to tell.
 *
 * @returns `undefined` if that does not give a text without doubt.
 */
export function guessUtf16(bytes: Uint8Array): GuessedText | undefined {
  const zeros = [0, 0];
  const length = Math.min(bytes.length, SAMPLE_BYTES) & ~1;
  for (let i = 0; i < length; i++) {
    if (bytes[i] === 0) zeros[i & 1] = (zeros[i & 1] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = zeros;
  const encoding = odd > even ? "utf-16le" : "utf-16be";
  const isSure = Math.min(even, odd) === 0 &&
    Math.max(even, odd) * 2 >= length * 0.3;
  if (!isSure || bytes.length % 2 !== 0) return undefined;
  const decoded = tryUtf16(bytes, encoding);
  return decoded === undefined || CONTROL.test(decoded) ||
      UNASSIGNED.test(decoded)
    ? undefined
    : { text: decoded, encoding };
}

function tryUtf16(bytes: Uint8Array, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
