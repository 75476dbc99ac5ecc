import { KbError } from "../core/mod.ts";
import type { McpBase } from "./base.ts";

/**
 * Makes the missing vectors in the background, one run at a time, so that what was learned is soon
 * found by meaning. Failures are told, never thrown.
 */
export class VectorMaker implements AsyncDisposable {
  readonly #kb: Pick<McpBase, "embed">;
  readonly #onProblem: (text: string) => void;
  readonly #stopping = new AbortController();
  #isWanted = false;
  #run: Promise<void> | undefined;

  /** Works on an open base; end it before the base is closed. */
  constructor(
    kb: Pick<McpBase, "embed">,
    onProblem: (text: string) => void,
  ) {
    this.#kb = kb;
    this.#onProblem = onProblem;
  }

  /** Makes what is missing now, after the run under way if there is one. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    this.#isWanted = true;
    this.#run ??= this.#work().finally(() => {
      this.#run = undefined;
      if (this.#isWanted) this.wake();
    });
  }

  /** Resolves when no run is under way. */
  async whenIdle(): Promise<void> {
    while (this.#run !== undefined) await this.#run;
  }

  /** Stops the run under way; vectors made stay. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isWanted = false;
    this.#stopping.abort();
    await this.whenIdle();
  }

  async #work(): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false;
      // A tool that wakes this is answered first.
      await new Promise((resolve) => setTimeout(resolve, 0));
      try {
        const { failed } = await this.#kb.embed({
          signal: this.#stopping.signal,
        });
        if (failed.length > 0) {
          this.#onProblem(`The model failed on ${failed.length} chunks`);
        }
      } catch (error) {
        if (error instanceof KbError && error.code === "cancelled") continue;
        const message = error instanceof Error ? error.message : String(error);
        this.#onProblem(`Cannot make vectors: ${message}`);
      }
    }
  }
}
