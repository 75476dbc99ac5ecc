import { parentPort } from "node:worker_threads";
import { serveEmbedder } from "./lib/embed/host.ts";
// Standard output belongs to the protocol of the process.
// deno-lint-ignore no-console -- this is what keeps others from it
console.log = console.info = console.debug = console.error;
if (parentPort !== null) serveEmbedder(parentPort);
