import { join, resolve } from "node:path";
import { openKb } from "../../kb/mod.ts";
import { BASE_NAME, hasBase } from "../base_dir.ts";
import { type CliIo, type GlobalOptions, writeJson } from "../io.ts";

/** Makes a base: `DIR/.kbdb`, or the directory of `--db`. */
export async function init(
  io: CliIo,
  folder: string | undefined,
  options: GlobalOptions,
): Promise<number> {
  const dir = folder === undefined && options.db !== undefined
    ? resolve(io.cwd, options.db)
    : join(resolve(io.cwd, folder ?? "."), BASE_NAME);
  const created = !hasBase(dir);
  await openKb({ dir }).close();
  if (options.format === "json") writeJson(io, { dir, created });
  else {io.out.write(
      created
        ? `Made a new base at ${dir}\n`
        : `There is a base at ${dir} already\n`,
    );}
  return 0;
}
