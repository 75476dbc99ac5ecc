import { KbError } from "../../core/mod.ts";
import type {
  AddOptions,
  AddReport,
  Engine,
  FileState,
  Progress,
} from "../../kb/mod.ts";
import { EXIT_ALL_FAILED, EXIT_CODES } from "../exit_codes.ts";
import { describeReport } from "../file_reports.ts";
import { type LabelOptions, toLabels } from "../filter.ts";
import { formatBytes, formatItems, formatSeconds } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { ProgressLine } from "../progress.ts";
import { describeEmbedding, embedWithProgress } from "./embedding.ts";

/** Flags that say which files of a folder are taken in, and what they get. */
export interface RuleFlags extends LabelOptions {
  /** Whether the files in archives are taken too. */
  readonly archives?: boolean;
  /** Patterns of files to take, all others not. */
  readonly include?: readonly string[];
  /** Patterns of files and folders not to take. */
  readonly exclude?: readonly string[];
  /** `false` reads no `.gitignore` and `.kbdbignore`. */
  readonly ignore?: boolean;
}

/** What those flags mean to the facade. */
export function toRules(flags: RuleFlags): AddOptions {
  const { archives, include, exclude, ignore } = flags;
  return {
    ...toLabels(flags),
    ...(archives === undefined ? {} : { takesArchives: archives }),
    ...(include === undefined ? {} : { include: include.filter(isNotBlank) }),
    ...(exclude === undefined ? {} : { exclude: exclude.filter(isNotBlank) }),
    ...(ignore === false ? { ignoreFiles: false } : {}),
  };
}

/** A blank pattern takes those away that a folder was synced with. */
function isNotBlank(pattern: string): boolean {
  return pattern.trim() !== "";
}

/** Shows how far long work is while it goes on. */
export async function withProgress<T>(
  io: CliIo,
  work: (
    watching: {
      readonly signal: AbortSignal;
      readonly onProgress: (progress: Progress) => void;
    },
  ) => Promise<T> | T,
): Promise<T> {
  const line = new ProgressLine(io.err);
  try {
    return await work({
      signal: io.signal,
      onProgress: (progress) => line.update(progress),
    });
  } finally {
    line.clear();
  }
}

/** A path that could not be added. */
interface FailedPath {
  readonly path: string;
  readonly code: KbError["code"];
  readonly message: string;
}

/** States of files that ended as they should. */
const WELL: ReadonlySet<FileState> = new Set([
  "indexed",
  "unchanged",
  "empty",
]);
/** Those of files that should not be taken in. */
const LEFT_OUT: ReadonlySet<FileState> = new Set(["ignored", "removed"]);

/** How to take paths in. */
export interface TakeInOptions extends GlobalOptions {
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
  /** Whether all is well too where the rules leave out every file. */
  readonly mayLeaveOutAll?: boolean;
  /** Takes in one path. */
  readonly take: (path: string) => Promise<AddReport>;
}

/** Takes in one path after the other, makes the vectors, and says what became of it all. */
export async function takeIn(
  io: CliIo,
  kb: Engine,
  paths: readonly string[],
  { take, ...options }: TakeInOptions,
): Promise<number> {
  const reports: AddReport[] = [];
  const failed: FailedPath[] = [];
  const started = performance.now();
  for (const path of paths) {
    try {
      reports.push(await take(path));
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
  const isAnyWell = reports.some(({ files }) =>
    files.some(({ state }) =>
      WELL.has(state) ||
      (options.mayLeaveOutAll === true && LEFT_OUT.has(state))
    )
  );
  return isAnyWell ? 0 : EXIT_ALL_FAILED;
}
