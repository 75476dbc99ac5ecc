import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import type { Kbid } from "./types.ts";

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const KBID_LENGTH = 26;

/** Hashes a text (as UTF-8) or bytes with SHA-256 into 64 lower-case hex digits. */
export function sha256Hex(data: string | Uint8Array): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Hashes a text (as UTF-8) or bytes with SHA-256 into its 32 bytes. */
export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

/** Writes bytes as lower-case hex digits. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(
    "hex",
  );
}

/** Writes bytes as lower-case Crockford base32, 5 bits a character, most significant first. */
function toCrockford(bytes: Uint8Array, length: number): string {
  let text = "";
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5 && text.length < length) {
      bits -= 5;
      text += CROCKFORD[(held >>> bits) & 31];
    }
    if (text.length === length) break;
    held &= (1 << bits) - 1;
  }
  return text;
}

/**
 * Names a content: the first 26 characters (130 bits) of the Crockford base32 of its SHA-256.
 *
 * @param content Preprocessed text (see `preprocess()` in `lib/text`), or the bytes of an image.
 * @returns 26 lower-case characters; equal content gives an equal name.
 *
 * @example The same content has the same name
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(toKbid("Hello"), toKbid(new TextEncoder().encode("Hello")));
 * assert.equal(toKbid("Hello").length, 26);
 * ```
 */
export function toKbid(content: string | Uint8Array): Kbid {
  return toKbidOfHash(sha256(content));
}

/** Names a content by its SHA-256; see {@linkcode toKbid}. */
export function toKbidOfHash(hash: Uint8Array): Kbid {
  return toCrockford(hash, KBID_LENGTH) as Kbid;
}

/**
 * Reads the first bytes of the hash that a kbid names.
 *
 * @param kbid Name of a content, or what one begins with.
 * @param count Bytes wanted, at most 16: more a kbid does not hold.
 * @returns The bytes; those of characters no kbid has are wrong, so that they match nothing.
 *
 * @example A name leads back to its hash
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const hash = sha256("Hello");
 * assert.deepEqual(toHashStart(toKbidOfHash(hash), 12), Uint8Array.from(hash.subarray(0, 12)));
 * ```
 */
export function toHashStart(kbid: string, count: number): Uint8Array {
  const bytes = new Uint8Array(count);
  let bits = 0;
  let held = 0;
  let at = 0;
  for (const character of kbid) {
    held = (held << 5) | Math.max(0, CROCKFORD.indexOf(character));
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    if (at < count) bytes[at++] = (held >>> bits) & 255;
    held &= (1 << bits) - 1;
  }
  return bytes;
}

/** Says whether a text has the form of a kbid; says nothing about whether it exists. */
export function isKbid(text: string): text is Kbid {
  return /^[0-9a-hjkmnp-tv-z]{26}$/.test(text);
}
