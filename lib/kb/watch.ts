import { type FSWatcher, type Stats, statSync, watch } from "node:fs";
import { basename } from "node:path";
import {
  clearInterval,
  clearTimeout,
  setInterval,
  setTimeout,
} from "node:timers";
import { KbError } from "../core/mod.ts";
import { isTaken } from "../ingest/mod.ts";
import { DATABASE } from "./base_files.ts";
import type { Engine } from "./engine.ts";
import type { SyncOptions } from "./sync_types.ts";
import type { AddReport } from "./types.ts";

/** Time without another change after which a folder is synced. */
const QUIET_MS = 150;
/** Longest time that changes may go on before it is synced all the same. */
const PATIENCE_MS = 1_000;
/** How often a folder is looked at for being another one or gone. */
const ROOT_POLL_MS = 2_000;
/** Shortest time between two syncs that no change asked for, as a system may lose changes. */
const RESCAN_MS = 30_000;
/** Such a sync takes at most this share of the time. */
const RESCAN_SHARE = 1 / 100;

/** How to watch. */
export interface WatchOptions {
  /** Ends the watching. */
  readonly signal: AbortSignal;
  /** Whether vectors are made after changes; default `true`. */
  readonly embeds?: boolean;
  /** Called after each sync of a folder. */
  readonly onSync?: (root: string, report: AddReport) => void;
  /** Called when something could not be done; the watching goes on. */
  readonly onProblem?: (root: string, error: Error) => void;
}

/**
 * Keeps a base in step with folders: syncs each at once, and again whenever something in it changes.
 *
 * Changes that come together are one sync. Text is searchable by word after it, vectors follow. A folder that
 * goes away is reported, and watched again when it is back; its documents stay meanwhile.
 *
 * @param engine The base.
 * @param roots Folders by their real paths, and how to sync each.
 * @returns When `signal` aborts.
 */
export async function watchFolders(
  engine: Engine,
  roots: ReadonlyMap<string, SyncOptions>,
  options: WatchOptions,
): Promise<void> {
  const run = new WatchRun(engine, options);
  await run.watch(roots);
}

/** One call of {@linkcode watchFolders}. */
class WatchRun {
  readonly #engine: Engine;
  readonly #options: WatchOptions;
  readonly #dirty = new Set<string>();
  /** What went wrong last with each folder. */
  readonly #told = new Map<string, string>();
  /** Ends the making of vectors when there is text to store. */
  #embedding: AbortController | undefined;
  #wake: () => void = () => {};

  constructor(engine: Engine, options: WatchOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  async watch(roots: ReadonlyMap<string, SyncOptions>): Promise<void> {
    const { signal } = this.#options;
    const watched = [...roots].map(([path, options]) =>
      new WatchedFolder(path, options, {
        onChange: () => this.#markDirty(path),
        onProblem: (error) => this.#options.onProblem?.(path, error),
      })
    );
    const stop = () => this.#stop();
    signal.addEventListener("abort", stop, { once: true });
    try {
      for (const path of roots.keys()) this.#dirty.add(path);
      while (!signal.aborted) {
        const [path] = this.#dirty;
        if (path === undefined) {
          await this.#rest();
          continue;
        }
        this.#dirty.delete(path);
        const started = performance.now();
        const isDone = await this.#sync(path, roots.get(path) ?? {});
        const tookMs = performance.now() - started;
        watched.find((each) => each.path === path)?.synced({ isDone, tookMs });
        if (this.#dirty.size === 0) await this.#embed(path);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      for (const each of watched) each.close();
    }
  }

  #markDirty(path: string): void {
    this.#dirty.add(path);
    this.#embedding?.abort();
    this.#wake();
  }

  #stop(): void {
    this.#embedding?.abort();
    this.#wake();
  }

  /** Waits for a change or the end. */
  #rest(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (this.#dirty.size > 0 || this.#options.signal.aborted) resolve();
    });
  }

  async #sync(path: string, options: SyncOptions): Promise<boolean> {
    const { signal, onSync } = this.#options;
    return await this.#attempt(path, async () => {
      const report = await this.#engine.sync(path, { ...options, signal });
      onSync?.(path, report);
    });
  }

  async #embed(path: string): Promise<void> {
    if (this.#options.embeds === false || this.#options.signal.aborted) return;
    const embedding = new AbortController();
    this.#embedding = embedding;
    await this.#attempt(
      path,
      async () => void await this.#engine.embed({ signal: embedding.signal }),
    );
    this.#embedding = undefined;
  }

  /** Does something; what goes wrong is told once, as the next change may go right. */
  async #attempt(path: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.#told.delete(path);
      return true;
    } catch (caught) {
      if (caught instanceof KbError && caught.code === "cancelled") return true;
      const error = caught instanceof Error
        ? caught
        : new Error(String(caught));
      if (this.#told.get(path) !== error.message) {
        this.#options.onProblem?.(path, error);
      }
      this.#told.set(path, error.message);
      return false;
    }
  }
}

