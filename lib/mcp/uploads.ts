import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { KbError, LIMITS } from "../core/mod.ts";
import type { McpBase } from "./base.ts";

/** What is said of a file before its bytes come. */
export interface UploadRequest {
  /** Name, or relative path. */
  readonly filename: string;
  /** Bytes it will have. */
  readonly totalBytes: number;
  /** Tags of its document. */
  readonly tags: readonly string[];
  /** Collection of its document. */
  readonly collection?: string;
}

/** Where an upload stands. */
export interface UploadState {
  /** Its handle. */
  readonly id: string;
  /** Bytes that came. */
  readonly receivedBytes: number;
  /** Bytes it will have. */
  readonly totalBytes: number;
  /** Index of the chunk that comes next, from 0. */
  readonly nextIndex: number;
  /** When it is dropped if it is not finished, ISO 8601 UTC. */
  readonly expiresAt: string;
}

/** A file whose bytes are all there. */
export interface StagedFile extends UploadRequest {
  /** Where its bytes are, until the upload is over. */
  readonly path: string;
}

/** How files that come in chunks are kept. */
export interface UploadsOptions {
  /** Folder of their bytes; asked for when the first upload begins. */
  readonly dir: () => string;
  /** Longest one may take; default 10 minutes. */
  readonly uploadMs?: number;
}

interface Upload {
  readonly id: string;
  readonly caller: string;
  readonly request: UploadRequest;
  readonly path: string;
  readonly expiresAt: string;
  readonly timer: ReturnType<typeof setTimeout>;
  receivedBytes: number;
  nextIndex: number;
  /** What is done to it now; the next thing waits. */
  work: Promise<unknown>;
}

const STAGED = /^upload-[0-9a-f-]{36}$/;

/** The uploads of a base's MCP clients, in a folder of the base. */
export function uploadsOf(
  kb: Pick<McpBase, "status">,
  { uploadMs }: { readonly uploadMs?: number },
): Uploads {
  return new Uploads({
    dir: () => join(kb.status().dir, "uploads"),
    ...(uploadMs === undefined ? {} : { uploadMs }),
  });
}

/**
 * Files that come in chunks. Their bytes are on disk from the first chunk on; nothing of them
 * outlives the upload, its time limit or the server.
 */
export class Uploads implements AsyncDisposable {
  readonly #options: UploadsOptions;
  readonly #uploadMs: number;
  readonly #open = new Map<string, Upload>();
  /** Removals under way. */
  readonly #removals = new Set<Promise<void>>();
  #prepared: Promise<string> | undefined;

  /** Takes the folder; it is made when the first upload begins. */
  constructor(options: UploadsOptions) {
    this.#options = options;
    this.#uploadMs = options.uploadMs ?? LIMITS.uploadMs;
  }

  /**
   * Begins an upload.
   *
   * @throws {KbError} `conflict` if the caller has too many, or too many bytes of them, open.
   */
  async start(caller: string, request: UploadRequest): Promise<UploadState> {
    const dir = await this.#folder();
    this.#checkQuota(caller, request.totalBytes);
    const id = randomUUID();
    const path = join(dir, `upload-${id}`);
    const upload: Upload = {
      id,
      caller,
      request,
      path,
      expiresAt: new Date(Date.now() + this.#uploadMs).toISOString(),
      timer: setTimeout(() => this.#remove(upload), this.#uploadMs),
      receivedBytes: 0,
      nextIndex: 0,
      work: open(path, "wx", 0o600).then((file) => file.close()),
    };
    this.#open.set(id, upload);
    try {
      await upload.work;
    } catch (error) {
      this.#remove(upload);
      throw error;
    }
    return toState(upload);
  }

  /**
   * Writes the next chunk of an upload. A chunk that is refused changes nothing.
   *
   * @param index Its place, from 0; chunks come in order.
   * @throws {KbError} `not_found` if the caller has no such upload; `conflict` if another chunk is
   * next; `invalid_input` if more bytes come than were announced.
   */
  append(
    caller: string,
    id: string,
    { index, bytes }: { readonly index: number; readonly bytes: Uint8Array },
  ): Promise<UploadState> {
    return this.#inTurn(caller, id, async (upload) => {
      if (index !== upload.nextIndex) {
        throw new KbError(
          "conflict",
          `Cannot take chunk ${index}: chunk ${upload.nextIndex} comes next${
            index < upload.nextIndex ? ", those before it are here" : ""
          }`,
        );
      }
      const { totalBytes } = upload.request;
      const end = upload.receivedBytes + bytes.length;
      if (end > totalBytes) {
        throw new KbError(
          "invalid_input",
          `Cannot take chunk ${index}: with its ${bytes.length} bytes the file has ${end}, but total_size is ${totalBytes}; begin again with kb_upload_start if the size was wrong`,
        );
      }
      await writeAt(upload.path, bytes, upload.receivedBytes);
      upload.receivedBytes = end;
      upload.nextIndex++;
      return toState(upload);
    });
  }

