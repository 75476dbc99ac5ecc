import { Worker } from "node:worker_threads";
import { KbError, type KbErrorCode } from "../core/mod.ts";
import {
  type MeasureSource,
  openMeasure,
  recutSections,
} from "../ingest/mod.ts";
import {
  countTerms,
  openStore,
  optimizeFullText,
  readSnapshot,
  readStats,
  rebuildFullText,
  type SnapshotFacts,
  type Store,
  writeSnapshot,
} from "../store/mod.ts";
import { checkBase } from "./check.ts";
import type {
  CheckReport,
  UpkeepOptions,
  UpkeepProgress,
} from "./section_types.ts";

/** Long work on a whole base; plain data, so that a worker can be given it. */
export type UpkeepTask =
  | { readonly type: "check"; readonly path: string }
  | {
    readonly type: "rebuild";
    readonly path: string;
    readonly source: MeasureSource;
  }
  | {
    readonly type: "snapshot";
    readonly path: string;
    /** A file that does not exist. */
    readonly target: string;
  }
  | { readonly type: "verify"; readonly path: string };

/** What the work answers. */
export interface UpkeepResult {
  /** Of `check`. */
  readonly check: CheckReport;
  /** Of `rebuild`. */
  readonly rebuild: { readonly sections: number; readonly terms: number };
  /** Of `snapshot`: what the copy holds. */
  readonly snapshot: SnapshotFacts;
  /** Of `verify`, which works on a copy and leaves it as it is. */
  readonly verify: SnapshotFacts;
}

/** What a worker sends: any number of `progress`, then one of the others. */
export type FromUpkeepWorker =
  | { readonly type: "progress"; readonly progress: UpkeepProgress }
  | { readonly type: "done"; readonly result: unknown }
  | {
    readonly type: "failed";
    readonly code: KbErrorCode | undefined;
    readonly message: string;
  };

/** Does the work in the calling thread, on a connection of its own. */
export async function runUpkeep(
  task: UpkeepTask,
  onProgress?: (progress: UpkeepProgress) => void,
): Promise<UpkeepResult[UpkeepTask["type"]]> {
  if (task.type === "verify") return readSnapshot(task.path);
  using store = openStore(task.path);
  if (task.type === "check") return checkBase(store, onProgress);
  if (task.type === "rebuild") {
    return rebuildBase(store, task.source, onProgress);
  }
  await writeSnapshot(store, task.target);
  return readSnapshot(task.target);
}

/** Makes all that can be derived: word index, chunks, and which vectors are of which text. */
function rebuildBase(
  store: Store,
  source: MeasureSource,
  onProgress?: (progress: UpkeepProgress) => void,
): UpkeepResult["rebuild"] {
  const total = readStats(store).sections;
  // A damaged index cannot follow changes, so it comes first.
  rebuildFullText(store);
  let sections = 0;
  for (const done of recutSections(store, openMeasure(source))) {
    sections = done;
    onProgress?.({ done, total });
  }
  optimizeFullText(store);
  return { sections, terms: countTerms(store) };
}

/**
 * Has a thread of its own do the work, so that the calling one goes on answering. Where no thread
 * can be had, the calling one does it.
 *
 * @throws {KbError} `cancelled` if `signal` aborts; what the work throws.
 */
export function startUpkeep<T extends UpkeepTask>(
  url: URL,
  task: T,
  { signal, onProgress }: UpkeepOptions,
): Promise<UpkeepResult[T["type"]]> {
  type Result = UpkeepResult[T["type"]];
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(cancelled());
    const worker = new Worker(url, { workerData: task });
    let settled = false;
    function settle(action: () => void): void {
      if (settled) return;
      settled = true;
      signal?.removeEventListener("abort", stop);
      void worker.terminate();
      action();
    }
    function stop(): void {
      settle(() => reject(cancelled()));
    }
    function runHere(): void {
      settle(() => {
        runUpkeep(task, onProgress).then(
          (result) => resolve(result as Result),
          reject,
        );
      });
    }
    signal?.addEventListener("abort", stop, { once: true });
    worker.on("error", runHere);
    worker.on("exit", runHere);
    worker.on("message", (message: FromUpkeepWorker) => {
      if (message.type === "progress") onProgress?.(message.progress);
      else if (message.type === "done") {
        settle(() => resolve(message.result as Result));
      } else {
        const { code, message: text } = message;
        settle(() =>
          reject(code === undefined ? new Error(text) : new KbError(code, text))
        );
      }
    });
  });
}

function cancelled(): KbError {
  return new KbError("cancelled", "The work was stopped; what is done stays");
}
