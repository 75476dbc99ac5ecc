import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { AddReport, Engine } from "../../kb/mod.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { openForWriting } from "../session.ts";
import { addStdin, checkStdin } from "./add_stdin.ts";
import { expand, isPattern, mergeReports } from "./patterns.ts";
import { type RuleFlags, takeIn, toRules, withProgress } from "./taking_in.ts";

/** Options of `kbdb add`. */
export interface AddCommandOptions extends GlobalOptions, RuleFlags {
  /** Name of the file from standard input. */
  readonly name?: string;
  /** Title of the file from standard input. */
  readonly title?: string;
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

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
  return await takeIn(io, kb, paths, {
    ...options,
    take: (path) =>
      path === "-" ? addStdin(io, kb, options) : addPath(io, kb, path, options),
  });
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
  const { files, reports: leftOut } = await expand(io.cwd, path);
  for (const file of files) {
    reports.push(await addOne(io, kb, file, options));
  }
  return mergeReports(path, reports, leftOut);
}

function addOne(
  io: CliIo,
  kb: Engine,
  path: string,
  options: AddCommandOptions,
): Promise<AddReport> {
  return withProgress(
    io,
    (watching) =>
      kb.add(resolve(io.cwd, path), { ...toRules(options), ...watching }),
  );
}
