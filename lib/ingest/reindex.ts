import {
  dropModel,
  putModel,
  type Store,
  takeOverVectors,
} from "../store/mod.ts";
import {
  embedPending,
  type EmbedPendingOptions,
  type EmbedReport,
} from "./embed_pending.ts";

/**
 * Makes the vectors of every chunk anew, under a name of their own, and then has them take the place
 * of the model's old ones in one transaction. Vectors of other models go with the old ones.
 *
 * A run that was stopped is begun anew by the next one.
 *
 * @throws {KbError} `model_unavailable` if the model cannot be loaded; `cancelled` if it is stopped.
 */
export async function reindexVectors(
  store: Store,
  options: EmbedPendingOptions,
): Promise<EmbedReport> {
  const { model } = options;
  const identity = `${model.identity}+reindex`;
  dropModel(store, identity);
  const beside = putModel(store, { ...model, identity });
  try {
    const report = await embedPending(store, { ...options, model: beside });
    takeOverVectors(store, { from: beside.id, to: model.id });
    return report;
  } finally {
    dropModel(store, identity);
  }
}
