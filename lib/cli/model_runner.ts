import { KbError } from "../core/mod.ts";
import { type Device, openEndpoint, type OpenKbOptions } from "../kb/mod.ts";
import type { CliIo } from "./io.ts";
import {
  DEVICE,
  EMBEDDINGS_DIMS,
  EMBEDDINGS_KEY,
  EMBEDDINGS_MODEL,
  EMBEDDINGS_URL,
} from "./settings/model_settings.ts";
import { readSources } from "./settings/resolve.ts";

/** What makes the vectors, by the settings of a base: a device of this machine, or an endpoint. */
export async function readModelRunner(
  io: CliIo,
  dir: string,
): Promise<Pick<OpenKbOptions, "device" | "embedder">> {
  const settings = await readSources(io, dir);
  const url = settings.get(EMBEDDINGS_URL).value;
  if (url === undefined) {
    return { device: settings.get(DEVICE).value as Device };
  }
  const model = settings.get(EMBEDDINGS_MODEL).value;
  const dims = settings.get(EMBEDDINGS_DIMS).value;
  const key = settings.get(EMBEDDINGS_KEY).value;
  if (model === undefined || dims === undefined) {
    throw new KbError(
      "invalid_input",
      "Cannot use the endpoint of embeddingsUrl: embeddingsModel and embeddingsDims must say which model, and how many numbers its vectors have",
    );
  }
  return {
    embedder: openEndpoint({
      url,
      model,
      dims,
      ...(key === undefined ? {} : { key }),
    }),
  };
}
