import { Worker } from "node:worker_threads";
import type { EmbeddingTask } from "./pending_batch.ts";
import type { FromWorker, ToWorker } from "./protocol.ts";
import type { ResolvedModel } from "./registry.ts";
import type { Device } from "./types.ts";

/** What the owner of a worker wants to know. */
export interface WorkerSlotEvents {
  /** It can take a text. */
  readonly onReady: () => void;
  /** It lives, but cannot load the model. */
  readonly onUnavailable: (message: string) => void;
  /** It stopped by itself. */
  readonly onStop: (message: string) => void;
}

/** One worker thread and the text it works on. Keeps the process alive only while it works. */
export class WorkerSlot {
  readonly #worker: Worker;
  readonly #events: WorkerSlotEvents;
  #state: "starting" | "idle" | "busy" | "stopped" = "starting";
  #task: EmbeddingTask | undefined;

  /** Starts a worker and has it load the model. */
  constructor(
    url: URL,
    load: { readonly model: ResolvedModel; readonly device: Device },
    events: WorkerSlotEvents,
  ) {
    this.#events = events;
    this.#worker = new Worker(url);
    this.#worker.on("message", (message: FromWorker) => this.#receive(message));
    this.#worker.on("error", (error: unknown) => {
      this.#stopped(error instanceof Error ? error.message : String(error));
    });
    this.#worker.on(
      "exit",
      (code: number) => this.#stopped(`exit code ${code}`),
    );
    this.#send({ type: "load", ...load });
  }

  /** Whether it can take a text now. */
  get idle(): boolean {
    return this.#state === "idle";
  }

  /** Whether it is still loading the model, or stopped doing so. */
  get starting(): boolean {
    return this.#task === undefined && this.#state !== "idle";
  }

  /** The text it works on. */
  get task(): EmbeddingTask | undefined {
    return this.#task;
  }

  /** Gives it a text; only when `idle`. */
  run(task: EmbeddingTask): void {
    this.#state = "busy";
    this.#task = task;
    this.#worker.ref();
    this.#send({ type: "embed", text: task.text, role: task.role });
  }

  /** Ends the thread; no event follows. */
  async stop(): Promise<void> {
    this.#state = "stopped";
    await this.#worker.terminate();
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #receive(message: FromWorker): void {
    if (this.#state === "stopped") return;
    if (message.type === "unavailable") {
      return this.#events.onUnavailable(message.message);
    }
    const task = this.#task;
    this.#task = undefined;
    this.#state = "idle";
    this.#worker.unref();
    if (task !== undefined) {
      if (message.type === "vector") {
        task.batch.set(task.row, message.vector, message.cut);
      } else if (message.type === "failed") {
        task.batch.fail(task.row, message.message);
      }
    }
    this.#events.onReady();
  }

  #stopped(message: string): void {
    if (this.#state === "stopped") return;
    this.#events.onStop(message);
    this.#state = "stopped";
  }
}
