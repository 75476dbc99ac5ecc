import { createHash, randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { isDiskFull, KbError, limitBytes } from "../core/mod.ts";

/** A file that was received whole. */
export interface ReceivedFile {
  /** SHA-256 of its bytes, hex; its name from now on. */
  readonly sha256: string;
  /** Its bytes. */
  readonly sizeBytes: number;
}

/** A file nothing refers to is left alone this long, as another process may be receiving it or about to queue it. */
const UNCLAIMED_MS = 60 * 60 * 1000;
const PARTIAL = /^\.part-/;
const HASH = /^[0-9a-f]{64}$/;

/** The originals of uploaded documents: files in a folder of the base, named by their hash. */
export class Originals {
  readonly #dir: string;

  /** Takes the folder; it is made when the first file comes. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Path of an original. */
  pathOf(sha256: string): string {
    if (!HASH.test(sha256)) {
      throw new TypeError("An original is named by its hash");
    }
    return join(this.#dir, sha256);
  }

  /** Says whether an original is there. */
  has(sha256: string): boolean {
    return existsSync(this.pathOf(sha256));
  }

  /**
   * Writes a file as its bytes come; nothing is held in memory, and nothing is left of one that ends early.
   *
   * @throws {KbError} `invalid_input` if it has more than `maxBytes`; `busy` if the disk is full; what `source` throws.
   */
  async receive(
    source: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<ReceivedFile> {
    mkdirSync(this.#dir, { recursive: true, mode: 0o700 });
    const partial = join(this.#dir, `.part-${randomUUID()}`);
    const hash = createHash("sha256");
    let sizeBytes = 0;
    try {
      const file = await open(partial, "wx", 0o600);
      try {
        for await (const bytes of limitBytes(source, maxBytes)) {
          sizeBytes += bytes.length;
          hash.update(bytes);
          await file.writeFile(bytes);
        }
        await file.sync();
      } finally {
        await file.close();
      }
      const sha256 = hash.digest("hex");
      renameSync(partial, this.pathOf(sha256));
      return { sha256, sizeBytes };
    } catch (error) {
      rmSync(partial, { force: true });
      throw isDiskFull(error)
        ? new KbError(
          "busy",
          "Cannot take the file: the disk is full; free some space",
          { cause: error },
        )
        : error;
    }
  }

  /** Removes an original; one that is not there is passed over. */
  remove(sha256: string): void {
    rmSync(this.pathOf(sha256), { force: true });
  }

  /** Removes the originals that nothing refers to, and what was never received whole, once they are an hour old. */
  sweep(isWanted: (sha256: string) => boolean): number {
    if (!existsSync(this.#dir)) return 0;
    let removed = 0;
    for (const name of readdirSync(this.#dir)) {
      const path = join(this.#dir, name);
      const isLeft = PARTIAL.test(name) || (HASH.test(name) && !isWanted(name));
      const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (!isLeft || Date.now() - mtimeMs <= UNCLAIMED_MS) continue;
      rmSync(path, { force: true });
      removed++;
    }
    return removed;
  }
}
