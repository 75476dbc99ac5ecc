import { type Kb, openKb } from "../kb/mod.ts";
import { findBaseDir, getBaseDir, hasBase } from "./base_dir.ts";
import { formatPath } from "./format.ts";
import type { CliIo, GlobalOptions } from "./io.ts";
import { modelOptions } from "./commands/model.ts";

/** Opens the base a command reads; it must be there. */
export function openForReading(io: CliIo, options: GlobalOptions): Kb {
  return open(io, getBaseDir(io, options.db));
}

/** Opens the base a command writes to, making it if it is not there. */
export function openForWriting(io: CliIo, options: GlobalOptions): Kb {
  const dir = findBaseDir(io, options.db);
  const isNew = !hasBase(dir);
  const kb = open(io, dir);
  if (isNew && options.format === "text") {
    io.err.write(`Made a new base at ${formatPath(dir, io.cwd)}\n`);
  }
  return kb;
}

function open(io: CliIo, dir: string): Kb {
  return openKb({ dir, ...modelOptions(io) });
}
