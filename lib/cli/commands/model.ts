import { listModels, type ModelOptions, verifyModel } from "../../kb/mod.ts";
import { formatBytes, formatTable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";

/** Lists the models kbdb knows. */
export function list(io: CliIo, options: GlobalOptions): number {
  const models = listModels(modelOptions(io));
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
  const { id, location } = await verifyModel(modelOptions(io));
  if (options.format === "json") {
    writeJson(io, { ok: true, model: id, location });
  } else io.out.write(`${id} is whole: sizes and SHA-256 are as pinned\n`);
  return 0;
}

/** The model the environment asks for. */
export function modelOptions({ env }: CliIo): ModelOptions {
  const model = env["KB_MODEL"] ?? "";
  return model === "" ? {} : { model };
}
