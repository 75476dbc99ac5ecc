import { parentPort } from "node:worker_threads";
import { serveEmbedder } from "./lib/embed/host.ts";
if (parentPort !== null) serveEmbedder(parentPort);
