import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { isDiskFull, KbError, limitBytes } from "../core/mod.ts";

/**
 * Keeps a file on this machine until all of it has come, and then hands it on; nothing of it is left here. An engine
 * does not wait for a sender that pauses, and a sender that pauses must not keep a connection from others.
 *
 * @param source Its bytes, which may come slowly.
 * @param options `maxBytes` it may have; `send` takes them at once.
 * @throws {KbError} `invalid_input` if it has more than `maxBytes`; `busy` if the disk of this machine is full; what
 * `source` and `send` throw.
 */
export async function spool<T>(
  source: AsyncIterable<Uint8Array>,
  { maxBytes, send }: {
    readonly maxBytes: number;
    readonly send: (file: AsyncIterable<Uint8Array>) => Promise<T>;
  },
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "kbdb-upload-"));
  const path = join(folder, "file");
  try {
    await pipeline(
      limitBytes(source, maxBytes),
      createWriteStream(path, { flags: "wx", mode: 0o600 }),
    );
    return await send(readOf(path));
  } catch (error) {
    if (!isDiskFull(error)) throw error;
    throw new KbError(
      "busy",
      "Cannot take the file: the disk of the machine it is sent through is full; free some space",
      { cause: error },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens a file when it is read: one that is not sent would be gone by then, and its stream end the process. */
async function* readOf(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path);
}
