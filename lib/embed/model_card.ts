import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { KbError } from "../core/mod.ts";
import type { ModelFile, ModelSpec } from "./registry.ts";

/** File that says what the model in a folder is. */
export const MODEL_CARD = "kbdb-model.json";
/** What the index of vectors takes: its rows are scanned 16 numbers at a time. */
export const DIMS_STEP = 16;
/** Most numbers of a vector. */
export const DIMS_MAX = 8_192;
/** Longest window of a model, in tokens. */
export const WINDOW_MAX = 8_192;

/**
 * Reads what the model in a folder is.
 *
 * @returns `undefined` if the folder does not say.
 * @throws {KbError} `model_unavailable` if what it says is wrong.
 */
export function readModelCard(dir: string): ModelSpec | undefined {
  const path = join(dir, MODEL_CARD);
  if (!existsSync(path)) return undefined;
  let card: unknown;
  try {
    card = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw wrongCard(dir, "it is no JSON", error);
  }
  if (!isSpec(card)) throw wrongCard(dir, "a field is missing or wrong");
  return card;
}

function wrongCard(dir: string, fact: string, cause?: unknown): KbError {
  return new KbError(
    "model_unavailable",
    `Cannot load model "${dir}": its ${MODEL_CARD} cannot be used: ${fact}. Write it anew with: kbdb model register`,
    { cause, details: { model: dir } },
  );
}

function isSpec(value: unknown): value is ModelSpec {
  if (typeof value !== "object" || value === null) return false;
  const spec = value as Partial<Record<keyof ModelSpec, unknown>>;
  const texts = [
    spec.id,
    spec.folder,
    spec.queryPrefix,
    spec.passagePrefix,
    spec.licence,
  ];
  return texts.every((text) => typeof text === "string") &&
    isFile(spec.weights) && isFile(spec.tokenizer) &&
    isWithin(spec.dims, DIMS_MAX) && Number(spec.dims) % DIMS_STEP === 0 &&
    isWithin(spec.windowTokens, WINDOW_MAX) &&
    (spec.pooling === "cls" || spec.pooling === "mean");
}

function isWithin(value: unknown, max: number): boolean {
  return Number.isInteger(value) && Number(value) >= 16 && Number(value) <= max;
}

/** A file of the folder itself: its name leads nowhere else. */
function isFile(value: unknown): value is ModelFile {
  if (typeof value !== "object" || value === null) return false;
  const { name, sizeBytes, sha256 } = value as Partial<
    Record<keyof ModelFile, unknown>
  >;
  return typeof name === "string" && /^[\w.-]+$/.test(name) &&
    Number.isInteger(sizeBytes) && typeof sha256 === "string" &&
    /^[0-9a-f]{64}$/.test(sha256);
}
