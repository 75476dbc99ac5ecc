import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { sha256Hex } from "../core/mod.ts";
import type { SeenSource } from "../store/mod.ts";
import type { Gone } from "./seen.ts";
import type { FoundFile } from "./walk.ts";

/** A file under a new path, and the document that has its bytes. */
export interface Rename {
  /** Path it had. */
  readonly from: string;
  /** The document. */
  readonly source: SeenSource;
}

/**
 * Finds which new files are old ones under another path: those with the bytes of a file that is gone.
 * Only files of the same size are read for it. Where several are alike, the one of the same name counts.
 *
 * @param gone Documents whose files are gone.
 * @param added Files that no document has.
 * @returns By the new path; each document at most once.
 */
export async function findRenames(
  gone: readonly Gone[],
  added: readonly FoundFile[],
): Promise<Map<string, Rename>> {
  const renames = new Map<string, Rename>();
  const left = new Set(gone);
  const sizes = new Set(gone.map(({ source }) => source.stat?.sizeBytes));
  for (const { path, sizeBytes } of added) {
    if (left.size === 0) break;
    if (!sizes.has(sizeBytes)) continue;
    const hash = await hashFile(path);
    const alike = [...left].filter(({ source }) => source.contentHash === hash);
    const match = alike.find((each) =>
      basename(each.path) === basename(path)
    ) ??
      alike[0];
    if (match === undefined) continue;
    left.delete(match);
    renames.set(path, { from: match.path, source: match.source });
  }
  return renames;
}

/** Hashes a file; one that cannot be read is no match and is reported when it is planned. */
async function hashFile(path: string): Promise<string | undefined> {
  try {
    return sha256Hex(await readFile(path));
  } catch {
    return undefined;
  }
}
