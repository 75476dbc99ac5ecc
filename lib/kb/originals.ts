import { lstatSync, readFileSync } from "node:fs";
import { basename, isAbsolute } from "node:path";
import { LIMITS, sha256Hex } from "../core/mod.ts";
import { Originals } from "../ingest/mod.ts";
import type { DocumentRow } from "../store/mod.ts";
import type { OriginalFile } from "./types.ts";

/** Finds the file a document was made of, if its bytes are still the same. */
export function findOriginal(
  { sourcePath, contentHash, mime }: DocumentRow,
  originalsDir: string,
): OriginalFile | undefined {
  if (sourcePath === null) return undefined;
  const file = { name: basename(sourcePath), mime };
  const originals = new Originals(originalsDir);
  if (originals.has(contentHash)) {
    const path = originals.pathOf(contentHash);
    return { ...file, path, sizeBytes: lstatSync(path).size };
  }
  if (!isAbsolute(sourcePath)) return undefined;
  try {
    const stat = lstatSync(sourcePath);
    if (!stat.isFile() || stat.size > LIMITS.fileBytes) return undefined;
    return sha256Hex(readFileSync(sourcePath)) === contentHash
      ? { ...file, path: sourcePath, sizeBytes: stat.size }
      : undefined;
  } catch {
    return undefined;
  }
}
