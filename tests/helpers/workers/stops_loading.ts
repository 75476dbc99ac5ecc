/**
 * A worker that stops while it loads its model.
 *
 * @module
 */
import process from "node:process";
import { parentPort } from "node:worker_threads";

parentPort?.on("message", () => process.exit(3));
