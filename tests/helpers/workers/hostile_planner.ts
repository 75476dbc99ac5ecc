/**
 * A planning worker that does what the text of a file orders: `loop` runs on for ever, `exit` ends the
 * thread, `memory` takes all there is. Any other text is planned as it should be.
 *
 * @module
 */
import process from "node:process";
import { parentPort } from "node:worker_threads";
import { planFile } from "../../../lib/ingest/plan_file.ts";
import { servePlanner } from "../../../lib/ingest/planner_host.ts";

if (parentPort !== null) {
  servePlanner(parentPort, (file, options) => {
    const order = new TextDecoder().decode(file.bytes);
    if (order === "exit") process.exit(3);
    for (const taken: number[][] = []; order === "memory";) {
      taken.push(Array.from({ length: 100_000 }, (_, i) => i + 0.5));
    }
    while (order === "loop");
    return planFile(file, options);
  });
}