/** What a watched folder tells. */
interface FolderEvents {
  readonly onChange: () => void;
  readonly onProblem: (error: Error) => void;
}

/** A folder whose changes are gathered until they stop for a moment. */
class WatchedFolder {
  readonly path: string;
  readonly #options: SyncOptions;
  readonly #events: FolderEvents;
  readonly #poll: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #folder: Stats | undefined;
  #quiet: NodeJS.Timeout | undefined;
  #firstMs: number | undefined;
  #nextScanMs = performance.now() + RESCAN_MS;

  constructor(path: string, options: SyncOptions, events: FolderEvents) {
    this.path = path;
    this.#options = options;
    this.#events = events;
    this.#open();
    this.#poll = setInterval(() => this.#look(), ROOT_POLL_MS);
  }

  /** Notes how a sync went: after a long one the next that nobody asks for comes accordingly later. */
  synced(
    { isDone, tookMs }: { readonly isDone: boolean; readonly tookMs: number },
  ): void {
    // A folder that went away and came back may look the same in everything the system tells of it.
    if (!isDone) this.#folder = undefined;
    this.#nextScanMs = performance.now() +
      Math.max(RESCAN_MS, tookMs / RESCAN_SHARE);
  }

  close(): void {
    clearInterval(this.#poll);
    clearTimeout(this.#quiet);
    this.#watcher?.close();
  }

  #open(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#folder = statSync(this.path, { throwIfNoEntry: false });
    if (this.#folder === undefined) return;
    try {
      this.#watcher = watch(
        this.path,
        { recursive: true, persistent: true },
        (_, name) => this.#noteChange(name),
      );
      this.#watcher.on("error", (error) => this.#giveUp(error));
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** The system does not tell of changes; they are found by looking. */
  #giveUp(error: unknown): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    this.#events.onProblem(
      new Error(
        `Changes in "${this.path}" are not told by the system (${reason}); it is looked through every ${
          RESCAN_MS / 1000
        } s instead`,
        { cause: error },
      ),
    );
  }

  /** Looks whether the folder is still the same one, and whether it is time to look through it. */
  #look(): void {
    const now = statSync(this.path, { throwIfNoEntry: false });
    const before = this.#folder;
    if (now?.ino !== before?.ino || now?.dev !== before?.dev) {
      this.#open();
      this.#events.onChange();
    } else if (now !== undefined && performance.now() >= this.#nextScanMs) {
      this.#nextScanMs = performance.now() + RESCAN_MS;
      this.#events.onChange();
    }
  }

  #noteChange(name: string | null): void {
    const isWaiting = this.#firstMs !== undefined;
    // Not every system names the path from the root, so that a name which is not there counts as well.
    if (!isWaiting && name !== null && !this.#isTaken(name)) return;
    const now = performance.now();
    this.#firstMs ??= now;
    clearTimeout(this.#quiet);
    const leftMs = Math.max(0, this.#firstMs + PATIENCE_MS - now);
    this.#quiet = setTimeout(() => {
      this.#firstMs = undefined;
      this.#events.onChange();
    }, Math.min(QUIET_MS, leftMs));
  }

  #isTaken(name: string): boolean {
    // A base in the folder must not have it synced by what it writes itself.
    if (basename(name).startsWith(DATABASE)) return false;
    return isTaken(this.path, name, this.#options);
  }
}
