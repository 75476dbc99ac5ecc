import { Worker } from "node:worker_threads";
import { LIMITS } from "../core/mod.ts";
import {
  type FilePlan,
  type FileToPlan,
  keptNote,
  planFile,
  type PlanFileOptions,
  readChanged,
} from "./plan_file.ts";
import type {
  FromPlanner,
  NumberedFile,
  Planner,
  PlannerSetup,
  ToPlanner,
} from "./planner.ts";
import type { FileState } from "./types.ts";

/** How often the worker is looked at. */
const LOOK_MS = 200;
/** Workers that end in a row without a plan, before no further one is started. */
const STARTS_MAX = 3;

/** How a worker is started and how long it may take. */
export interface WorkerPlannerOptions {
  /** Module of the worker. */
  readonly url: URL;
  /** What the worker is told first. */
  readonly setup: PlannerSetup;
  /** Plans the texts that a worker owes which cannot be started. */
  readonly fallback: PlanFileOptions;
  /** Longest time for one file; default `LIMITS.extractMs`. */
  readonly fileMs?: number;
  /** Heap of the worker in MiB; default `LIMITS.extractHeapMb`. */
  readonly heapMb?: number;
}

/** A file whose plan is owed. */
interface Owed extends NumberedFile {
  readonly resolve: (plan: FilePlan | Promise<FilePlan>) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A planner in a thread of its own, so that texts are cut while the store writes, and so that a file
 * that makes its reader run on or take all memory costs that file alone: the thread is ended, the
 * file is reported as `too_large`, and a new thread goes on with the rest.
 */
export function workerPlanner(options: WorkerPlannerOptions): Planner {
  return new WorkerPlanner(options);
}

class WorkerPlanner implements Planner {
  readonly #options: WorkerPlannerOptions;
  readonly #fileMs: number;
  readonly #heapMb: number;
  /** By number, in order. */
  readonly #owed = new Map<number, Owed>();
  readonly #atHand = new Int32Array(new SharedArrayBuffer(8));
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #numbers = 0;
  /** Workers that ended since the last plan came. */
  #deaths = 0;
  /** The file seen at hand, how many files in archives were begun, and since when, in ms. */
  #seen = { number: 0, members: 0, since: 0 };
  #closed = false;

  constructor(options: WorkerPlannerOptions) {
    this.#options = options;
    this.#fileMs = options.fileMs ?? LIMITS.extractMs;
    this.#heapMb = options.heapMb ?? LIMITS.extractHeapMb;
    this.#start();
  }

  plan(batch: readonly FileToPlan[]): Promise<FilePlan[]> {
    const plans = batch.map((item) =>
      new Promise<FilePlan>((resolve, reject) => {
        const number = ++this.#numbers;
        this.#owed.set(number, { number, item, resolve, reject });
      })
    );
    const first = this.#numbers - batch.length;
    this.#send([...this.#owed.values()].filter(({ number }) => number > first));
    const all = Promise.all(plans);
    // A batch may be waited for later than one before it fails.
    all.catch(() => {});
    return all;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#rest();
    await this.#worker?.terminate();
  }

