import { isAbsolute, relative, resolve } from "node:path";
import { KbError } from "../../core/mod.ts";
import {
  listModels,
  openKb,
  pullModel,
  type PullProgress,
  registerModel,
  verifyModel,
} from "../../kb/mod.ts";
import { findBaseDir, hasBase, modelsCacheDir } from "../base_dir.ts";
import { formatBytes, formatItems, formatPath } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { writeListing } from "../output/write.ts";
import { readModelOptions, readSettings } from "../session.ts";
import { MODEL_HUB, OFFLINE } from "../settings/model_settings.ts";
import { MODEL } from "../settings/table.ts";

/** Lists the models kbdb knows. */
export async function list(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  const models = listModels(
    await readModelOptions(io, findBaseDir(io, options.db)),
  );
  await writeListing(io, options, {
    rows: models,
    columns: [
      {
        name: "model",
        value: ({ id }) => id,
        text: ({ id, inUse }) => `${inUse ? "*" : " "} ${id}`,
      },
      {
        name: "in_use",
        value: ({ inUse }) => inUse,
        isForPrograms: true,
      },
      { name: "dims", value: ({ dims }) => dims, align: "right" },
      {
        name: "window",
        value: ({ windowTokens }) => windowTokens,
        text: ({ windowTokens }) => `${windowTokens} tokens`,
        align: "right",
      },
      {
        name: "bytes",
        value: ({ sizeBytes }) => sizeBytes,
        text: ({ sizeBytes }) => formatBytes(sizeBytes),
        align: "right",
      },
      { name: "licence", value: ({ licence }) => licence },
      {
        name: "location",
        value: ({ available, location }) => available ? location : null,
        text: ({ available, location }) => available ? location : "not here",
      },
    ],
  });
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

/** Downloads a model to the cache directory. */
export async function pull(
  io: CliIo,
  name: string,
  options: GlobalOptions,
): Promise<number> {
  const settings = await readSettings(io, options);
  const endpoint = settings.get(MODEL_HUB).value;
  const report = await pullModel(name, {
    modelsDir: modelsCacheDir(io),
    offline: settings.get(OFFLINE).value,
    signal: io.signal,
    ...(endpoint === undefined ? {} : { endpoint }),
    onProgress: (progress) => drawProgress(io, progress),
  });
  if (io.err.isTTY === true) io.err.write("\r\x1b[K");
  const { id, location, downloadedBytes } = report;
  if (options.format === "json") writeJson(io, report);
  else {
    io.out.write(
      downloadedBytes === 0
        ? `${id} is here already: ${location}\n`
        : `Downloaded ${
          formatBytes(downloadedBytes)
        }, ${id} is whole: ${location}\n`,
    );
  }
  return 0;
}

function drawProgress(
  io: CliIo,
  { file, doneBytes, totalBytes }: PullProgress,
): void {
  if (io.err.isTTY !== true) return;
  const percent = Math.floor(100 * doneBytes / totalBytes);
  io.err.write(
    `\r\x1b[KDownloading ${file}  ${percent}%  ${formatBytes(doneBytes)}/${
      formatBytes(totalBytes)
    }`,
  );
}

/** Options of `kbdb model register`. */
export interface RegisterOptions extends GlobalOptions {
  /** Numbers in a vector. */
  readonly dims: number;
  /** Window in tokens. */
  readonly window: number;
  /** How token vectors become one. */
  readonly pooling: "cls" | "mean";
  /** Put before a query. */
  readonly queryPrefix: string;
  /** Put before a passage. */
  readonly passagePrefix: string;
}

/** Describes the model in a folder, so that it can be used. */
export async function register(
  io: CliIo,
  folder: string,
  options: RegisterOptions,
): Promise<number> {
  const { dims, window, pooling, queryPrefix, passagePrefix } = options;
  const spec = await registerModel(resolve(io.cwd, folder), {
    dims,
    windowTokens: window,
    pooling,
    queryPrefix,
    passagePrefix,
  });
  if (options.format === "json") writeJson(io, spec);
  else {
    io.out.write(
      `${spec.id} runs and can be used: kbdb model use ${
        folder.includes("/") ? folder : `./${folder}`
      }\n`,
    );
  }
  return 0;
}

/** Makes a model that of the base, in its `config.jsonc`, and says what is left to do. */
export async function use(
  io: CliIo,
  name: string,
  options: GlobalOptions,
): Promise<number> {
  const dir = findBaseDir(io, options.db);
  if (!hasBase(dir)) {
    throw new KbError(
      "not_found",
      `There is no base at "${dir}"; make one with: kbdb init`,
    );
  }
  const known = listModels().find(({ id }) =>
    id === name || id.split("@")[0] === name
  );
  const value = known?.id.split("@")[0] ?? toFolder(io, dir, name);
  const model = known === undefined ? resolve(io.cwd, name) : value;
  const { id } = await verifyModel({
    model,
    modelsDirs: [modelsCacheDir(io)],
  });
  const { setConfig } = await import("../settings/config_edit.ts");
  const { configPath } = await readSettings(io, options);
  setConfig(configPath, MODEL.name, value);
  const overruled = (await readSettings(io, options)).get(MODEL);
  await using kb = openKb({ dir, model, modelsDirs: [modelsCacheDir(io)] });
  const { pendingChunks } = kb.status().vectors;
  if (options.format === "json") {
    writeJson(io, { model: id, configPath, pendingChunks });
    return 0;
  }
  writeLines(io.out, [
    `${formatPath(configPath, io.cwd)} says now that the base uses ${id}`,
    pendingChunks === 0
      ? "Every chunk has a vector of this model"
      : `${
        formatItems(pendingChunks, "chunk")
      } without a vector of this model, found by word until then; run: kbdb embed`,
  ]);
  if (overruled.source === "environment") {
    writeLines(io.err, [
      `note: ${overruled.from} is set and counts before the file`,
    ]);
  }
  return 0;
}

/** A folder as the file of the base names it: from there, if it is inside. */
function toFolder(io: CliIo, dir: string, name: string): string {
  const path = resolve(io.cwd, name);
  const inside = relative(dir, path);
  return inside.startsWith("..") || isAbsolute(inside) ? path : `./${inside}`;
}
