import { type Kbid, toHashStart } from "../core/mod.ts";

/** Bytes of a section's hash that are indexed; the rest and its `kbid` follow from the row. */
export const HASH_START_BYTES = 12;

/** What the index of sections is over. */
export const HASH_START = `substr(content_sha256, 1, ${HASH_START_BYTES})`;

/** Condition on `sections` that finds a kbid through the index; takes {@linkcode kbidKeys}. */
export const IS_KBID = `${HASH_START} = ? AND kbid = ?`;

/** Condition on `sections` that finds kbids from a prefix on; takes {@linkcode kbidPrefixKeys}. */
export const BEGINS_WITH =
  `${HASH_START} BETWEEN ? AND ? AND substr(kbid, 1, length(?)) = ?`;

/** Parameters of {@linkcode IS_KBID}. */
export function kbidKeys(kbid: Kbid): [Uint8Array, Kbid] {
  return [toHashStart(kbid, HASH_START_BYTES), kbid];
}

/** Parameters of {@linkcode BEGINS_WITH}. */
export function kbidPrefixKeys(
  prefix: string,
): [Uint8Array, Uint8Array, string, string] {
  const from = (filler: string) =>
    toHashStart(prefix.padEnd(2 * HASH_START_BYTES, filler), HASH_START_BYTES);
  return [from("0"), from("z"), prefix, prefix];
}
