import { realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { glob } from "tinyglobby";
import { KbError } from "../../core/mod.ts";
import type { AddReport, FileReport } from "../../kb/mod.ts";

/** Whether a path has what makes it a pattern. */
export function isPattern(path: string): boolean {
  return /[*?[{]/.test(path);
}

/** The files a pattern matches, and the links among them that lead elsewhere. */
export interface Expanded {
  /** Absolute paths, A to Z; a file behind a linked folder is named by its own path. */
  readonly files: readonly string[];
  /** What is left out, and why. */
  readonly reports: readonly FileReport[];
}

/**
 * Lists the files a pattern matches: `*`, `**`, `?`, `[a-z]`, `{a,b}`. Names that begin with a dot are
 * matched only where the pattern names the dot. Links are followed as long as they stay inside the
 * folder that the pattern begins with.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export async function expand(cwd: string, pattern: string): Promise<Expanded> {
  const found = await glob([pattern], { cwd, absolute: true });
  if (found.length === 0) {
    throw new KbError(
      "not_found",
      `Cannot add "${pattern}": no file matches it, and none is named so`,
      { details: { pattern } },
    );
  }
  const base = realpathSync(resolve(cwd, toFolder(pattern)));
  const files = new Set<string>();
  const reports = new Map<string, FileReport>();
  for (const path of found.sort()) {
    const own = join(realpathSync(dirname(path)), basename(path));
    const outside = [own, realpathSync(own)].find((real) =>
      !real.startsWith(base.endsWith(sep) ? base : base + sep)
    );
    if (outside === undefined) files.add(own);
    else if (!reports.has(own)) {
      reports.set(own, {
        path,
        state: "outside_root",
        reason:
          `It is behind a symbolic link to ${outside}, outside of ${base}`,
      });
    }
  }
  return { files: [...files].sort(), reports: [...reports.values()] };
}

/** The folder a pattern begins with: its parts before the first that is no plain name. */
function toFolder(pattern: string): string {
  const parts = pattern.split("/");
  const first = parts.findIndex(isPattern);
  const folder = parts.slice(0, Math.max(0, first)).join("/");
  return folder === "" && pattern.startsWith("/") ? "/" : folder;
}

/** Makes one report of those of several files, and of what was left out. */
export function mergeReports(
  root: string,
  reports: readonly AddReport[],
  leftOut: readonly FileReport[],
): AddReport {
  const counts: Partial<Record<FileReport["state"], number>> = {};
  const files = [...reports.flatMap((report) => report.files), ...leftOut];
  for (const { state } of files) counts[state] = (counts[state] ?? 0) + 1;
  return {
    root,
    files,
    counts,
    readBytes: reports.reduce((sum, { readBytes }) => sum + readBytes, 0),
  };
}
