import type { McpBase } from "./base.ts";
import { readUri } from "./resources.ts";

/** Who wants to hear of changes. */
export interface ChangeListener {
  /** Resources it wants to hear of, by URI; read at every look. */
  readonly uris: () => Iterable<string>;
  /** A resource changed or is gone. */
  readonly onUpdated: (uri: string) => void;
  /** There are other documents than before. */
  readonly onDocuments: () => void;
  /** There are other skills or agents than before. */
  readonly onPrompts: () => void;
}

/** How often the base is looked at while somebody listens. */
const POLL_MS = 300;

/** What a listener was told of last; nothing yet if `mark` is `undefined`. */
interface Seen {
  mark: string | undefined;
  documents: string;
  prompts: string;
  readonly versions: Map<string, string | undefined>;
}

/**
 * Tells listeners what changed in a base, whoever changed it: this process or another. A look costs
 * one number while nothing changes, and no look is taken while nobody listens.
 */
export class ChangeWatcher implements Disposable {
  readonly #kb: McpBase;
  readonly #onError: (error: unknown) => void;
  readonly #pollMs: number;
  readonly #listeners = new Map<ChangeListener, Seen>();
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The look under way, or the last one. */
  #turn: Promise<void> = Promise.resolve();
  /** The look that has not begun. */
  #next: Promise<void> | undefined;
  /** What the last look failed with; a base that is away is told of once. */
  #problem: string | undefined;

  /** Watches an open base; close it before the base. */
  constructor(
    kb: McpBase,
    { onError, pollMs = POLL_MS }: {
      readonly onError: (error: unknown) => void;
      readonly pollMs?: number;
    },
  ) {
    this.#kb = kb;
    this.#onError = onError;
    this.#pollMs = pollMs;
  }

  /** Tells a listener of changes from now on, until the answered function is called. */
  listen(listener: ChangeListener): () => void {
    const versions = new Map<string, string | undefined>();
    const nothing = { mark: undefined, documents: "", prompts: "", versions };
    this.#listeners.set(listener, nothing);
    this.#timer ??= setInterval(() => this.look(), this.#pollMs);
    void this.look();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /**
   * Looks now rather than at the next turn, e.g. after a write. One look is taken at a time, as a
   * base in another process takes a while to answer.
   *
   * @returns When listeners know all that happened before the call.
   */
  look(): Promise<void> {
    this.#next ??= this.#turn.then(() => {
      this.#next = undefined;
      return this.#look();
    });
    this.#turn = this.#next;
    return this.#next;
  }

  /** Stops looking. */
  [Symbol.dispose](): void {
    this.#listeners.clear();
    this.#stop();
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    for (const [listener, seen] of this.#listeners) {
      try {
        await this.#compare(listener, seen);
        this.#problem = undefined;
      } catch (error) {
        const problem = String(error);
        // The base may be closed once nobody listens.
        const isNews = this.#listeners.has(listener) &&
          problem !== this.#problem;
        if (isNews) this.#onError(error);
        this.#problem = problem;
      }
    }
  }

  async #compare(listener: ChangeListener, seen: Seen): Promise<void> {
    const mark = await this.#kb.changeMark();
    if (mark === seen.mark) {
      await this.#noteNew(listener, seen);
      return;
    }
    const { documents, prompts } = await this.#kb.catalogVersions();
    const known = new Map(seen.versions);
    seen.versions.clear();
    await this.#noteNew(listener, seen);
    const isFirst = seen.mark === undefined;
    const before = { ...seen };
    Object.assign(seen, { mark, documents, prompts });
    if (isFirst || !this.#listeners.has(listener)) return;
    for (const [uri, version] of seen.versions) {
      if (known.has(uri) && known.get(uri) !== version) listener.onUpdated(uri);
    }
    if (documents !== before.documents) listener.onDocuments();
    if (prompts !== before.prompts) listener.onPrompts();
  }

  /** Notes how the resources stand that the listener came to want since the last look. */
  async #noteNew(
    listener: ChangeListener,
    { versions }: Seen,
  ): Promise<void> {
    const uris = new Set(listener.uris());
    for (const uri of versions.keys()) if (!uris.has(uri)) versions.delete(uri);
    for (const uri of uris) {
      const ref = versions.has(uri) ? undefined : readUri(uri);
      if (ref !== undefined) {
        versions.set(uri, await this.#kb.versionOf(ref));
      }
    }
  }
}
