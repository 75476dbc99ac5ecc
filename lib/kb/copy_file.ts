import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";
import { KbError } from "../core/mod.ts";

const BLOCK_BYTES = 1024 * 1024;

/** What a file holds. */
export interface FileFacts {
  /** Its bytes. */
  readonly sizeBytes: number;
  /** SHA-256 of them, hex. */
  readonly sha256: string;
}

/** Reads a file and says what it holds. */
export async function hashFile(
  path: string,
  signal?: AbortSignal,
): Promise<FileFacts> {
  const file = await open(path, "r");
  try {
    return await pump(file, undefined, signal);
  } finally {
    await file.close();
  }
}

/**
 * Copies a file to a new one with mode 0600 and waits until it is on the disk.
 *
 * @returns What was read.
 * @throws {KbError} `cancelled` if `signal` aborts; part of the copy is left then.
 */
export async function copyFile(
  from: string,
  to: string,
  signal?: AbortSignal,
): Promise<FileFacts> {
  const source = await open(from, "r");
  try {
    const target = await open(to, "wx", 0o600);
    try {
      const facts = await pump(source, target, signal);
      await target.sync();
      return facts;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function pump(
  source: FileHandle,
  target: FileHandle | undefined,
  signal: AbortSignal | undefined,
): Promise<FileFacts> {
  const hash = createHash("sha256");
  const block = new Uint8Array(BLOCK_BYTES);
  let sizeBytes = 0;
  while (true) {
    if (signal?.aborted === true) {
      throw new KbError("cancelled", "Copying was stopped; nothing was kept");
    }
    const { bytesRead } = await source.read(block, 0, block.length);
    if (bytesRead === 0) return { sizeBytes, sha256: hash.digest("hex") };
    const bytes = block.subarray(0, bytesRead);
    hash.update(bytes);
    await target?.writeFile(bytes);
    sizeBytes += bytesRead;
  }
}

/** Waits until a folder's entries are on the disk, where the system can do that. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch {
    // Windows opens no folders; its file system needs no such call.
  }
}
