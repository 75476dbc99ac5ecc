import { KbError } from "./errors.ts";

/**
 * Passes on the bytes of a file as they come.
 *
 * @param maxBytes Most bytes it may have.
 * @throws {KbError} `invalid_input` if it has more; what `source` throws.
 */
export async function* limitBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const bytes of source) {
    sizeBytes += bytes.length;
    if (sizeBytes > maxBytes) {
      throw new KbError(
        "invalid_input",
        `Cannot take the file: it has more than ${maxBytes} bytes, which is the limit`,
        { details: { maxBytes, reason: "too_large" } },
      );
    }
    yield bytes;
  }
}

/** Says whether an error of the system is that a disk, or the part of it a user may have, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && "code" in error &&
    (error.code === "ENOSPC" || error.code === "EDQUOT");
}
