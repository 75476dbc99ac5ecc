/**
 * A worker without a model. It answers a text with a vector of: how many texts this worker has
 * answered, whether the role is `query`, the number at the end of the text, and 1.
 *
 * The first word of a text is an order: `cut`, `fail`, `hang`, `crash`, or `crash-once` with the
 * path of a file that tells the next worker not to.
 *
 * @module
 */
import { existsSync, writeFileSync } from "node:fs";
import process from "node:process";
import { parentPort } from "node:worker_threads";
import type {
  FromWorker,
  ToWorker,
  WorkerPort,
} from "../../../lib/embed/protocol.ts";

function serve(port: WorkerPort): void {
  let answered = 0;
  function answer(message: ToWorker): FromWorker | undefined {
    if (message.type === "load") return { type: "ready" };
    const { text, role } = message;
    const [order, path = ""] = text.split(" ");
    if (order === "crash") process.exit(3);
    if (order === "crash-once" && !existsSync(path)) {
      writeFileSync(path, "");
      throw new Error("out of memory");
    }
    if (order === "hang") return undefined;
    if (order === "fail") return { type: "failed", message: "no such word" };
    const number = Number(/\d+$/.exec(text)?.[0] ?? 0);
    return {
      type: "vector",
      vector: Float32Array.of(++answered, role === "query" ? 1 : 0, number, 1),
      cut: order === "cut",
    };
  }
  port.on("message", (message) => {
    const reply = answer(message);
    if (reply !== undefined) port.postMessage(reply);
  });
}

if (parentPort !== null) serve(parentPort);
