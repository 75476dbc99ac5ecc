import { parentPort } from "node:worker_threads";
import { servePlanner } from "./lib/ingest/planner_host.ts";
if (parentPort !== null) servePlanner(parentPort);
