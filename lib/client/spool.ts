import { createReadStream, createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { KbError } from "../core/mod.ts";

/**
 * Keeps a file on this machine until all of it has come, and then hands it on; nothing of it is left here. An engine
 * does not wait for a sender that pauses, and a sender that pauses must not keep a connection from others.
 *
 * @param source Its bytes, which may come slowly.
 * @param send Takes them at once.
 * @throws {KbError} `busy` if the disk of this machine is full; what `source` and `send` throw.
 */
export async function spool<T>(
  source: AsyncIterable<Uint8Array>,
  send: (file: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "kbdb-upload-"));
  const path = join(folder, "file");
  try {
    await pipeline(
      source,
      createWriteStream(path, { flags: "wx", mode: 0o600 }),
    );
    return await send(createReadStream(path));
  } catch (error) {
    if (
      !(error instanceof Error && "code" in error && error.code === "ENOSPC")
    ) {
      throw error;
    }
    throw new KbError(
      "busy",
      "Cannot take the file: the disk of the machine it is sent through is full; free some space",
      { cause: error },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