  /** Starts a worker and gives it all that is owed. */
  #start(): void {
    const { url, setup } = this.#options;
    const worker = new Worker(url, {
      resourceLimits: { maxOldGenerationSizeMb: this.#heapMb },
    });
    this.#worker = worker;
    Atomics.store(this.#atHand, 0, 0);
    const atHand = this.#atHand.buffer as SharedArrayBuffer;
    worker.on("message", (message: FromPlanner) => {
      if (worker === this.#worker) this.#take(message);
    });
    worker.on("error", (error: Error) => {
      if (worker !== this.#worker) return;
      if (isOutOfMemory(error)) {
        this.#replace("too_large", this.#tooMuchMemory());
      } else this.#replace("corrupted", "it ended the thread that read it");
    });
    worker.on("exit", () => {
      if (worker !== this.#worker) return;
      this.#replace("corrupted", "it ended the thread that read it");
    });
    this.#post({ type: "setup", setup, atHand });
    this.#send([...this.#owed.values()]);
  }

  #post(message: ToPlanner): void {
    this.#worker?.postMessage(message);
  }

  #send(owed: readonly Owed[]): void {
    if (owed.length === 0 || this.#closed) return;
    if (this.#worker === undefined) return this.#planHere(owed);
    this.#post({
      type: "plan",
      files: owed.map(({ number, item }) => ({ number, item })),
    });
    if (this.#timer !== undefined) return;
    this.#seen = { number: 0, members: 0, since: performance.now() };
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
  }

  /** Takes a plan that the worker made. */
  #take(message: FromPlanner): void {
    const owed = this.#owed.get(message.number);
    this.#owed.delete(message.number);
    if (this.#owed.size === 0) this.#rest();
    this.#deaths = 0;
    if (message.type === "plan") owed?.resolve(message.plan);
    else owed?.reject(new Error(message.message));
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Ends a worker that has had one file at hand for too long. The number of the file is never used
   * again, so that two looks at the same one mean that it was at hand all the time between; a file in
   * an archive has the time of any other.
   */
  #look(): void {
    const number = Atomics.load(this.#atHand, 0);
    const members = Atomics.load(this.#atHand, 1);
    const now = performance.now();
    // To start may take longer than one file, where others use the machine.
    const limitMs = number === 0 ? LIMITS.extractMs : this.#limitOf(number);
    const isSame = number === this.#seen.number &&
      members === this.#seen.members;
    if (!isSame) this.#seen = { number, members, since: now };
    else if (now - this.#seen.since > limitMs) {
      // A thread that has no memory left may just stand still.
      this.#replace(
        "too_large",
        `it took longer than ${limitMs / 1000} s, or ${this.#tooMuchMemory()}`,
      );
    }
  }

  /** Longest time for a file in ms; a large one may take longer. */
  #limitOf(number: number): number {
    const sizeBytes = this.#owed.get(number)?.item.file.sizeBytes ?? 0;
    return this.#fileMs + Math.floor(sizeBytes / 1e6) * LIMITS.extractMsPerMb;
  }

  #tooMuchMemory(): string {
    return `it took more memory than ${this.#heapMb} MiB`;
  }

  /** Tells the file at hand why it is left out, and starts a new worker for the rest. */
  #replace(state: FileState, why: string): void {
    const ended = this.#worker;
    this.#worker = undefined;
    this.#rest();
    if (this.#closed) return;
    ended?.terminate();
    const owed = this.#owed.get(Atomics.load(this.#atHand, 0));
    if (owed !== undefined) {
      this.#owed.delete(owed.number);
      const { file: { path }, known } = owed.item;
      const reason = keptNote(`Reading the file was stopped: ${why}.`, known);
      owed.resolve({
        report: { path, state, reason },
        readBytes: 0,
      });
    } else if (++this.#deaths >= STARTS_MAX) {
      return this.#planHere([...this.#owed.values()]);
    }
    this.#start();
  }

  /** Plans texts in the calling thread; what must be read where it can be ended is left out. */
  #planHere(owed: readonly Owed[]): void {
    for (const { number, item, resolve } of owed) {
      this.#owed.delete(number);
      resolve(planHere(item, this.#options.fallback));
    }
  }
}

function isOutOfMemory(error: Error): boolean {
  return "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY";
}

async function planHere(
  item: FileToPlan,
  options: PlanFileOptions,
): Promise<FilePlan> {
  const read = await readChanged(item);
  const plan = await planFile(read, { ...options, leavesHeavy: true });
  if (plan !== undefined) return plan;
  const { file: { path }, known } = item;
  const reason = keptNote(
    "The thread that reads files of this format cannot be started; add the file again, or restart kbdb.",
    known,
  );
  return { report: { path, state: "unreadable", reason }, readBytes: 0 };
}
