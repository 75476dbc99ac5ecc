import { resolve } from "node:path";
import { type Kb, type ModelOptions, openKb } from "../kb/mod.ts";
import { findBaseDir, getBaseDir, hasBase } from "./base_dir.ts";
import { formatPath } from "./format.ts";
import type { CliIo, GlobalOptions } from "./io.ts";
import { readSources, type Sources } from "./settings/resolve.ts";
import { MODEL } from "./settings/table.ts";

/** Reads where the settings of the base a command means come from. */
export function readSettings(
  io: CliIo,
  options: GlobalOptions,
): Promise<Sources> {
  return readSources(io, findBaseDir(io, options.db));
}

/** Opens the base a command reads; it must be there. */
export async function openForReading(
  io: CliIo,
  options: GlobalOptions,
): Promise<Kb> {
  return await open(io, getBaseDir(io, options.db));
}

/** Opens the base a command writes to, making it if it is not there. */
export async function openForWriting(
  io: CliIo,
  options: GlobalOptions,
): Promise<Kb> {
  const dir = findBaseDir(io, options.db);
  const isNew = !hasBase(dir);
  const kb = await open(io, dir);
  if (isNew && options.format === "text") {
    io.err.write(`Made a new base at ${formatPath(dir, io.cwd)}\n`);
  }
  return kb;
}

/** The model that the settings of a base ask for; a folder named in its file is meant from there. */
export async function readModelOptions(
  io: CliIo,
  dir: string,
): Promise<ModelOptions> {
  const { value, source } = (await readSources(io, dir)).get(MODEL);
  if (value === undefined) return {};
  const isRelative = source === "config" && value.startsWith(".");
  return { model: isRelative ? resolve(dir, value) : value };
}

async function open(io: CliIo, dir: string): Promise<Kb> {
  return openKb({ dir, ...await readModelOptions(io, dir) });
}
