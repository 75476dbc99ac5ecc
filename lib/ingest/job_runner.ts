import { randomUUID } from "node:crypto";
import type { JobEnd, JobRow } from "../store/mod.ts";
import { claimJob, renewJob, type Store } from "../store/mod.ts";
import type { Originals } from "./originals.ts";
import type { Planner } from "./planner.ts";
import { runJob } from "./run_job.ts";
import type { Measure } from "./types.ts";

/** How long a job belongs to the process that took it, unless it says it is still at work. */
const LEASE_MS = 60_000;
const RENEW_MS = 15_000;
/** How often a runner looks for jobs of other processes. */
const POLL_MS = 1_000;

/** What a runner needs. */
export interface JobRunnerOptions {
  /** How chunks are measured. */
  readonly measure: () => Measure;
  /** Reads and cuts files; asked for when the first file comes. */
  readonly planner: () => Pick<Planner, "plan">;
  /** Where uploaded files are. */
  readonly originals: Originals;
  /** Called when a job has begun. */
  readonly onStart?: (job: JobRow) => void;
  /** Called when a job is over or goes back to the queue. */
  readonly onEnd?: (job: JobRow, end: JobEnd) => void;
  /** Called when looking for a job fails, e.g. as the base is busy; the runner goes on. */
  readonly onError?: (error: unknown) => void;
}

/** Takes jobs one after the other until it is stopped. Any number of processes may run one on a base. */
export class JobRunner implements AsyncDisposable {
  readonly #store: Store;
  readonly #options: JobRunnerOptions;
  readonly #owner = randomUUID();
  #wake: () => void = () => {};
  #stopped = false;
  #running: Promise<void> | undefined;

  /** Takes the store; nothing runs before {@linkcode JobRunner.start}. */
  constructor(store: Store, options: JobRunnerOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Begins to take jobs. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Has it look for a job now. */
  wake(): void {
    this.#wake();
  }

  /** Ends after the job at hand. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    await this.#running;
  }

  /** Same as {@linkcode JobRunner.stop}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      let job: JobRow | undefined;
      try {
        job = claimJob(this.#store, this.#owner, leaseUntil());
        if (job !== undefined) await this.#runOne(job);
      } catch (error) {
        this.#options.onError?.(error);
        job = undefined;
      }
      // Requests are answered between two jobs.
      await this.#pause(job === undefined ? POLL_MS : 0);
    }
  }

  async #runOne(job: JobRow): Promise<void> {
    const { measure, planner, originals, onStart, onEnd } = this.#options;
    onStart?.(job);
    const renewing = setInterval(
      () => renewJob(this.#store, job.id, this.#owner, leaseUntil()),
      RENEW_MS,
    );
    try {
      const end = await runJob(this.#store, job, {
        measure: measure(),
        planner: planner(),
        originals,
        owner: this.#owner,
      });
      if (end !== undefined) onEnd?.(job, end);
    } finally {
      clearInterval(renewing);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function leaseUntil(): string {
  return new Date(Date.now() + LEASE_MS).toISOString();
}
