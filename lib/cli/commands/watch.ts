import { realpathSync } from "node:fs";
import { KbError } from "../../core/mod.ts";
import type { AddReport, Engine, SyncOptions } from "../../kb/mod.ts";
import { watchFolders } from "../../kb/mod.ts";
import { describeReport } from "../file_reports.ts";
import { formatItems, formatPath } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { findEngineUrl } from "../remote.ts";
import { openForWriting } from "../session.ts";
import { chooseFolders } from "./sync.ts";
import { type RuleFlags, toRules } from "./taking_in.ts";

/** Options of `kbdb watch`. */
export interface WatchCommandOptions extends GlobalOptions, RuleFlags {
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

/** Keeps the base in step with folders until it is told to stop. */
export async function watch(
  io: CliIo,
  folders: readonly string[],
  options: WatchCommandOptions,
): Promise<number> {
  await refuseElsewhere(io, options);
  await using kb = await openForWriting(io, options, { model: options.embed });
  const paths = await chooseFolders(io, kb, folders);
  const rules = toRules(options);
  const roots = new Map(paths.map((path) => [realpathOf(path), rules]));
  if (options.format === "text") {
    const shown = [...roots.keys()].map((path) => formatPath(path, io.cwd));
    io.err.write(`Watching ${shown.join(", ")}; Ctrl-C stops\n`);
  }
  await watchFolders(kb, roots, {
    signal: io.signal,
    embeds: options.embed,
    onSync: (_, report) => tell(io, options, report),
    onProblem: (_, { message }) => io.err.write(`kbdb watch: ${message}\n`),
  });
  if (options.format === "text") {
    io.err.write("Stopped; everything synced so far is kept\n");
  }
  return 0;
}

/**
 * Keeps from watching for an engine elsewhere, which cannot see the folders of this machine.
 *
 * @throws {KbError} `invalid_input` if the base is elsewhere.
 */
export async function refuseElsewhere(
  io: CliIo,
  options: GlobalOptions,
): Promise<void> {
  if (await findEngineUrl(io, options) === undefined) return;
  throw new KbError(
    "invalid_input",
    "Cannot watch for an engine on another machine: run kbdb watch there, or send the files with kbdb add",
  );
}

/**
 * Watches the folders that were synced, beside what else a process does.
 *
 * @param say Takes what to tell whoever runs the process.
 * @returns Resolves once `signal` aborts and nothing is being synced.
 */
export async function watchRemembered(
  kb: Engine,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  try {
    await watchRoots(kb, signal, say);
  } catch (error) {
    say(`cannot watch: ${error instanceof Error ? error.message : error}`);
  }
}

async function watchRoots(
  kb: Engine,
  signal: AbortSignal,
  say: (text: string) => void,
): Promise<void> {
  const roots = await kb.listRoots();
  if (roots.length === 0) {
    say("no folder is watched, as none was synced yet: kbdb sync FOLDER");
    return;
  }
  say(`watching ${formatItems(roots.length, "folder")}`);
  const options: SyncOptions = {};
  await watchFolders(kb, new Map(roots.map(({ path }) => [path, options])), {
    signal,
    onSync: (root, report) => {
      if (hasChange(report)) say(`synced ${root}: ${describeCounts(report)}`);
    },
    onProblem: (root, { message }) => say(`cannot sync ${root}: ${message}`),
  });
}

/** The real path; one that is not there stays as it is, and is told of when it is synced. */
function realpathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Says what a sync changed; of one that changed nothing, nothing. */
function tell(
  io: CliIo,
  options: WatchCommandOptions,
  report: AddReport,
): void {
  if (!hasChange(report)) return;
  if (options.format === "json") {
    writeJson(io, report);
    return;
  }
  writeLines(io.out, describeReport(io, report));
}

function hasChange({ files }: AddReport): boolean {
  return files.some(({ state }) => state === "indexed" || state === "removed");
}

function describeCounts({ counts }: AddReport): string {
  return Object.entries(counts)
    .map(([state, count]) => `${count} ${state.replaceAll("_", " ")}`)
    .join(", ");
}
