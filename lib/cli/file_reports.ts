import type { AddReport, FileReport } from "../kb/mod.ts";
import { formatPath, toPrintable } from "./format.ts";
import type { CliIo } from "./io.ts";

/** Files that are named one by one; more are only counted. */
const NAMED_FILES = 20;

/** Counts by state, then the files that were left out and why. */
export function describeReport(
  io: CliIo,
  { root, files, counts }: AddReport,
): string[] {
  const name = formatPath(root, io.cwd);
  if (files.length === 0) return [`${name}: there is no file in it`];
  const summary = Object.entries(counts)
    .map(([state, count]) => `${count} ${state.replaceAll("_", " ")}`).join(
      ", ",
    );
  const odd = files.filter(({ state, movedFrom }) =>
    movedFrom !== undefined || (state !== "indexed" && state !== "unchanged")
  );
  const warned = files.filter(({ warnings }) => warnings !== undefined);
  const lines = [
    `${name}: ${summary}`,
    ...odd.slice(0, NAMED_FILES).map((file) => describeFile(io, file)),
  ];
  if (odd.length > NAMED_FILES) {
    lines.push(`  … and ${odd.length - NAMED_FILES} more; see --format json`);
  }
  for (const { path, warnings = [] } of warned.slice(0, NAMED_FILES)) {
    lines.push(
      `  warning  ${toPrintable(formatPath(path, io.cwd))}: ${
        toPrintable(warnings.join(" "))
      }`,
    );
  }
  if (warned.length > NAMED_FILES) {
    lines.push(`  … and ${warned.length - NAMED_FILES} more with warnings`);
  }
  return lines;
}

function describeFile(
  io: CliIo,
  { path, state, reason, movedFrom }: FileReport,
): string {
  const shown = toPrintable(formatPath(path, io.cwd));
  if (movedFrom !== undefined) {
    return `  renamed  ${
      toPrintable(formatPath(movedFrom, io.cwd))
    } to ${shown}`;
  }
  const why = reason === undefined ? "" : `: ${toPrintable(reason)}`;
  return `  ${state.replaceAll("_", " ")}  ${shown}${why}`;
}
