import { randomUUID } from "node:crypto";
import { LIMITS } from "../core/mod.ts";
import type { JobEnd, JobRow } from "../store/mod.ts";
import { claimJob, renewJob, returnJob, type Store } from "../store/mod.ts";
import type { Originals } from "./originals.ts";
import type { Planner } from "./planner.ts";
import { runJob } from "./run_job.ts";
import type { Measure } from "./types.ts";

/** How long a job belongs to the process that took it, unless it says it is still at work. */
const LEASE_MS = 60_000;
/** How many times a lease is prolonged while it runs. */
const RENEWALS = 4;
/** How often a runner looks for jobs of other processes. */
const POLL_MS = 1_000;
/** How long the job at hand may go on when the runner is stopped. */
const STOP_MS = 2_000;

/** What a runner needs. */
export interface JobRunnerOptions {
  /** How chunks are measured. */
  readonly measure: () => Measure;
  /** Reads and cuts files; asked for when the first file comes. */
  readonly planner: () => Pick<Planner, "plan">;
  /** Ends the planner, which is at work on a file that is no longer wanted. */
  readonly dropPlanner: () => Promise<void>;
  /** Where uploaded files are. */
  readonly originals: Originals;
  /** How long a job is held without being heard of; default 60 s. */
  readonly leaseMs?: number;
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
  readonly #leaseMs: number;
  #wake: () => void = () => {};
  #stopped = false;
  #running: Promise<void> | undefined;
  #atHand:
    | { readonly id: number; readonly leaving: AbortController }
    | undefined;

  /** Takes the store; nothing runs before {@linkcode JobRunner.start}. */
  constructor(store: Store, options: JobRunnerOptions) {
    this.#store = store;
    this.#options = options;
    this.#leaseMs = options.leaseMs ?? LEASE_MS;
  }

  /** Begins to take jobs. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Has it look for a job now. */
  wake(): void {
    this.#wake();
  }

  /** Leaves a job that was cancelled, if it is the one at hand. */
  leave(id: number): void {
    if (this.#atHand?.id === id) this.#atHand.leaving.abort();
  }

  /** Ends after the job at hand; one that takes longer than 2 s goes back to the queue. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#wake();
    const giveBack = setTimeout(() => this.#giveBack(), STOP_MS);
    await this.#running;
    clearTimeout(giveBack);
  }

  /** Same as {@linkcode JobRunner.stop}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      let job: JobRow | undefined;
      try {
        job = claimJob(this.#store, this.#owner, {
          leaseUntil: this.#leaseUntil(),
          triesMax: LIMITS.jobTries,
        });
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
    const { measure, planner, dropPlanner, originals, onStart, onEnd } =
      this.#options;
    const leaving = new AbortController();
    this.#atHand = { id: job.id, leaving };
    const renewing = setInterval(
      () => this.#renew(job.id),
      this.#leaseMs / RENEWALS,
    );
    try {
      onStart?.(job);
      const end = await runJob(this.#store, job, {
        measure: measure(),
        planner: planner(),
        originals,
        owner: this.#owner,
        signal: leaving.signal,
      });
      if (end !== undefined) onEnd?.(job, end);
    } finally {
      clearInterval(renewing);
      this.#atHand = undefined;
      if (leaving.signal.aborted) await dropPlanner();
    }
  }

  /** Says that a job is still at work; leaves one that is held no more. A base that is busy is asked again. */
  #renew(id: number): void {
    try {
      const until = this.#leaseUntil();
      if (!renewJob(this.#store, id, this.#owner, until)) this.leave(id);
    } catch (error) {
      this.#options.onError?.(error);
    }
  }

  #giveBack(): void {
    if (this.#atHand === undefined) return;
    const { id } = this.#atHand;
    try {
      returnJob(this.#store, id, this.#owner);
    } catch (error) {
      // It is taken up again when its lease is over.
      this.#options.onError?.(error);
    }
    this.leave(id);
  }

  #leaseUntil(): string {
    return new Date(Date.now() + this.#leaseMs).toISOString();
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
