import type { Answer, EmbedReport, Engine, Progress } from "../kb/mod.ts";

/** Where a reindex stands. */
export interface ReindexState {
  /** Whether one runs. */
  readonly status: "idle" | "running" | "done" | "failed";
  /** Chunks done. */
  readonly done: number;
  /** Chunks in all. */
  readonly total: number;
  /** Why the last one failed. */
  readonly error?: string;
}

/** What a server needs to know, and what it keeps between requests. */
export interface ServerSettings {
  /** Version of kbdb. */
  readonly version: string;
  /** Least score of a hit where a search names none. */
  readonly threshold?: number;
  /** Largest upload in bytes. */
  readonly maxUploadBytes: number;
  /** Whether nothing may be written. */
  readonly readOnly: boolean;
  /** Called when the owner of the base asks the server to stop. */
  readonly onStopAsked?: () => void;
}

/** What one server keeps between requests: background work on its base. */
export class ServerState implements AsyncDisposable {
  /** Settings. */
  readonly settings: ServerSettings;
  readonly #kb: Engine;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #reindex: ReindexState = { status: "idle", done: 0, total: 0 };
  #work: Promise<void> = Promise.resolve();
  #embedding: Promise<void> | undefined;
  #embedAgain = false;

  /** Takes the base and what to do about a background fault. */
  constructor(
    kb: Engine,
    settings: ServerSettings,
    onError: (error: unknown) => void,
  ) {
    this.#kb = kb;
    this.settings = settings;
    this.#onError = onError;
  }

  /** Where the reindex stands. */
  get reindex(): ReindexState {
    return this.#reindex;
  }

  /** Whether the server is about to stop. */
  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Aborts when the server is about to stop. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Ends endless answers and background work. */
  drain(): void {
    this.#stopping.abort();
  }

  /** Stops the server because its owner asks for it; its answer goes out before. */
  askToStop(): void {
    setTimeout(() => this.settings.onStopAsked?.(), 10);
  }

  /** Takes a fault that an answer says nothing of. */
  fault(error: unknown): void {
    this.#onError(error);
  }

  /** Makes missing vectors in the background, one run at a time. */
  embedSoon(): void {
    if (this.isStopping) return;
    this.#embedAgain = true;
    this.#embedding ??= this.#embed().finally(() => {
      this.#embedding = undefined;
    });
  }

  /** Starts a reindex in the background unless one runs; answers where it stands. */
  startReindex(): ReindexState {
    if (this.#reindex.status !== "running") {
      this.#reindex = { status: "running", done: 0, total: 0 };
      this.#work = this.#runReindex();
    }
    return this.#reindex;
  }

  /** Stops background work; vectors made stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    await this.#embedding;
  }

  async #embed(): Promise<void> {
    while (this.#embedAgain && !this.#stopping.signal.aborted) {
      this.#embedAgain = false;
      await this.#attempt(this.#kb.embed({ signal: this.#stopping.signal }));
    }
  }

  async #runReindex(): Promise<void> {
    const onProgress = ({ done, total }: Progress) => {
      this.#reindex = { status: "running", done, total };
    };
    const error = await this.#attempt(
      this.#kb.reindex({ signal: this.#stopping.signal, onProgress }),
    );
    const { done, total } = this.#reindex;
    this.#reindex = error === undefined
      ? { status: "done", done, total }
      : { status: "failed", done, total, error };
  }

  /** Awaits background work; a fault is told and its message answered. */
  async #attempt(work: Answer<EmbedReport>): Promise<string | undefined> {
    try {
      await work;
      return undefined;
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.#onError(error);
      return error instanceof Error ? error.message : String(error);
    }
  }
}
