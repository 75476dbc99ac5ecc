import { Worker } from "node:worker_threads";

/** How long one small file may take; far above what any takes, so that only one that hangs is ended. */
const HANG_MS = 60_000;

/** Extracts files in a thread that is ended if one hangs. */
export class ExtractGuard implements AsyncDisposable {
  #worker: Worker | undefined;

  /**
   * Extracts a file.
   *
   * @throws {Error} If it hangs, throws what is no `ExtractError`, or gives a document that breaks the
   * rules of all documents.
   */
  async extract(bytes: Uint8Array, name: string): Promise<void> {
    const worker = this.#worker ??= new Worker(
      new URL("./workers/extract_one.ts", import.meta.url),
    );
    let timer: ReturnType<typeof setTimeout> | undefined;
    const flaw = await new Promise<string | undefined>((resolve) => {
      timer = setTimeout(() => resolve("hangs"), HANG_MS);
      worker.once(
        "message",
        (answer: { flaw?: string }) => resolve(answer.flaw),
      );
      worker.once(
        "error",
        (error: Error) => resolve(`ended the thread: ${error.message}`),
      );
      worker.postMessage({ bytes, name });
    });
    clearTimeout(timer);
    worker.removeAllListeners();
    if (flaw === undefined) return;
    await this.#end();
    throw new Error(`extract() of ${name} (${bytes.length} bytes) ${flaw}`);
  }

  async #end(): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }
}
