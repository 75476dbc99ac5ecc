import { resolve } from "node:path";
import type { Engine, Kb, ModelOptions } from "../kb/mod.ts";
import {
  findBaseDir,
  getBaseDir,
  hasBase,
  modelsCacheDir,
} from "./base_dir.ts";
import { formatPath } from "./format.ts";
import { daemonOf, isDaemonWanted } from "./daemon.ts";
import type { CliIo, GlobalOptions } from "./io.ts";
import { openRemote } from "./remote.ts";
import { readSources, type Sources } from "./settings/resolve.ts";
import { MODEL } from "./settings/table.ts";

/** Reads where the settings of the base a command means come from. */
export function readSettings(
  io: CliIo,
  options: GlobalOptions,
): Promise<Sources> {
  return readSources(io, findBaseDir(io, options.db));
}

/** What a command asks of its engine. */
export interface EngineNeeds {
  /** Whether it will need the model, so that a daemon that has it loaded is worth having; default no. */
  readonly model?: boolean;
}

/** Gives the engine a command reads by; its base must be there. */
export async function openForReading(
  io: CliIo,
  options: GlobalOptions,
  needs: EngineNeeds = {},
): Promise<Engine> {
  return await openEngine(io, options, { ...needs, isNew: false });
}

/** Gives the engine a command writes by; its base is made if it is not there. */
export async function openForWriting(
  io: CliIo,
  options: GlobalOptions,
  needs: EngineNeeds = {},
): Promise<Engine> {
  return await openEngine(io, options, { ...needs, isNew: true });
}

/** An engine elsewhere, else a daemon if the model is needed, else the base opened here. */
async function openEngine(
  io: CliIo,
  options: GlobalOptions,
  { model = false, isNew }: EngineNeeds & { readonly isNew: boolean },
): Promise<Engine> {
  const remote = await openRemote(io, options);
  if (remote !== undefined) return remote;
  const dir = isNew ? findBaseDir(io, options.db) : getBaseDir(io, options.db);
  const daemon = model && await isDaemonWanted(io, options)
    ? await daemonOf(io, dir)
    : undefined;
  const live = hasBase(dir) ? await daemon?.find() : undefined;
  if (live !== undefined) return live;
  const here = await openHere(io, options, { isNew });
  if (daemon === undefined) return here;
  const { withDaemon } = await import("../client/mod.ts");
  return withDaemon(here, daemon);
}

/** Opens the base itself, in this process; `isNew` makes it if it is not there. */
export async function openHere(
  io: CliIo,
  options: GlobalOptions,
  { isNew }: { readonly isNew: boolean },
): Promise<Kb> {
  if (!isNew) return await openBase(io, getBaseDir(io, options.db));
  const dir = findBaseDir(io, options.db);
  const isMade = !hasBase(dir);
  const kb = await openBase(io, dir);
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
  const modelsDirs = [modelsCacheDir(io)];
  if (value === undefined) return { modelsDirs };
  const isRelative = source === "config" && value.startsWith(".");
  return { model: isRelative ? resolve(dir, value) : value, modelsDirs };
}

/** Opens a base in this process as its settings say. */
export async function openBase(io: CliIo, dir: string): Promise<Kb> {
  // Loaded late: what a daemon or an engine elsewhere does needs none of it here.
  const { openKb } = await import("../kb/mod.ts");
  const { readModelRunner } = await import("./model_runner.ts");
  return openKb({
    dir,
    ...await readModelOptions(io, dir),
    ...await readModelRunner(io, dir),
  });
}
