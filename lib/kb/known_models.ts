import { KbError } from "../core/mod.ts";
import {
  listModels as listSpecs,
  resolveModel,
  specOf,
  verifyModel as verifyFiles,
} from "../embed/mod.ts";
import type { ModelInfo, OpenKbOptions } from "./types.ts";

/** Which model is meant and where to look for it. */
export type ModelOptions = Pick<OpenKbOptions, "model" | "modelsDirs">;

/** Lists the models kbdb knows, and where their files are. */
export function listModels(
  { model, modelsDirs }: ModelOptions = {},
): ModelInfo[] {
  const inUse = specOf(model)?.id;
  return listSpecs().map((spec) => ({
    id: spec.id,
    dims: spec.dims,
    windowTokens: spec.windowTokens,
    licence: spec.licence,
    sizeBytes: spec.weights.sizeBytes,
    inUse: spec.id === inUse,
    ...locate(
      modelsDirs === undefined
        ? { model: spec.id }
        : { model: spec.id, modelsDirs },
    ),
  }));
}

function locate(
  options: ModelOptions,
): { available: boolean; location: string } {
  try {
    return { available: true, location: resolveModel(toDefined(options)).dir };
  } catch (error) {
    if (error instanceof KbError) {
      return { available: false, location: error.message };
    }
    throw error;
  }
}

/**
 * Compares the files of a model with what the registry pins.
 *
 * @returns Registry id and folder of the model.
 * @throws {KbError} `model_unavailable` if the model is unknown, or a file is missing or damaged.
 */
export async function verifyModel(
  options: ModelOptions = {},
): Promise<{ readonly id: string; readonly location: string }> {
  const model = resolveModel(toDefined(options));
  await verifyFiles(model);
  return { id: model.spec.id, location: model.dir };
}

/** Leaves out what is `undefined`. */
export function toDefined({ model, modelsDirs }: ModelOptions): ModelOptions {
  return {
    ...(model === undefined ? {} : { model }),
    ...(modelsDirs === undefined ? {} : { modelsDirs }),
  };
}
