import { createHash } from "node:crypto";
import { createReadStream, renameSync, statSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { KbError } from "../core/mod.ts";
import { openEmbedder } from "./client.ts";
import { DIMS_MAX, DIMS_STEP, MODEL_CARD, WINDOW_MAX } from "./model_card.ts";
import type { ModelFile, ModelSpec } from "./registry.ts";
import { loadTokenizer } from "./tokenizer.ts";

/** What has to be said of a model that kbdb does not know. */
export interface RegisterModelOptions extends
  Partial<
    Pick<
      ModelSpec,
      | "windowTokens"
      | "pooling"
      | "queryPrefix"
      | "passagePrefix"
      | "licence"
    >
  >,
  Pick<ModelSpec, "dims"> {
  /** The worker's module, for tests. */
  readonly workerUrl?: URL;
}

/**
 * Describes the model in a folder, so that the folder can be named as a model: writes down the SHA-256 of
 * `model.onnx` and `tokenizer.json` with what is said of them, and runs the model once to see that it is true.
 *
 * @param dir Folder with `model.onnx` and the `tokenizer.json` of an uncased BERT model.
 * @throws {KbError} `not_found` if a file is missing; `invalid_input` if a number is out of range;
 * `unsupported_type` if the tokenizer is of another kind; `model_unavailable` if the model does not run or has
 * vectors of another size. Nothing is written then.
 */
export async function registerModel(
  dir: string,
  { workerUrl, ...options }: RegisterModelOptions,
): Promise<ModelSpec> {
  const folder = resolve(dir);
  const { dims, windowTokens = 512, pooling = "mean" } = options;
  checkNumber("dims", dims, DIMS_STEP, DIMS_MAX);
  if (dims % DIMS_STEP !== 0) {
    throw new KbError(
      "invalid_input",
      `Cannot use vectors of ${dims} numbers: it must be a multiple of ${DIMS_STEP}`,
    );
  }
  checkNumber("windowTokens", windowTokens, 16, WINDOW_MAX);
  const weights = await describe(folder, "model.onnx");
  const tokenizer = await describe(folder, "tokenizer.json");
  const name = basename(folder);
  const spec: ModelSpec = {
    id: `${name}@${weights.sha256.slice(0, 8)}`,
    folder: name,
    weights,
    tokenizer,
    dims,
    windowTokens,
    pooling,
    queryPrefix: options.queryPrefix ?? "",
    passagePrefix: options.passagePrefix ?? "",
    licence: options.licence ?? "unknown",
  };
  await tryModel(spec, folder, workerUrl);
  const path = join(folder, MODEL_CARD);
  writeFileSync(`${path}.new`, JSON.stringify(spec, null, 2) + "\n");
  renameSync(`${path}.new`, path);
  return spec;
}

function checkNumber(
  name: string,
  value: number,
  min: number,
  max: number,
): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new KbError(
    "invalid_input",
    `Cannot register the model: ${name} is ${value}, must be a whole number from ${min} to ${max}`,
  );
}

async function describe(folder: string, name: string): Promise<ModelFile> {
  const path = join(folder, name);
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) {
    throw new KbError(
      "not_found",
      `Cannot register the model: ${path} is missing; the folder must hold model.onnx and tokenizer.json`,
    );
  }
  const hash = createHash("sha256");
  for await (const bytes of createReadStream(path)) hash.update(bytes);
  return { name, sizeBytes: stat.size, sha256: hash.digest("hex") };
}

/** Runs one text through the model, as what is said of it may be wrong. */
async function tryModel(
  spec: ModelSpec,
  dir: string,
  workerUrl: URL | undefined,
): Promise<void> {
  const model = {
    spec,
    dir,
    weightsPath: join(dir, spec.weights.name),
    tokenizerPath: join(dir, spec.tokenizer.name),
  };
  try {
    loadTokenizer(model);
  } catch (error) {
    if (error instanceof KbError) throw error;
    throw new KbError(
      "unsupported_type",
      `Cannot register the model: ${
        error instanceof Error ? error.message : error
      }. Serve it from an endpoint instead (embeddingsUrl)`,
      { cause: error },
    );
  }
  await using embedder = openEmbedder(model, {
    workers: 1,
    ...(workerUrl === undefined ? {} : { workerUrl }),
  });
  await embedder.embed(["a first text"], { role: "passage" });
}
