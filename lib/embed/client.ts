import { availableParallelism } from "node:os";
import { KbError, LIMITS, workerUrl } from "../core/mod.ts";
import { type EmbeddingTask, PendingBatch } from "./pending_batch.ts";
import { WorkerSlot } from "./worker_slot.ts";
import { modelUnavailable, type ResolvedModel } from "./registry.ts";
import type {
  Device,
  Embedder,
  EmbeddingBatch,
  EmbedOptions,
} from "./types.ts";

/** Options for {@linkcode openEmbedder}. */
export interface OpenEmbedderOptions {
  /** Most workers, each with a copy of the model (some 200 MB); default one per core but one. */
  readonly workers?: number;
  /** What runs the model; default `auto`. */
  readonly device?: Device;
  /** The worker's module; default `worker.ts` beside `lib/`. */
  readonly workerUrl?: URL;
}

/** A text that stopped its worker this often is given up. */
const TRIES_MAX = 2;

/**
 * Opens an embedder that runs a model in worker threads.
 *
 * Nothing is loaded before the first text; further workers start when several texts wait.
 * Queries go before passages. A worker that stops is replaced and its text tried once more.
 *
 * @param model Files of the model, from `resolveModel()`.
 * @param options Number of workers.
 * @returns An embedder; close it.
 */
export function openEmbedder(
  model: ResolvedModel,
  options: OpenEmbedderOptions = {},
): Embedder {
  return new WorkerEmbedder(model, options);
}

class WorkerEmbedder implements Embedder {
  readonly dims: number;
  readonly modelId: string;
  readonly windowTokens: number;
  readonly #model: ResolvedModel;
  readonly #device: Device;
  readonly #workersMax: number;
  readonly #workerUrl: URL;
  readonly #slots = new Set<WorkerSlot>();
  readonly #queries: EmbeddingTask[] = [];
  readonly #passages: EmbeddingTask[] = [];
  #failedStarts = 0;
  #closed = false;

  constructor(model: ResolvedModel, options: OpenEmbedderOptions) {
    this.#model = model;
    this.dims = model.spec.dims;
    this.modelId = model.spec.id;
    this.windowTokens = model.spec.windowTokens;
    this.#device = options.device ?? "auto";
    this.#workersMax = options.workers ??
      Math.max(1, availableParallelism() - 1);
    this.#workerUrl = options.workerUrl ??
      workerUrl("worker");
  }

  embed(
    texts: readonly string[],
    options: EmbedOptions,
  ): Promise<EmbeddingBatch> {
    if (texts.length < 1 || texts.length > LIMITS.embedTexts) {
      throw new RangeError(
        `Cannot embed ${texts.length} texts: must be 1 to ${LIMITS.embedTexts}`,
      );
    }
    if (texts.some((text) => text === "")) {
      throw new RangeError("Cannot embed an empty text");
    }
    if (this.#closed) {
      return Promise.reject(cancelled("the embedder is closed"));
    }
    if (options.signal?.aborted === true) {
      return Promise.reject(cancelled("it was no longer wanted"));
    }
    const batch = new PendingBatch(texts.length, this.dims, this.modelId);
    const queue = options.role === "query" ? this.#queries : this.#passages;
    for (const [row, text] of texts.entries()) {
      queue.push({ batch, row, text, role: options.role, tries: 0 });
    }
    const drop = () => {
      remove(queue, batch);
      batch.reject(cancelled("it was no longer wanted"));
    };
    options.signal?.addEventListener("abort", drop, { once: true });
    this.#pump();
    return batch.done.finally(() =>
      options.signal?.removeEventListener("abort", drop)
    );
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rejectAll(cancelled("the embedder was closed"));
    const slots = [...this.#slots];
    this.#slots.clear();
    await Promise.all(slots.map((slot) => slot.stop()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** Hands waiting texts to idle workers, and starts a worker if more wait than are coming up. */
  #pump(): void {
    for (const slot of this.#slots) {
      if (!slot.idle) continue;
      const task = this.#queries.shift() ?? this.#passages.shift();
      if (task === undefined) break;
      slot.run(task);
    }
    const waiting = this.#queries.length + this.#passages.length;
    const starting = [...this.#slots].filter((slot) => slot.starting).length;
    if (waiting > starting && this.#slots.size < this.#workersMax) {
      this.#start();
    }
  }

  #start(): void {
    const slot: WorkerSlot = new WorkerSlot(this.#workerUrl, {
      model: this.#model,
      device: this.#device,
    }, {
      onReady: () => this.#pump(),
      onUnavailable: (message) => this.#giveUp(slot, message),
      onStop: (message) => this.#replace(slot, message),
    });
    this.#slots.add(slot);
  }

  /** Ends everything that waits: the model cannot be loaded. A later call tries again. */
  #giveUp(slot: WorkerSlot, message: string): void {
    this.#slots.delete(slot);
    void slot.stop();
    if (this.#slots.size > 0) return;
    this.#rejectAll(
      new KbError("model_unavailable", message, {
        details: { model: this.modelId },
      }),
    );
  }

  /** Takes the place of a worker that stopped by itself. */
  #replace(slot: WorkerSlot, message: string): void {
    if (!this.#slots.delete(slot)) return;
    const { task, starting } = slot;
    void slot.stop();
    if (starting) {
      this.#failedStarts++;
      if (this.#failedStarts >= TRIES_MAX) {
        this.#failedStarts = 0;
        const error = modelUnavailable(
          this.modelId,
          `its worker stops: ${message}`,
        );
        return this.#giveUp(slot, error.message);
      }
    }
    if (task !== undefined && !task.batch.settled) {
      task.tries++;
      if (task.tries >= TRIES_MAX) {
        task.batch.fail(task.row, `The worker stopped: ${message}`);
      } else {(task.role === "query" ? this.#queries : this.#passages).unshift(
          task,
        );}
    }
    this.#pump();
  }

  #rejectAll(error: KbError): void {
    const running = [...this.#slots].flatMap((slot) => slot.task ?? []);
    const tasks = [
      ...this.#queries.splice(0),
      ...this.#passages.splice(0),
      ...running,
    ];
    for (const task of tasks) task.batch.reject(error);
  }
}

function cancelled(fact: string): KbError {
  return new KbError("cancelled", `Cannot embed the texts: ${fact}`);
}

function remove(queue: EmbeddingTask[], batch: PendingBatch): void {
  const kept = queue.filter((task) => task.batch !== batch);
  queue.splice(0, queue.length, ...kept);
}
