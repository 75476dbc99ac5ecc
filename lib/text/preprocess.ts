/** Finds text that Unicode normalisation could change: nothing below U+0300 composes by itself. */
const MAY_COMPOSE = /[\u0300-\uffff]/;

/**
 * Brings line ends and code points of a text into one form, and keeps outer white space.
 *
 * @param text Any string, lone surrogates and byte order mark allowed.
 * @returns The text without byte order mark, with LF line ends, well formed and in NFC; it has
 * as many lines as before.
 */
export function normalizeText(text: string): string {
  let result = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  if (result.includes("\r")) result = result.replace(/\r\n?/g, "\n");
  if (MAY_COMPOSE.test(result)) result = result.toWellFormed().normalize("NFC");
  return result;
}

/**
 * Brings a text into the one form whose hash names it: the kbid of a section is
 * `toKbid(preprocess(text))`.
 *
 * Pure, and applying it twice changes nothing more.
 *
 * @param text Any string.
 * @returns The text without byte order mark, with LF line ends, lone surrogates as U+FFFD, in NFC,
 * outer white space trimmed; `""` if it is blank.
 *
 * @example The way a file was saved does not change its name
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(preprocess("\uFEFFa\r\nb\r\n"), "a\nb");
 * assert.equal(preprocess("e\u0301"), "\u00e9");
 * ```
 */
export function preprocess(text: string): string {
  return normalizeText(text).trim();
}
