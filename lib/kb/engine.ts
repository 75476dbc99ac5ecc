import type { JobQueue } from "./jobs.ts";
import type { Kb } from "./kb.ts";

/** What a method of an engine gives: now, or once it has come from another process. */
export type Answer<R> = Awaited<R> | Promise<Awaited<R>>;

/** The same methods, but each may answer later. */
export type Asynchronous<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Answer<R>
    : never;
};

/** The queue of an engine. What it says of jobs of "this process" holds for that of the engine's user. */
export interface EngineJobs extends
  Asynchronous<
    Omit<JobQueue, "onChange" | "stop" | typeof Symbol.asyncDispose>
  > {
  /** As {@linkcode JobQueue.onChange}. */
  onChange: JobQueue["onChange"];
}

/**
 * A base, wherever it is: opened by this process (a {@linkcode Kb} is one), or by another that is asked over
 * HTTP. Every front end works on this, and awaits every call.
 *
 * A new method of the facade is a method of this at once; what asks over HTTP does not compile until it has it.
 */
export interface Engine
  extends
    Asynchronous<Omit<Kb, "jobs" | "close" | typeof Symbol.asyncDispose>>,
    AsyncDisposable {
  /** Files and notes that wait to be taken in. */
  readonly jobs: EngineJobs;
  /** Ends the connection to the base; what was opened by this process is closed. */
  close(): Promise<void>;
}
