import { Worker } from "node:worker_threads";
import type { MeasureSource } from "./measure.ts";
import {
  type FilePlan,
  type FileToPlan,
  planFile,
  type PlanFileOptions,
  readChanged,
} from "./plan_file.ts";

/** Reads files and decides what is to be done about each. */
export interface Planner extends AsyncDisposable {
  /**
   * Plans a batch. Batches may be given before earlier ones are done.
   *
   * @returns One plan a file, in the order given.
   */
  plan(batch: readonly FileToPlan[]): Promise<FilePlan[]>;
}

/** What a planning worker is told first. */
export interface PlannerSetup {
  /** How chunks are measured. */
  readonly source: MeasureSource;
  /** Tags of every file. */
  readonly tags?: readonly string[];
  /** Collection of every file. */
  readonly collection?: string;
}

/** What a planning worker is sent. */
export type ToPlanner =
  | { readonly type: "setup"; readonly setup: PlannerSetup }
  | { readonly type: "plan"; readonly batch: readonly FileToPlan[] };

/** What it answers to each batch, in order. */
export type FromPlanner =
  | { readonly type: "plans"; readonly plans: FilePlan[] }
  | { readonly type: "failed"; readonly message: string };

/** Reads and plans a batch in the calling thread. */
export async function planBatch(
  batch: readonly FileToPlan[],
  options: PlanFileOptions,
): Promise<FilePlan[]> {
  const read = await Promise.all(batch.map(readChanged));
  return read.map((file) => planFile(file, options));
}

/** A planner in the calling thread. */
export function localPlanner(options: PlanFileOptions): Planner {
  return {
    plan: (batch) => planBatch(batch, options),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

interface Waiting {
  readonly batch: readonly FileToPlan[];
  readonly resolve: (plans: FilePlan[] | Promise<FilePlan[]>) => void;
}

/**
 * A planner in a thread of its own, so that texts are cut while the store writes.
 *
 * A worker that fails costs speed only: what it owes is planned in the calling thread.
 *
 * @param url Module of the worker.
 * @param setup What the worker is told first.
 * @param fallback Plans what a failed worker owes.
 */
export function workerPlanner(
  url: URL,
  setup: PlannerSetup,
  fallback: PlanFileOptions,
): Planner {
  const waiting: Waiting[] = [];
  let failed = false;
  const worker = new Worker(url);
  function send(message: ToPlanner): void {
    worker.postMessage(message);
  }
  function giveUp(): void {
    failed = true;
    for (const { batch, resolve } of waiting.splice(0)) {
      resolve(planBatch(batch, fallback));
    }
  }
  worker.on("error", giveUp);
  worker.on("exit", giveUp);
  worker.on("message", (message: FromPlanner) => {
    if (message.type === "failed") giveUp();
    else waiting.shift()?.resolve(message.plans);
  });
  send({ type: "setup", setup });
  return {
    plan(batch): Promise<FilePlan[]> {
      if (failed) return planBatch(batch, fallback);
      return new Promise((resolve) => {
        waiting.push({ batch, resolve });
        send({ type: "plan", batch });
      });
    },
    async [Symbol.asyncDispose](): Promise<void> {
      failed = true;
      await worker.terminate();
    },
  };
}
