import { KbError } from "../core/mod.ts";
import { IgnoreRules, type RuleOptions } from "./ignore_rules.ts";
import type { FileReport, Progress } from "./types.ts";
import { type FoundFile, toReport, walk } from "./walk.ts";

/** Files found before the event loop gets a turn. */
const SCAN_FILES = 500;

/** What to look at, and how to stop. */
export interface ScanOptions extends RuleOptions {
  /** Real paths of folders that are not entered, as they are looked after on their own. */
  readonly apart?: ReadonlySet<string>;
  /** Stops the scan. */
  readonly signal?: AbortSignal;
  /** Called as the work goes on. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What is under a path. */
export interface Scan {
  /** Files to take in, in the order of the walk. */
  readonly files: readonly FoundFile[];
  /** What is not taken in, and why. */
  readonly reports: readonly FileReport[];
  /** Paths of both. */
  readonly found: ReadonlySet<string>;
  /** Paths of the files and folders that the owner's rules leave out. */
  readonly leftOut: ReadonlySet<string>;
  /** Bytes of the files. */
  readonly totalSize: number;
}

/**
 * Looks at all that is under a path, letting other work in.
 *
 * @throws {KbError} `cancelled` if `signal` aborts.
 */
export async function scan(root: string, options: ScanOptions): Promise<Scan> {
  const files: FoundFile[] = [];
  const reports: FileReport[] = [];
  const found = new Set<string>();
  const leftOut = new Set<string>();
  let totalSize = 0;
  const { apart = new Set() } = options;
  const rules = IgnoreRules.open(root, options);
  for (const item of walk(root, { rules, apart })) {
    found.add(item.path);
    if ("leftOutBy" in item) leftOut.add(item.path);
    const file = toReport(item);
    if ("state" in file) reports.push(file);
    else {
      files.push(file);
      totalSize += file.sizeBytes;
    }
    if (found.size % SCAN_FILES === 0) {
      const done = files.length;
      const doneSize = totalSize;
      options.onProgress?.({
        phase: "scan",
        done,
        total: done,
        doneSize,
        totalSize,
      });
      await pause();
      stopIfAborted(options.signal);
    }
  }
  return { files, reports, found, leftOut, totalSize };
}

/** Throws once a signal has aborted. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new KbError(
      "cancelled",
      "Adding was stopped; the files stored so far stay, add again to go on",
    );
  }
}

/** Lets timers, signals and messages in. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
