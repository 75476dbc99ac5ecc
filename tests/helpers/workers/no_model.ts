/**
 * A worker that lives but cannot load its model.
 *
 * @module
 */
import { parentPort } from "node:worker_threads";
import type { WorkerPort } from "../../../lib/embed/protocol.ts";

function serve(port: WorkerPort): void {
  port.on("message", () => {
    port.postMessage({ type: "unavailable", message: "The weights are bad" });
  });
}

if (parentPort !== null) serve(parentPort);
