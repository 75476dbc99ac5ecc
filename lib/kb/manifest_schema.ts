import { z } from "zod";
import type { BackupManifest } from "./backup_manifest.ts";
import { CONFIG, DATABASE, ORIGINALS } from "./base_files.ts";

/** The names a backup may have files under, so that a manifest cannot lead out of its folder. */
const FILE_NAME = new RegExp(
  `^(${DATABASE.replace(".", "\\.")}|${
    CONFIG.replace(".", "\\.")
  }|${ORIGINALS}/[0-9a-f]{64})$`,
);

const COUNT = z.int().min(0);
/** The form of a manifest. */
export const SCHEMA: z.ZodType<BackupManifest> = z.object({
  format: z.literal("kbdb-backup"),
  formatVersion: z.int().min(1),
  kbdbVersion: z.string(),
  createdAt: z.string(),
  schemaVersion: COUNT,
  counts: z.object({
    documents: COUNT,
    sections: COUNT,
    chunks: COUNT,
    vectors: COUNT,
    originals: COUNT,
  }),
  files: z.array(z.object({
    name: z.string().regex(FILE_NAME),
    sizeBytes: COUNT,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
  })),
});
