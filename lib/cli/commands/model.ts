import { listModels, verifyModel } from "../../kb/mod.ts";
import { findBaseDir } from "../base_dir.ts";
import { formatBytes, formatTable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { readModelOptions } from "../session.ts";

/** Lists the models kbdb knows. */
export async function list(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const models = listModels(
    await readModelOptions(io, findBaseDir(io, options.db)),
  );
  if (options.format === "json") {
    writeJson(io, models);
    return 0;
  }
  writeLines(
    io.out,
    formatTable(models.map((model) => [
      `${model.inUse ? "*" : " "} ${model.id}`,
      `${model.dims} dims`,
      `${model.windowTokens} tokens`,
      formatBytes(model.sizeBytes),
      model.licence,
      model.available ? model.location : "not here",
    ])),
  );
  return 0;
}

/** Compares the files of the model in use with what is pinned. */
export async function check(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const { id, location } = await verifyModel(
    await readModelOptions(io, findBaseDir(io, options.db)),
  );
  if (options.format === "json") {
    writeJson(io, { ok: true, model: id, location });
  } else io.out.write(`${id} is whole: sizes and SHA-256 are as pinned\n`);
  return 0;
}
