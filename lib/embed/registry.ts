import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { KbError, ROOT_URL, sha256Hex } from "../core/mod.ts";
import { readModelCard } from "./model_card.ts";

/** One file of a model, pinned. */
export interface ModelFile {
  /** File name inside the model's folder. */
  readonly name: string;
  /** Exact size in bytes. */
  readonly sizeBytes: number;
  /** SHA-256 as 64 lower-case hex digits. */
  readonly sha256: string;
  /** Path on the model hub; absent for a file that is on no hub. */
  readonly source?: string;
}

/** Everything that decides which vector a text gets. */
export interface ModelSpec {
  /** Registry id: model name, `@`, and a number that rises when anything below changes. */
  readonly id: string;
  /** Folder name inside a models folder. */
  readonly folder: string;
  /** The ONNX weights. */
  readonly weights: ModelFile;
  /** The tokenizer definition. */
  readonly tokenizer: ModelFile;
  /** Numbers per vector. */
  readonly dims: number;
  /** Longest input in tokens, start and end marks included. */
  readonly windowTokens: number;
  /** How token vectors become one: the first token's, or the mean of all. */
  readonly pooling: "cls" | "mean";
  /** Put before a query. */
  readonly queryPrefix: string;
  /** Put before a passage. */
  readonly passagePrefix: string;
  /** SPDX licence id of the weights. */
  readonly licence: string;
}

/** A model whose files are present with the right sizes. */
export interface ResolvedModel {
  /** What the model is. */
  readonly spec: ModelSpec;
  /** Folder that holds its files. */
  readonly dir: string;
  /** Path of the ONNX weights. */
  readonly weightsPath: string;
  /** Path of the tokenizer definition. */
  readonly tokenizerPath: string;
}

/** Where to look for a model. */
export interface ResolveModelOptions {
  /** Registry id (with or without `@n`) or the path of a model's folder; default the first in the registry. */
  readonly model?: string;
  /** Folders of models to look in after `models/` beside the code, e.g. a cache folder. */
  readonly modelsDirs?: readonly string[];
}

const BGE_SOURCE =
  "Xenova/bge-small-en-v1.5/resolve/ea104dacec62c0de699686887e3f920caeb4f3e3";
const MINILM_SOURCE =
  "Xenova/all-MiniLM-L6-v2/resolve/751bff37182d3f1213fa05d7196b954e230abad9";

const BGE_SMALL: ModelSpec = {
  id: "bge-small-en-v1.5@1",
  folder: "bge-small-en-v1.5",
  weights: {
    name: "model.onnx",
    sizeBytes: 34_014_426,
    sha256: "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
    source: `${BGE_SOURCE}/onnx/model_quantized.onnx`,
  },
  tokenizer: {
    name: "tokenizer.json",
    sizeBytes: 711_396,
    sha256: "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
    source: `${BGE_SOURCE}/tokenizer.json`,
  },
  dims: 384,
  windowTokens: 512,
  pooling: "cls",
  queryPrefix: "",
  passagePrefix: "",
  licence: "MIT",
};

const MINILM_L6: ModelSpec = {
  id: "all-minilm-l6-v2@1",
  folder: "all-minilm-l6-v2",
  weights: {
    name: "model.onnx",
    sizeBytes: 22_972_370,
    sha256: "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1",
    source: `${MINILM_SOURCE}/onnx/model_quantized.onnx`,
  },
  tokenizer: {
    name: "tokenizer.json",
    sizeBytes: 711_661,
    sha256: "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0",
    source: `${MINILM_SOURCE}/tokenizer.json`,
  },
  dims: 384,
  windowTokens: 256,
  pooling: "mean",
  queryPrefix: "",
  passagePrefix: "",
  licence: "Apache-2.0",
};

const E5_SMALL: ModelSpec = {
  id: "e5-small-v2@1",
  folder: "e5-small-v2",
  weights: {
    name: "model.onnx",
    sizeBytes: 34_014_367,
    sha256: "7d9092cb25f2bd1c023b7e8d2aa459044a02030ac880e5a59fdaf27af69f1ded",
    source: "Xenova/e5-small-v2/resolve/main/onnx/model_quantized.onnx",
  },
  // All uncased BERT models of this size have the same tokenizer, byte by byte.
  tokenizer: BGE_SMALL.tokenizer,
  dims: 384,
  windowTokens: 512,
  pooling: "mean",
  queryPrefix: "query: ",
  passagePrefix: "passage: ",
  licence: "MIT",
};