  /**
   * Ends an upload whose bytes are all there.
   *
   * @param take Takes the file over; if it fails, the upload stays and can be finished again.
   * @throws {KbError} `not_found` if the caller has no such upload; `conflict` if bytes are missing;
   * what `take` throws.
   */
  finish<Result>(
    caller: string,
    id: string,
    take: (file: StagedFile) => Promise<Result>,
  ): Promise<Result> {
    return this.#inTurn(caller, id, async (upload) => {
      const { request, receivedBytes, nextIndex, path } = upload;
      if (receivedBytes < request.totalBytes) {
        throw new KbError(
          "conflict",
          `Cannot finish: ${receivedBytes} of ${request.totalBytes} bytes are here; send chunk ${nextIndex} next`,
        );
      }
      const result = await take({ ...request, path });
      this.#remove(upload);
      return result;
    });
  }

  /** Drops all uploads and their bytes. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const upload of [...this.#open.values()]) this.#remove(upload);
    await Promise.all(this.#removals);
  }

  /** The folder, made ready once. */
  async #folder(): Promise<string> {
    try {
      return await (this.#prepared ??= this.#prepare());
    } catch (error) {
      this.#prepared = undefined;
      throw error;
    }
  }

  #checkQuota(caller: string, totalBytes: number): void {
    const own = [...this.#open.values()].filter((upload) =>
      upload.caller === caller
    );
    const advice = "finish one, or wait until it expires";
    if (own.length >= LIMITS.uploadsOpen) {
      throw new KbError(
        "conflict",
        `Cannot begin an upload: ${own.length} are open, which is the limit; ${advice}`,
      );
    }
    const bytes = own.reduce((sum, { request }) => sum + request.totalBytes, 0);
    if (bytes + totalBytes > LIMITS.uploadsOpenBytes) {
      throw new KbError(
        "conflict",
        `Cannot begin an upload of ${totalBytes} bytes: those that are open have ${bytes}, the limit is ${LIMITS.uploadsOpenBytes} together; ${advice}`,
      );
    }
  }

  /** Works on an upload when what was begun before is over. */
  #inTurn<Result>(
    caller: string,
    id: string,
    work: (upload: Upload) => Promise<Result>,
  ): Promise<Result> {
    const upload = this.#get(caller, id);
    const turn = upload.work.then(() => work(this.#get(caller, id)));
    // What goes wrong is told to whom it concerns; the next in turn works on.
    upload.work = turn.catch(() => {});
    return turn;
  }

  /** Another caller's upload is told apart from none by nothing. */
  #get(caller: string, id: string): Upload {
    const upload = this.#open.get(id);
    if (upload !== undefined && upload.caller === caller) return upload;
    throw new KbError(
      "not_found",
      `There is no upload "${
        id.slice(0, 60)
      }": it may be finished, or it was not within ${
        Math.round(this.#uploadMs / 60_000)
      } minutes; begin again with kb_upload_start`,
    );
  }

  #remove(upload: Upload): void {
    clearTimeout(upload.timer);
    this.#open.delete(upload.id);
    // A finish that is just taking the bytes over needs them to its end.
    const removal: Promise<void> = upload.work.catch(() => {})
      .then(() => rm(upload.path, { force: true }))
      // What cannot be removed now is when the next process begins its first upload.
      .catch(() => {})
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  /** Makes the folder and removes what a process left there that ended without closing. */
  async #prepare(): Promise<string> {
    const dir = this.#options.dir();
    await mkdir(dir, { recursive: true, mode: 0o700 });
    for (const name of await readdir(dir)) {
      if (!STAGED.test(name)) continue;
      const path = join(dir, name);
      // Another process may have uploads here that are not over.
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: 0 }));
      if (Date.now() - mtimeMs > LIMITS.uploadMs) {
        await rm(path, { force: true });
      }
    }
    return dir;
  }
}

async function writeAt(
  path: string,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  const file = await open(path, "r+");
  try {
    let written = 0;
    while (written < bytes.length) {
      const { bytesWritten } = await file.write(
        bytes,
        written,
        bytes.length - written,
        position + written,
      );
      written += bytesWritten;
    }
  } finally {
    await file.close();
  }
}

function toState(
  { id, request, receivedBytes, nextIndex, expiresAt }: Upload,
): UploadState {
  const { totalBytes } = request;
  return { id, receivedBytes, totalBytes, nextIndex, expiresAt };
}
