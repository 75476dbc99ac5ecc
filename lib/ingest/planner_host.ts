import { openMeasure } from "./measure.ts";
import type { PlanFileOptions } from "./plan_file.ts";
import { type FromPlanner, planBatch, type ToPlanner } from "./planner.ts";

/** The end of a planning worker's channel that the worker holds. */
export interface PlannerPort {
  /** Calls `listener` for each message. */
  on(event: "message", listener: (message: ToPlanner) => void): unknown;
  /** Answers. */
  postMessage(message: FromPlanner): void;
}

/** Serves plans over a port, one batch after the other. */
export function servePlanner(port: PlannerPort): void {
  let options: PlanFileOptions | undefined;
  let last: Promise<void> = Promise.resolve();
  async function answer(message: ToPlanner): Promise<FromPlanner | undefined> {
    if (message.type === "setup") {
      const { source, ...labels } = message.setup;
      options = { measure: openMeasure(source), ...labels };
      return undefined;
    }
    if (options === undefined) throw new Error("The worker has no setup yet");
    return { type: "plans", plans: await planBatch(message.batch, options) };
  }
  port.on("message", (message) => {
    last = last.then(() => answer(message))
      .catch((error: unknown): FromPlanner => ({
        type: "failed",
        message: String(error),
      }))
      .then((reply) => {
        if (reply !== undefined) port.postMessage(reply);
      });
  });
}
