import { KbError, override } from "../core/mod.ts";
import type {
  EmbedOptions,
  Engine,
  Kb,
  SearchAnswer,
  SearchOptions,
} from "../kb/mod.ts";
import type { RemoteEngine } from "./engine.ts";

/** Where the daemon of a base comes from. */
export interface DaemonSource {
  /** Gives the one that lives; `undefined` if none does. */
  find(): Promise<RemoteEngine | undefined>;
  /**
   * Starts one unless it lives, and waits for it.
   *
   * @param waitMs Most time to wait.
   * @returns `undefined` if it cannot be started or is not there in time.
   */
  start(waitMs: number): Promise<RemoteEngine | undefined>;
}

/** How long a search waits for a daemon to start and answer, before it answers by word. */
const SEARCH_WAIT_MS = 2_000;
/** How long work that needs the model waits for a daemon to start, before it is done here. */
const WORK_WAIT_MS = 10_000;

const LOADING =
  "The model is being loaded in the background: found by word only; search again in a few seconds to search by meaning too.";

/**
 * Has a daemon do what needs the model, and this process all else. Without a daemon this process does it all; only a
 * search does not wait for the model, unless nothing but meaning is asked for.
 *
 * @param here The base, opened by this process; closed with what is answered.
 * @param source Finds and starts the daemon.
 * @param options How long a search waits for it; default 2 s.
 */
export function withDaemon(
  here: Kb,
  source: DaemonSource,
  { searchWaitMs = SEARCH_WAIT_MS }: { readonly searchWaitMs?: number } = {},
): Engine {
  const daemon = new Daemon(source, searchWaitMs);
  const elsewhere = {
    search: (query: string, options: SearchOptions = {}) =>
      options.retriever === "fts"
        ? here.search(query, options)
        : options.retriever === "vector"
        ? daemon.use(
          options.signal,
          (engine) => engine.search(query, options),
          () => here.search(query, options),
        )
        : daemon.search(here, query, options),
    embed: (options?: EmbedOptions) =>
      daemon.use(
        options?.signal,
        (engine) => engine.embed(options),
        () => here.embed(options),
      ),
    reindex: (options?: EmbedOptions) =>
      daemon.use(
        options?.signal,
        (engine) => engine.reindex(options),
        () => here.reindex(options),
      ),
    updateNote: (...args: Parameters<Kb["updateNote"]>) =>
      daemon.use(
        args[2]?.signal,
        (engine) => engine.updateNote(...args),
        () => here.updateNote(...args),
      ),
    restoreNote: (...args: Parameters<Kb["restoreNote"]>) =>
      daemon.use(
        args[2]?.signal,
        (engine) => engine.restoreNote(...args),
        () => here.restoreNote(...args),
      ),
    close: async (): Promise<void> => {
      await daemon.close();
      await here.close();
    },
    [Symbol.asyncDispose]: (): Promise<void> => elsewhere.close(),
  } satisfies Partial<Engine>;
  return override<Engine>(here, elsewhere);
}

/** The daemon in use; looked for again when it has gone. */
class Daemon {
  readonly #source: DaemonSource;
  readonly #searchWaitMs: number;
  #engine: RemoteEngine | undefined;
  #starting: Promise<RemoteEngine | undefined> | undefined;

  constructor(source: DaemonSource, searchWaitMs: number) {
    this.#source = source;
    this.#searchWaitMs = searchWaitMs;
  }

  /** Does work by the daemon, or here if there is none to be had. */
  async use<T>(
    signal: AbortSignal | undefined,
    work: (engine: RemoteEngine) => Promise<T>,
    here: () => Promise<T>,
  ): Promise<T> {
    for (let tries = 0; tries < 2; tries++) {
      const engine = await this.#get(WORK_WAIT_MS, signal);
      if (engine === undefined) break;
      try {
        return await work(engine);
      } catch (error) {
        // It ended, e.g. as it had nothing to do for long.
        const isGone = error instanceof KbError && error.code === "unreachable";
        if (!isGone) throw error;
        this.#engine = undefined;
      }
    }
    return await here();
  }

  /** Searches by the daemon; by word and here if it is not ready in time. */
  async search(
    here: Kb,
    query: string,
    options: SearchOptions,
  ): Promise<SearchAnswer> {
    // The daemon that is known has its model, and may take its time.
    const isKnown = this.#engine !== undefined;
    const endMs = performance.now() + this.#searchWaitMs;
    const engine = await this.#get(this.#searchWaitMs, options.signal);
    if (engine === undefined && this.#starting === undefined) {
      return await here.search(query, options);
    }
    if (engine !== undefined) {
      // Not cancelled when it is late: it loads the model for the next one.
      const answer = engine.search(query, options).catch((error: unknown) => {
        const isGone = error instanceof KbError && error.code === "unreachable";
        if (!isGone) throw error;
        this.#engine = undefined;
        return undefined;
      });
      answer.catch(() => {});
      const found = isKnown
        ? await answer
        : await within(answer, endMs - performance.now(), options.signal);
      if (found !== undefined) return found;
    }
    const answer = await here.search(query, { ...options, retriever: "fts" });
    return {
      ...answer,
      degraded: ["no_vectors"],
      notes: [...answer.notes, LOADING],
    };
  }

  async close(): Promise<void> {
    await this.#engine?.close();
  }

  async #get(
    waitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<RemoteEngine | undefined> {
    if (this.#engine !== undefined) return this.#engine;
    this.#starting ??= this.#source.start(WORK_WAIT_MS).then((engine) => {
      this.#engine = engine;
      this.#starting = undefined;
      return engine;
    });
    return await within(this.#starting, waitMs, signal);
  }
}

/** Waits for something, but not for long, nor after a signal; `undefined` if it does not come in time. */
async function within<T>(
  wanted: Promise<T>,
  waitMs: number,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: () => void = () => {};
  const late = new Promise<undefined>((resolve, reject) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, waitMs));
    stop = () => reject(new KbError("cancelled", "The call was stopped"));
    if (signal?.aborted === true) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([wanted, late]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}