const MODELS: readonly ModelSpec[] = [BGE_SMALL, MINILM_L6, E5_SMALL];

/**
 * Lists the models kbdb knows, the default first.
 *
 * @returns Every pinned model, whether its files are at hand or not.
 */
export function listModels(): readonly ModelSpec[] {
  return MODELS;
}

/** Finds a spec by id, with or without its `@n`. */
export function findSpec(name: string): ModelSpec | undefined {
  return MODELS.find((spec) => spec.id === name || spec.folder === name);
}

/** Says whether a model option names a folder rather than a registry id. */
function isFolder(model: string): boolean {
  return isAbsolute(model) || model.startsWith(".") || model.includes("/") ||
    model.includes(sep);
}

/** Says what is wrong with one file of a folder, or `undefined` if its size is right. */
function fileProblem(dir: string, file: ModelFile): string | undefined {
  const stat = statSync(join(dir, file.name), { throwIfNoEntry: false });
  if (stat === undefined || !stat.isFile()) {
    return `${join(dir, file.name)} is missing`;
  }
  if (stat.size === file.sizeBytes) return undefined;
  return `${
    join(dir, file.name)
  } has ${stat.size} bytes, expected ${file.sizeBytes}`;
}

/** Says what is wrong with a model's folder, or `undefined` if its files have the right sizes. */
function folderProblem(dir: string, spec: ModelSpec): string | undefined {
  return fileProblem(dir, spec.weights) ?? fileProblem(dir, spec.tokenizer);
}

/** The folder of models that ships with the code; `undefined` if the code is not on disk. */
function shippedDir(): string | undefined {
  const url = new URL("models/", ROOT_URL);
  return url.protocol === "file:" ? fileURLToPath(url) : undefined;
}

/** Puts paths to a spec found in a folder. */
function resolved(spec: ModelSpec, dir: string): ResolvedModel {
  return {
    spec,
    dir,
    weightsPath: join(dir, spec.weights.name),
    tokenizerPath: join(dir, spec.tokenizer.name),
  };
}

/** Makes the error for a model that cannot be had. */
export function modelUnavailable(
  model: string,
  fact: string,
  cause?: unknown,
): KbError {
  return new KbError(
    "model_unavailable",
    `Cannot load model "${model}": ${fact}`,
    {
      cause,
      details: { model },
    },
  );
}

/** Resolves a folder path by the registered model whose files it holds. */
function resolveFolder(model: string): ResolvedModel {
  const dir = resolve(model);
  const own = readModelCard(dir);
  if (own !== undefined) {
    const problem = folderProblem(dir, own);
    if (problem === undefined) return resolved(own, dir);
    throw modelUnavailable(
      model,
      `${problem}. Put the files back, or describe the new ones with: kbdb model register`,
    );
  }
  const spec = MODELS.find((each) => folderProblem(dir, each) === undefined);
  if (spec !== undefined) return resolved(spec, dir);
  const guess = MODELS.find((each) => dir.endsWith(each.folder)) ?? BGE_SMALL;
  throw modelUnavailable(
    model,
    `${
      folderProblem(dir, guess)
    }. Name a folder with the files of one of: ${knownIds()}; or describe another model with: kbdb model register`,
  );
}

/** The registry's ids for a message. */
function knownIds(): string {
  return MODELS.map((spec) => spec.id).join(", ");
}

/**
 * Says which model an option names without touching the disk.
 *
 * @param model Registry id or folder; default the first model of the registry.
 * @returns The spec meant; for a folder whose name tells nothing, or an unknown id, `undefined`.
 */
export function specOf(model?: string): ModelSpec | undefined {
  if (model === undefined) return BGE_SMALL;
  if (!isFolder(model)) return findSpec(model);
  const dir = resolve(model);
  return findCard(dir) ??
    MODELS.find((spec) => folderProblem(dir, spec) === undefined);
}

/** What a folder says its model is; nothing if that is wrong, which is said when its files are needed. */
function findCard(dir: string): ModelSpec | undefined {
  try {
    return readModelCard(dir);
  } catch (error) {
    if (error instanceof KbError) return undefined;
    throw error;
  }
}

