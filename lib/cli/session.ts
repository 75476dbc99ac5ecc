import { resolve } from "node:path";
import { type Engine, type Kb, type ModelOptions, openKb } from "../kb/mod.ts";
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

/** Gives the engine a command reads by; its base must be there. */
export async function openForReading(
  io: CliIo,
  options: GlobalOptions,
): Promise<Engine> {
  return await openHere(io, options, { isNew: false });
}

/** Gives the engine a command writes by; its base is made if it is not there. */
export async function openForWriting(
  io: CliIo,
  options: GlobalOptions,
): Promise<Engine> {
  return await openHere(io, options, { isNew: true });
}

/** Opens the base itself, in this process; `isNew` makes it if it is not there. */
export async function openHere(
  io: CliIo,
  options: GlobalOptions,
  { isNew }: { readonly isNew: boolean },
): Promise<Kb> {
  if (!isNew) return await open(io, getBaseDir(io, options.db));
  const dir = findBaseDir(io, options.db);
  const isMade = !hasBase(dir);
  const kb = await open(io, dir);
  if (isMade && options.format === "text") {
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
