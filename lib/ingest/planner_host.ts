import { openMeasure } from "./measure.ts";
import {
  type FilePlan,
  planFile,
  type PlanFileOptions,
  readChanged,
  type ReadFile,
} from "./plan_file.ts";
import type { FromPlanner, NumberedFile, ToPlanner } from "./planner.ts";

/** The end of a planning worker's channel that the worker holds. */
export interface PlannerPort {
  /** Calls `listener` for each message. */
  on(event: "message", listener: (message: ToPlanner) => void): unknown;
  /** Answers. */
  postMessage(message: FromPlanner): void;
}

/** Plans one file. */
export type PlanOne = (
  file: ReadFile,
  options: PlanFileOptions,
) => Promise<FilePlan | undefined>;

/**
 * Serves plans over a port, one file after the other.
 *
 * @param planOne How a file is planned.
 */
export function servePlanner(
  port: PlannerPort,
  planOne: PlanOne = planFile,
): void {
  let options: PlanFileOptions | undefined;
  let atHand = new Int32Array(new SharedArrayBuffer(8));
  let last: Promise<void> = Promise.resolve();
  async function answer(files: readonly NumberedFile[]): Promise<void> {
    if (options === undefined) throw new Error("The worker has no setup yet");
    const read = await Promise.all(files.map(({ item }) => readChanged(item)));
    for (const [index, file] of read.entries()) {
      const number = files[index]?.number ?? 0;
      Atomics.store(atHand, 0, number);
      try {
        const plan = await planOne(file, options);
        if (plan === undefined) throw new TypeError("A file was left out");
        port.postMessage({ type: "plan", number, plan });
      } catch (error) {
        const message = error instanceof Error
          ? error.stack ?? error.message
          : String(error);
        port.postMessage({ type: "failed", number, message });
      }
      Atomics.store(atHand, 0, 0);
    }
  }
  port.on("message", (message) => {
    if (message.type === "setup") {
      const { source, ...labels } = message.setup;
      const shared = new Int32Array(message.atHand);
      atHand = shared;
      options = {
        measure: openMeasure(source),
        ...labels,
        onMember: () => Atomics.add(shared, 1, 1),
      };
    } else {
      last = last.then(() => answer(message.files));
    }
  });
}