/**
 * Finds a model's files and checks that they have the right sizes.
 *
 * A folder path is used as it is. An id is looked for in `models/` beside the code,
 * then in each of `modelsDirs`. Blocks for a few file look-ups.
 *
 * @param options What to look for, and where.
 * @returns Paths of the first complete copy.
 * @throws {KbError} `model_unavailable` if the id is unknown or no copy is complete; the
 * message says which file is wrong and what to do.
 */
export function resolveModel(options: ResolveModelOptions = {}): ResolvedModel {
  const model = options.model ?? BGE_SMALL.id;
  if (isFolder(model)) return resolveFolder(model);
  const spec = findSpec(model);
  if (spec === undefined) {
    throw modelUnavailable(model, `no such model. Known: ${knownIds()}`);
  }
  const shipped = shippedDir();
  const parents = [
    ...(shipped === undefined ? [] : [shipped]),
    ...(options.modelsDirs ?? []),
  ];
  const problems: string[] = [];
  for (const parent of parents) {
    const dir = join(parent, spec.folder);
    const problem = folderProblem(dir, spec);
    if (problem === undefined) return resolved(spec, dir);
    problems.push(problem);
  }
  throw modelUnavailable(
    model,
    `${
      problems.join("; ")
    }. Run: kbdb model pull ${spec.folder}; or set the model option (KB_MODEL) to a folder that holds ` +
      `${spec.weights.name} and ${spec.tokenizer.name}`,
  );
}

/**
 * Compares bytes with what the registry pins.
 *
 * @param model Id for the message.
 * @param path Path for the message.
 * @param file What the bytes should be.
 * @param bytes The file's content.
 * @throws {KbError} `model_unavailable` if the SHA-256 differs.
 */
export function checkBytes(
  model: string,
  path: string,
  file: ModelFile,
  bytes: Uint8Array,
): void {
  const actual = createHash("sha256").update(bytes).digest("hex");
  if (actual === file.sha256) return;
  throw modelUnavailable(
    model,
    `${path} is damaged: its SHA-256 is ${actual}, expected ${file.sha256}. ` +
      "Delete the file and get it anew, with kbdb model pull or from the release",
  );
}

/**
 * Reads a model's files and compares their SHA-256 with the registry.
 *
 * @param model A model from {@linkcode resolveModel}.
 * @throws {KbError} `model_unavailable` if a file cannot be read or differs.
 */
export async function verifyModel(model: ResolvedModel): Promise<void> {
  await readWeights(model);
  await readPinned(model.spec, model.tokenizerPath, model.spec.tokenizer);
}

/** Reads one pinned file and checks it. */
async function readPinned(
  spec: ModelSpec,
  path: string,
  file: ModelFile,
): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(path);
  } catch (error) {
    throw modelUnavailable(spec.id, `${path} cannot be read`, error);
  }
  checkBytes(spec.id, path, file, bytes);
  return bytes;
}

/**
 * Reads the weights and checks their SHA-256.
 *
 * @param model A model from {@linkcode resolveModel}.
 * @returns The ONNX file's bytes.
 * @throws {KbError} `model_unavailable` if the file cannot be read or differs.
 */
export function readWeights(model: ResolvedModel): Promise<Uint8Array> {
  return readPinned(model.spec, model.weightsPath, model.spec.weights);
}

/**
 * Names everything that decides a vector, so that vectors of two identities are never mixed.
 *
 * Pure: depends on no path and no clock.
 *
 * @param spec The model.
 * @param chunkerVersion Version of the code that cuts texts into chunks.
 * @returns The id, `:`, and 16 hex digits; equal only if all of id, file hashes, dims,
 * window, pooling, prefixes and chunker version are equal.
 */
export function modelIdentity(
  spec: ModelSpec,
  chunkerVersion: string | number,
): string {
  const parts = [
    spec.id,
    spec.weights.sha256,
    spec.tokenizer.sha256,
    spec.dims,
    spec.windowTokens,
    spec.pooling,
    spec.queryPrefix,
    spec.passagePrefix,
    String(chunkerVersion),
  ];
  return `${spec.id}:${sha256Hex(JSON.stringify(parts)).slice(0, 16)}`;
}
