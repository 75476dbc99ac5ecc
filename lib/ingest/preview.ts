import { statSync } from "node:fs";
import { KbError } from "../core/mod.ts";
import type { Planner } from "./planner.ts";
import type { PreparedDocument } from "./prepare.ts";
import type { FileReport } from "./types.ts";
import { resolveRoot, toReport, walk } from "./walk.ts";

/** What would become of a file. */
export interface FilePreview {
  /** How it would end. */
  readonly report: FileReport;
  /** Bytes that were read; 0 if none were. */
  readonly readBytes: number;
  /** The document it would be stored as. */
  readonly document?: PreparedDocument;
}

/**
 * Reads a file as `addFiles()` does, and stores nothing.
 *
 * @param planner Reads and cuts it.
 * @throws {KbError} `not_found` if it does not exist; `invalid_input` if it is a folder.
 */
export async function previewFile(
  path: string,
  planner: Planner,
): Promise<FilePreview> {
  const root = resolveRoot(path, "extract");
  if (statSync(root).isDirectory()) {
    throw new KbError(
      "invalid_input",
      `Cannot extract "${path}": it is a folder; name a file in it`,
    );
  }
  const [item] = walk(root);
  if (item === undefined) throw new TypeError("A file was not found");
  const found = toReport(item);
  if ("state" in found) return { report: found, readBytes: 0 };
  const [plan] = await planner.plan([{ file: found, known: undefined }]);
  if (plan === undefined) throw new TypeError("A planner owes a plan");
  const { report, readBytes, document } = plan;
  return {
    report,
    readBytes,
    ...(document === undefined ? {} : { document: document.prepared }),
  };
}
