import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { KbError } from "../../core/mod.ts";
import type { AddReport, Engine, FileReport, FileState } from "../../kb/mod.ts";
import { EXIT_ALL_FAILED, EXIT_CODES } from "../exit_codes.ts";
import { type LabelOptions, toLabels } from "../filter.ts";
import {
  formatBytes,
  formatItems,
  formatPath,
  formatSeconds,
  toPrintable,
} from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { ProgressLine } from "../progress.ts";
import { openForWriting } from "../session.ts";
import { addStdin, checkStdin } from "./add_stdin.ts";
import { describeEmbedding, embedWithProgress } from "./embedding.ts";
import { expand, isPattern, mergeReports } from "./patterns.ts";

/** Options of `kbdb add`. */
export interface AddCommandOptions extends GlobalOptions, LabelOptions {
  /** Name of the file from standard input. */
  readonly name?: string;
  /** Title of the file from standard input. */
  readonly title?: string;
  /** Whether the files in archives are taken too. */
  readonly archives?: boolean;
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

/** A path that could not be added. */
interface FailedPath {
  readonly path: string;
  readonly code: KbError["code"];
  readonly message: string;
}

/** States of files that are in the base afterwards. */
const IN_BASE: ReadonlySet<FileState> = new Set([
  "indexed",
  "unchanged",
  "empty",
]);
/** Files that are named one by one; more are only counted. */
const NAMED_FILES = 20;

/** Adds files and folders, then makes their vectors. */
export async function add(
  io: CliIo,
  paths: readonly string[],
  options: AddCommandOptions,
): Promise<number> {
  checkStdin(io, paths, options);
  await using kb = await openForWriting(io, options, {
    model: options.embed,
  });
  const reports: AddReport[] = [];
  const failed: FailedPath[] = [];
  const started = performance.now();
  for (const path of paths) {
    try {
      reports.push(
        path === "-"
          ? await addStdin(io, kb, options)
          : await addPath(io, kb, path, options),
      );
    } catch (error) {
      if (!(error instanceof KbError) || error.code === "cancelled") {
        throw error;
      }
      failed.push({ path, code: error.code, message: error.message });
    }
  }
  const stored = performance.now();
  if (options.format === "text") {
    for (const report of reports) {
      writeLines(io.out, describeReport(io, report));
    }
    writeLines(io.err, failed.map(({ message }) => `kbdb: ${message}`));
    const seconds = (stored - started) / 1000;
    const bytes = reports.reduce((sum, { readBytes }) => sum + readBytes, 0);
    if (bytes > 0) {
      io.out.write(`Read ${formatBytes(bytes)} in ${formatSeconds(seconds)}\n`);
    }
  }
  const embedding = options.embed && reports.length > 0
    ? await embedWithProgress(io, kb)
    : undefined;
  const pending = (await kb.status()).vectors.pendingChunks;
  if (options.format === "json") {
    writeJson(io, { reports, failed, embedding, pendingChunks: pending });
  } else {
    const seconds = (performance.now() - stored) / 1000;
    if (embedding !== undefined) {
      writeLines(io.out, describeEmbedding(embedding, seconds));
    } else if (pending > 0) {
      io.out.write(
        `${formatItems(pending, "chunk")} without a vector; run: kbdb embed\n`,
      );
    }
  }
  const [firstFailed] = failed;
  if (firstFailed !== undefined) return EXIT_CODES[firstFailed.code];
  const anyIn = reports.some(({ files }) =>
    files.some(({ state }) => IN_BASE.has(state))
  );
  return anyIn ? 0 : EXIT_ALL_FAILED;
}

/** Adds a file or folder; or what a pattern matches, if nothing is named so. */
async function addPath(
  io: CliIo,
  kb: Engine,
  path: string,
  options: AddCommandOptions,
): Promise<AddReport> {
  if (existsSync(resolve(io.cwd, path)) || !isPattern(path)) {
    return await addOne(io, kb, path, options);
  }
  const reports: AddReport[] = [];
  for (const file of await expand(io.cwd, path)) {
    reports.push(await addOne(io, kb, file, options));
  }
  return mergeReports(path, reports);
}

async function addOne(
  io: CliIo,
  kb: Engine,
  path: string,
  options: AddCommandOptions,
): Promise<AddReport> {
  const line = new ProgressLine(io.err);
  try {
    return await kb.add(resolve(io.cwd, path), {
      ...toLabels(options),
      ...(options.archives === undefined
        ? {}
        : { takesArchives: options.archives }),
      signal: io.signal,
      onProgress: (progress) => line.update(progress),
    });
  } finally {
    line.clear();
  }
}

/** Counts by state, then the files that were left out and why. */
function describeReport(
  io: CliIo,
  { root, files, counts }: AddReport,
): string[] {
  const name = formatPath(root, io.cwd);
  if (files.length === 0) return [`${name}: there is no file in it`];
  const summary = Object.entries(counts)
    .map(([state, count]) => `${count} ${state.replaceAll("_", " ")}`).join(
      ", ",
    );
  const odd = files.filter(({ state }) =>
    state !== "indexed" && state !== "unchanged"
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

function describeFile(io: CliIo, { path, state, reason }: FileReport): string {
  const why = reason === undefined ? "" : `: ${toPrintable(reason)}`;
  return `  ${state.replaceAll("_", " ")}  ${
    toPrintable(formatPath(path, io.cwd))
  }${why}`;
}
