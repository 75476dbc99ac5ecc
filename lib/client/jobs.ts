import { LIMITS } from "../core/mod.ts";
import type {
  EngineJobs,
  Job,
  ReceivedFile,
  SubmitOptions,
} from "../kb/mod.ts";
import { type Arguments, FILES_PATH, type Result } from "../wire/mod.ts";
import type { Caller } from "./caller.ts";
import { spool } from "./spool.ts";

/** The queue of an engine in another process, which works on the jobs. */
export class RemoteJobs implements EngineJobs {
  readonly #caller: Caller;

  /** Takes who calls. */
  constructor(caller: Caller) {
    this.#caller = caller;
  }

  /** No job runs in this process, so there is nothing to hear of. */
  onChange(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  /** The engine works on jobs by itself. */
  start(): void {}

  /** As {@linkcode EngineJobs.receive}; the file is kept here until all of it has come. */
  receive(
    source: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<ReceivedFile> {
    return spool(source, {
      maxBytes,
      send: (file) => this.#send(file, maxBytes),
    });
  }

  /** As {@linkcode EngineJobs.submitFile}; the file is sent as it comes. */
  async submitFile(
    path: string,
    source: AsyncIterable<Uint8Array>,
    options: SubmitOptions & { readonly maxBytes?: number } = {},
  ): Promise<Job> {
    const { maxBytes = LIMITS.uploadBytes, ...labels } = options;
    await this.checkFile(path, labels);
    const received = await this.#send(source, maxBytes);
    try {
      return await this.submitReceived(path, received, labels);
    } catch (error) {
      await this.release([received.sha256]);
      throw error;
    }
  }

  /** As {@linkcode EngineJobs.submitNote}. */
  submitNote(
    ...args: Arguments<"jobs.submitNote">
  ): Promise<Result<"jobs.submitNote">> {
    return this.#caller.call("jobs.submitNote", args);
  }

  /** As {@linkcode EngineJobs.checkFile}. */
  checkFile(
    ...args: Arguments<"jobs.checkFile">
  ): Promise<Result<"jobs.checkFile">> {
    return this.#caller.call("jobs.checkFile", args);
  }

  /** As {@linkcode EngineJobs.submitReceived}. */
  submitReceived(
    ...args: Arguments<"jobs.submitReceived">
  ): Promise<Result<"jobs.submitReceived">> {
    return this.#caller.call("jobs.submitReceived", args);
  }

  /** As {@linkcode EngineJobs.list}. */
  list(...args: Arguments<"jobs.list">): Promise<Result<"jobs.list">> {
    return this.#caller.call("jobs.list", args);
  }

  /** As {@linkcode EngineJobs.get}. */
  get(...args: Arguments<"jobs.get">): Promise<Result<"jobs.get">> {
    return this.#caller.call("jobs.get", args);
  }

  /** As {@linkcode EngineJobs.cancel}. */
  cancel(...args: Arguments<"jobs.cancel">): Promise<Result<"jobs.cancel">> {
    return this.#caller.call("jobs.cancel", args);
  }

  /** As {@linkcode EngineJobs.retry}. */
  retry(...args: Arguments<"jobs.retry">): Promise<Result<"jobs.retry">> {
    return this.#caller.call("jobs.retry", args);
  }

  /** As {@linkcode EngineJobs.sweep}. */
  sweep(...args: Arguments<"jobs.sweep">): Promise<Result<"jobs.sweep">> {
    return this.#caller.call("jobs.sweep", args);
  }

  /** As {@linkcode EngineJobs.release}. */
  release(...args: Arguments<"jobs.release">): Promise<Result<"jobs.release">> {
    return this.#caller.call("jobs.release", args);
  }

  #send(
    source: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<ReceivedFile> {
    return this.#caller.send(`${FILES_PATH}?maxBytes=${maxBytes}`, source);
  }
}
