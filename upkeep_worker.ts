import { parentPort, workerData } from "node:worker_threads";
import { serveUpkeep } from "./lib/kb/upkeep_host.ts";
if (parentPort !== null) await serveUpkeep(parentPort, workerData);
