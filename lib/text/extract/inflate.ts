import { gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { Gunzip, Inflate, Unzlib } from "fflate";

/** How bytes are packed: deflate alone, with the head of zlib, or with that of gzip. */
export type Packing = "deflate" | "zlib" | "gzip";

/** Bytes that came out; or that more would, or that they are damaged. */
export type Inflated = Uint8Array | "too_large" | "damaged";

/** Bytes that are unpacked at a time where kbdb counts itself; each gives at most 1,032 times as many. */
const STEP_BYTES = 16 * 1024;

/** Bytes that nothing at all is packed to; the streams below say nothing of less. */
const LEAST_BYTES = { deflate: 2, zlib: 8, gzip: 20 };

const NATIVE = {
  deflate: inflateRawSync,
  zlib: inflateSync,
  gzip: gunzipSync,
};
const STREAMS = { deflate: Inflate, zlib: Unzlib, gzip: Gunzip };

/** Ten zeros, deflated. */
const ZEROS = Uint8Array.of(0x63, 0x60, 0x80, 0x01, 0x00);

/** Whether the runtime keeps to a bound of its `node:zlib`; some releases take it and pass over it. */
let isBoundKept: boolean | undefined;

/**
 * Unpacks bytes, and stops as soon as more come out than are wanted.
 *
 * @param maxBytes Most bytes that may come out, at least 1.
 */
export function inflate(
  packed: Uint8Array,
  packing: Packing,
  maxBytes: number,
): Inflated {
  isBoundKept ??= inflateNatively(ZEROS, "deflate", 1) === "too_large";
  return isBoundKept
    ? inflateNatively(packed, packing, maxBytes)
    : inflateCounted(packed, packing, maxBytes);
}

function inflateNatively(
  packed: Uint8Array,
  packing: Packing,
  maxOutputLength: number,
): Inflated {
  try {
    return NATIVE[packing](packed, { maxOutputLength });
  } catch (error) {
    const isLong = error instanceof Error && "code" in error &&
      error.code === "ERR_BUFFER_TOO_LARGE";
    return isLong ? "too_large" : "damaged";
  }
}

/** Unpacks bytes as {@linkcode inflate} does, a step at a time, and counts what comes out. */
export function inflateCounted(
  packed: Uint8Array,
  packing: Packing,
  maxBytes: number,
): Inflated {
  if (packed.length < LEAST_BYTES[packing]) return "damaged";
  const parts: Uint8Array[] = [];
  let total = 0;
  const stream = new STREAMS[packing]((part) => {
    total += part.length;
    if (total <= maxBytes) parts.push(part);
  });
  try {
    for (let at = 0; at < packed.length; at += STEP_BYTES) {
      const end = at + STEP_BYTES;
      stream.push(packed.subarray(at, end), end >= packed.length);
      if (total > maxBytes) return "too_large";
    }
  } catch {
    return "damaged";
  }
  const bytes = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
