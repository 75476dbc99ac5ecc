import { glob } from "tinyglobby";
import { KbError } from "../../core/mod.ts";
import type { AddReport, FileReport } from "../../kb/mod.ts";

/** Whether a path has what makes it a pattern. */
export function isPattern(path: string): boolean {
  return /[*?[{]/.test(path);
}

/**
 * Lists the files a pattern matches, A to Z: `*`, `**`, `?`, `[a-z]`, `{a,b}`. Names that begin
 * with a dot are matched only where the pattern names the dot.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export async function expand(cwd: string, pattern: string): Promise<string[]> {
  const files = await glob([pattern], { cwd, absolute: true });
  if (files.length > 0) return files.sort();
  throw new KbError(
    "not_found",
    `Cannot add "${pattern}": no file matches it, and none is named so`,
    { details: { pattern } },
  );
}

/** Makes one report of those of several files. */
export function mergeReports(
  root: string,
  reports: readonly AddReport[],
): AddReport {
  const counts: Partial<Record<FileReport["state"], number>> = {};
  const files = reports.flatMap((report) => report.files);
  for (const { state } of files) counts[state] = (counts[state] ?? 0) + 1;
  return {
    root,
    files,
    counts,
    readBytes: reports.reduce((sum, { readBytes }) => sum + readBytes, 0),
  };
}
