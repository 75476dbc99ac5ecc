import { KbError } from "../core/mod.ts";
import { type FromUpkeepWorker, runUpkeep, type UpkeepTask } from "./upkeep.ts";

/** The end of an upkeep worker's channel that the worker holds. */
export interface UpkeepPort {
  /** Sends to the owner. */
  postMessage(message: FromUpkeepWorker): void;
}

/** Does one task and sends its outcome. */
export async function serveUpkeep(
  port: UpkeepPort,
  task: UpkeepTask,
): Promise<void> {
  try {
    const result = await runUpkeep(
      task,
      (progress) => port.postMessage({ type: "progress", progress }),
    );
    port.postMessage({ type: "done", result });
  } catch (error) {
    port.postMessage({
      type: "failed",
      code: error instanceof KbError ? error.code : undefined,
      message: error instanceof Error ? error.message : String(error),
    });
  }
}
