import { openMeasure } from "../../lib/ingest/measure.ts";
import type { Planner } from "../../lib/ingest/planner.ts";
import { workerPlanner } from "../../lib/ingest/worker_planner.ts";

/** Opens the planner that kbdb itself uses, with words measured by length. */
export function openTextPlanner(): Planner {
  const source = { model: undefined, windowTokens: 512 };
  return workerPlanner({
    url: new URL("../../text_worker.ts", import.meta.url),
    setup: { source },
    fallback: { measure: openMeasure(source) },
  });
}
