import type { McpBase } from "./base.ts";
import { readUri, type ResourceRef } from "./resources.ts";

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

/** What a listener was told of last. */
interface Seen {
  mark: string;
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
    const seen = { mark: this.#kb.changeMark(), ...this.#catalog(), versions };
    this.#noteNew(listener, seen);
    this.#listeners.set(listener, seen);
    this.#timer ??= setInterval(() => this.look(), this.#pollMs);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#stop();
    };
  }

  /** Looks now rather than at the next turn, e.g. after a write. */
  look(): void {
    for (const [listener, seen] of this.#listeners) {
      try {
        this.#compare(listener, seen);
      } catch (error) {
        this.#onError(error);
      }
    }
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

  #compare(listener: ChangeListener, seen: Seen): void {
    const mark = this.#kb.changeMark();
    if (mark === seen.mark) {
      this.#noteNew(listener, seen);
      return;
    }
    seen.mark = mark;
    const { documents, prompts } = this.#catalog();
    const known = new Map(seen.versions);
    seen.versions.clear();
    this.#noteNew(listener, seen);
    for (const [uri, version] of seen.versions) {
      if (known.has(uri) && known.get(uri) !== version) listener.onUpdated(uri);
    }
    if (documents !== seen.documents) listener.onDocuments();
    if (prompts !== seen.prompts) listener.onPrompts();
    seen.documents = documents;
    seen.prompts = prompts;
  }

  /** Notes how the resources stand that the listener came to want since the last look. */
  #noteNew(listener: ChangeListener, { versions }: Seen): void {
    const uris = new Set(listener.uris());
    for (const uri of versions.keys()) if (!uris.has(uri)) versions.delete(uri);
    for (const uri of uris) {
      const ref = versions.has(uri) ? undefined : readUri(uri);
      if (ref !== undefined) versions.set(uri, this.#versionOf(ref));
    }
  }

  #versionOf(ref: ResourceRef): string | undefined {
    return this.#kb.versionOf(ref);
  }

  #catalog(): { documents: string; prompts: string } {
    const { documents, prompts } = this.#kb.catalogVersions();
    return { documents, prompts };
  }
}
