import { randomUUID } from "node:crypto";
import { KbError, LIMITS } from "../core/mod.ts";
import type {
  EngineJobs,
  Job,
  ReceivedFile,
  SubmitOptions,
} from "../kb/mod.ts";

/** How long an upload may take from its start before it is given up. */
const EXPIRE_MS = 10 * 60 * 1000;

/** The part of a queue that uploads need. */
export type UploadQueue = Pick<
  EngineJobs,
  "checkFile" | "receive" | "release" | "submitReceived"
>;

/** A file that comes in parts. */
interface Upload {
  readonly owner: string;
  readonly name: string;
  readonly totalBytes: number;
  readonly labels: SubmitOptions;
  readonly writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly receiving: Promise<ReceivedFile>;
  receivedBytes: number;
  chunks: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** How uploads are bounded. */
export interface UploadsOptions {
  /** How long one may take from its start; default 10 min. */
  readonly expireMs?: number;
  /** Largest file in bytes, no more than what is indexed, which is the default. */
  readonly maxBytes?: number;
}

/** What is said of an upload that goes on. */
export interface UploadProgress {
  /** Bytes that have come. */
  readonly receivedBytes: number;
  /** Bytes that were announced. */
  readonly totalBytes: number;
  /** Index of the chunk that has to come next, from 0. */
  readonly nextIndex: number;
}

/**
 * Files that agents send in parts. Parts go to disk as they come. An upload belongs to the key that began it,
 * and is given up when it is not finished within 10 minutes or the process ends.
 */
export class Uploads implements AsyncDisposable {
  readonly #jobs: UploadQueue;
  readonly #expireMs: number;
  readonly #maxBytes: number;
  readonly #uploads = new Map<string, Upload>();

  /** Takes the queue that finished uploads go to. */
  constructor(
    jobs: UploadQueue,
    { expireMs = EXPIRE_MS, maxBytes = LIMITS.fileBytes }: UploadsOptions = {},
  ) {
    this.#jobs = jobs;
    this.#expireMs = expireMs;
    this.#maxBytes = Math.min(maxBytes, LIMITS.fileBytes);
  }

  /**
   * Begins an upload.
   *
   * @returns Its random id.
   * @throws {KbError} `invalid_input` if it is too large, or could not be queued at the end; `conflict` if the owner has too many under way.
   */
  async start(
    owner: string,
    name: string,
    totalBytes: number,
    labels: SubmitOptions,
  ): Promise<string> {
    if (totalBytes > this.#maxBytes) {
      throw new KbError(
        "invalid_input",
        `Cannot take "${name}": it has ${totalBytes} bytes, the limit is ${this.#maxBytes}`,
      );
    }
    await this.#jobs.checkFile(name, labels);
    const own = [...this.#uploads.values()].filter((upload) =>
      upload.owner === owner
    );
    if (own.length >= LIMITS.uploads) {
      throw new KbError(
        "conflict",
        `Cannot begin another upload: ${own.length} are under way; finish one first`,
      );
    }
    const id = randomUUID();
    const { readable, writable } = new TransformStream<
      Uint8Array,
      Uint8Array
    >();
    const receiving = Promise.resolve(this.#jobs.receive(readable, totalBytes));
    // Told to whoever sends the next part, or nobody if it is given up.
    receiving.catch(() => {});
    this.#uploads.set(id, {
      owner,
      name,
      totalBytes,
      labels,
      writer: writable.getWriter(),
      receiving,
      receivedBytes: 0,
      chunks: 0,
      timer: this.#expire(id),
    });
    return id;
  }

  /**
   * Takes the next part.
   *
   * @throws {KbError} `not_found` if the owner has no such upload; `invalid_input` if the part is out of order or
   * more than was announced.
   */
  async add(
    owner: string,
    id: string,
    index: number,
    bytes: Uint8Array,
  ): Promise<UploadProgress> {
    const upload = this.#get(owner, id);
    if (index !== upload.chunks) {
      throw new KbError(
        "invalid_input",
        `Cannot take chunk ${index}: chunk ${upload.chunks} has to come next`,
      );
    }
    if (upload.receivedBytes + bytes.length > upload.totalBytes) {
      throw new KbError(
        "invalid_input",
        `Cannot take chunk ${index}: with it there are ${
          upload.receivedBytes + bytes.length
        } bytes, and total_size said ${upload.totalBytes}`,
      );
    }
    upload.chunks++;
    upload.receivedBytes += bytes.length;
    try {
      await upload.writer.write(bytes);
    } catch (error) {
      this.#forget(id, upload);
      throw await reasonOf(upload, error);
    }
    return {
      receivedBytes: upload.receivedBytes,
      totalBytes: upload.totalBytes,
      nextIndex: upload.chunks,
    };
  }

  /**
   * Ends an upload and queues the file.
   *
   * @throws {KbError} `not_found` if the owner has no such upload; `invalid_input` if parts are missing, in which
   * case it goes on.
   */
  async finish(owner: string, id: string): Promise<Job> {
    const upload = this.#get(owner, id);
    const { receivedBytes, totalBytes, chunks } = upload;
    if (receivedBytes !== totalBytes) {
      throw new KbError(
        "invalid_input",
        `Cannot finish the upload: ${receivedBytes} of ${totalBytes} bytes have come; send chunk ${chunks} next`,
      );
    }
    this.#forget(id, upload);
    try {
      await upload.writer.close();
    } catch (error) {
      throw await reasonOf(upload, error);
    }
    const received = await upload.receiving;
    try {
      return await this.#jobs.submitReceived(
        upload.name,
        received,
        upload.labels,
      );
    } catch (error) {
      await this.#jobs.release([received.sha256]);
      throw error;
    }
  }

  /** Gives up all that is under way. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      [...this.#uploads].map(([id, upload]) => this.#giveUp(id, upload)),
    );
  }

  /** The upload; one of another owner is as if it were not there. */
  #get(owner: string, id: string): Upload {
    const upload = this.#uploads.get(id);
    if (upload !== undefined && upload.owner === owner) return upload;
    throw new KbError(
      "not_found",
      `There is no upload "${id}": it was finished, was not within 10 minutes, or was under way when the server stopped; begin again with kb_upload_start`,
    );
  }

  #expire(id: string): ReturnType<typeof setTimeout> {
    return setTimeout(() => {
      const upload = this.#uploads.get(id);
      if (upload !== undefined) void this.#giveUp(id, upload);
    }, this.#expireMs);
  }

  #forget(id: string, { timer }: Upload): void {
    clearTimeout(timer);
    this.#uploads.delete(id);
  }

  async #giveUp(id: string, upload: Upload): Promise<void> {
    this.#forget(id, upload);
    await upload.writer.abort(new Error("The upload was given up"))
      .catch(() => {});
    await upload.receiving.then(
      ({ sha256 }) => this.#jobs.release([sha256]),
      () => {},
    );
  }
}

/** Why an upload takes no more: what became of its file says more than the stream to it. */
function reasonOf({ receiving }: Upload, error: unknown): Promise<unknown> {
  return receiving.then(() => error, (reason: unknown) => reason);
}
