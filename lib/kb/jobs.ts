import { type JsonObject, KbError, LIMITS } from "../core/mod.ts";
import {
  type FileJob,
  JobRunner,
  type Measure,
  type NoteJob,
  type Originals,
  type Planner,
  type ReceivedFile,
} from "../ingest/mod.ts";
import {
  countWaitingJobs,
  endJob,
  findDocumentsBy,
  findJob,
  insertJob,
  type JobRow,
  type JobStatus,
  listJobs,
  listUnfinishedJobs,
  requeueJob,
  type Store,
} from "../store/mod.ts";
import { checkLabels } from "./labels.ts";

/** How often uploads that came to nothing are looked for. */
const SWEEP_MS = 60 * 60 * 1000;

/** What a submitted file or note gets. */
export interface SubmitOptions {
  /** Title. */
  readonly title?: string;
  /** Tags. */
  readonly tags?: readonly string[];
  /** Collection; default `documents`. */
  readonly collection?: string;
}

/** One queued piece of ingestion, as users see it. */
export type Job = Omit<JobRow, "payload">;

/** One page of jobs. */
export interface JobPage {
  /** Newest first. */
  readonly jobs: readonly Job[];
  /** Jobs that match in all. */
  readonly total: number;
}

/** What a queue needs of its base. */
export interface JobQueueOptions {
  /** How chunks are measured. */
  readonly measure: () => Measure;
  /** Opens a planner in a thread of its own. */
  readonly openPlanner: () => Planner;
  /** Where uploaded files are kept. */
  readonly originals: Originals;
}

/**
 * The queue of a base: what is to be taken in, kept in the base itself, so that it outlives a crash.
 * Jobs run while a process of the base has called {@linkcode JobQueue.start}.
 */
export class JobQueue implements AsyncDisposable {
  readonly #store: Store;
  readonly #options: JobQueueOptions;
  readonly #listeners = new Set<(job: Job) => void>();
  #runner: JobRunner | undefined;
  #planner: Planner | undefined;
  #sweeping: ReturnType<typeof setInterval> | undefined;

  /** Takes the base's store; nothing runs yet. */
  constructor(store: Store, options: JobQueueOptions) {
    this.#store = store;
    this.#options = options;
  }

  /**
   * Queues a note.
   *
   * @throws {KbError} `invalid_input` if it is blank or too long, or a tag or collection is none;
   * `busy` if too many jobs wait.
   */
  submitNote(
    text: string,
    options: SubmitOptions & { readonly docid?: string } = {},
  ): Job {
    if (text.trim() === "") {
      throw new KbError("invalid_input", "Cannot add the note: it has no text");
    }
    if (text.length > LIMITS.noteChars) {
      throw new KbError(
        "invalid_input",
        `Cannot add the note: it has ${text.length} characters, the limit is ${LIMITS.noteChars}; add it as a file`,
      );
    }
    const { title = "" } = options;
    const payload: NoteJob = { ...options, text };
    return this.#submit("note", title, payload, options);
  }

  /**
   * Receives a file as its bytes come and queues it.
   *
   * @param path Name, or relative path: a file of a path that is known updates its document.
   * @throws {KbError} `invalid_input` if it has no name, is empty or too large, or a tag or
   * collection is none; `busy` if too many jobs wait.
   */
  async submitFile(
    path: string,
    source: AsyncIterable<Uint8Array>,
    options: SubmitOptions & { readonly maxBytes?: number } = {},
  ): Promise<Job> {
    const { maxBytes = LIMITS.uploadBytes, ...labels } = options;
    checkLabels(labels);
    const name = cleanPath(path);
    const received = await this.receive(source, maxBytes);
    return this.submitReceived(name, received, labels);
  }

  /**
   * Receives a file as its bytes come, to be submitted; a file that is not is removed by the next sweep.
   *
   * @throws {KbError} `invalid_input` if it has more than `maxBytes`.
   */
  receive(
    source: AsyncIterable<Uint8Array>,
    maxBytes: number,
  ): Promise<ReceivedFile> {
    return this.#options.originals.receive(source, maxBytes);
  }

  /**
   * Says whether a file that is not here yet could be queued.
   *
   * @throws {KbError} `invalid_input` if it has no name, or a tag or collection is none.
   */
  checkFile(path: string, options: SubmitOptions = {}): void {
    checkLabels(options);
    cleanPath(path);
  }

  /** Queues a file that was received. */
  submitReceived(
    path: string,
    { sha256, sizeBytes }: ReceivedFile,
    options: SubmitOptions = {},
  ): Job {
    const name = cleanPath(path);
    const payload: FileJob = { ...options, path: name, sha256, sizeBytes };
    return this.#submit("file", name, payload, options);
  }

  /**
   * Lists jobs, newest first.
   *
   * @throws {RangeError} If `limit` or `offset` is out of range.
   */
  list(
    { status, limit = 50, offset = 0 }: {
      readonly status?: JobStatus;
      readonly limit?: number;
      readonly offset?: number;
    } = {},
  ): JobPage {
    if (!(limit >= 1 && limit <= LIMITS.jobs && offset >= 0)) {
      throw new RangeError(
        `Cannot list jobs: limit is ${limit}, must be 1 to ${LIMITS.jobs}; offset is ${offset}, must be >= 0`,
      );
    }
    const where = status === undefined ? {} : { status };
    return this.#store.read(() => {
      const { jobs, total } = listJobs(this.#store, {
        ...where,
        limit,
        offset,
      });
      return { jobs: jobs.map(toJob), total };
    });
  }

  /**
   * Gets a job.
   *
   * @throws {KbError} `not_found` if there is none.
   */
  get(id: number): Job {
    return toJob(this.#row(id));
  }

  /**
   * Cancels a job that is not over; one that is being worked on stores nothing.
   *
   * @throws {KbError} `not_found` if there is none; `conflict` if it is over.
   */
  cancel(id: number): Job {
    const job = this.#change(
      id,
      ["queued", "processing"],
      () => endJob(this.#store, id, { status: "cancelled" }),
    );
    this.#runner?.leave(id);
    return job;
  }

  /**
   * Queues a job again that failed or was cancelled.
   *
   * @throws {KbError} `not_found` if there is none; `conflict` if it is in another state.
   */
  retry(id: number): Job {
    const job = this.#change(
      id,
      ["failed", "cancelled"],
      () => requeueJob(this.#store, id),
    );
    this.#runner?.wake();
    return job;
  }

  /** Calls a listener for each job of this process that begins, ends or is cancelled. */
  onChange(listener: (job: Job) => void): Disposable {
    this.#listeners.add(listener);
    return {
      [Symbol.dispose]: () => void this.#listeners.delete(listener),
    };
  }

  /** Begins to work on jobs, those of a process that crashed too. */
  start(onError?: (error: unknown) => void): void {
    if (this.#runner !== undefined) return;
    this.sweep();
    this.#sweeping = setInterval(() => this.#trySweep(onError), SWEEP_MS);
    let replaced: string[] = [];
    this.#runner = new JobRunner(this.#store, {
      measure: this.#options.measure,
      originals: this.#options.originals,
      planner: () => this.#planner ??= this.#options.openPlanner(),
      dropPlanner: () => this.#dropPlanner(),
      onStart: (job) => {
        replaced = this.#hashesAt(job);
        this.#tell(job.id);
      },
      onEnd: ({ id }) => {
        this.release(replaced);
        this.#tell(id);
      },
      ...(onError === undefined ? {} : { onError }),
    });
    this.#runner.start();
  }

  /** Ends after the job at hand, which goes back to the queue if it takes longer than 2 s. */
  async stop(): Promise<void> {
    clearInterval(this.#sweeping);
    await this.#runner?.stop();
    this.#runner = undefined;
    await this.#dropPlanner();
  }

  /** Same as {@linkcode JobQueue.stop}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  /** Removes the uploaded files that neither a document nor a job needs any more. */
  sweep(): number {
    return this.#options.originals.sweep(this.#wanted());
  }

  /** Removes those of some uploaded files that neither a document nor a job needs any more. */
  release(hashes: readonly string[]): void {
    const { originals } = this.#options;
    const held = hashes.filter((hash) => originals.has(hash));
    if (held.length === 0) return;
    const isWanted = this.#wanted();
    for (const hash of held) if (!isWanted(hash)) originals.remove(hash);
  }

  #trySweep(onError: (error: unknown) => void = () => {}): void {
    try {
      this.sweep();
    } catch (error) {
      onError(error);
    }
  }

  async #dropPlanner(): Promise<void> {
    const planner = this.#planner;
    this.#planner = undefined;
    await planner?.[Symbol.asyncDispose]();
  }

  /** Hashes of the files that a job may replace, its own among them if it comes to nothing. */
  #hashesAt({ payload: { path, sha256 } }: JobRow): string[] {
    if (typeof path !== "string" || typeof sha256 !== "string") return [];
    const known = findDocumentsBy(this.#store, "source_path", path);
    return [sha256, ...known.map(({ contentHash }) => contentHash)];
  }

  #wanted(): (sha256: string) => boolean {
    const waiting = new Set(
      listUnfinishedJobs(this.#store).map(({ payload }) => payload["sha256"]),
    );
    return (sha256) =>
      waiting.has(sha256) ||
      findDocumentsBy(this.#store, "content_hash", sha256).length > 0;
  }

  #submit(
    kind: string,
    name: string,
    payload: NoteJob | FileJob,
    options: SubmitOptions,
  ): Job {
    checkLabels(options);
    const id = this.#store.write(() => {
      if (countWaitingJobs(this.#store) >= LIMITS.jobsQueued) {
        throw new KbError(
          "busy",
          `${LIMITS.jobsQueued} jobs wait already: try again`,
        );
      }
      return insertJob(this.#store, {
        kind,
        name: name.slice(0, LIMITS.titleChars).toWellFormed(),
        payload: payload as unknown as JsonObject,
      });
    });
    this.#runner?.wake();
    return this.get(id);
  }

  #row(id: number): JobRow {
    const row = findJob(this.#store, id);
    if (row === undefined) {
      throw new KbError("not_found", `There is no job ${id}`, {
        details: { id },
      });
    }
    return row;
  }

  #change(
    id: number,
    from: readonly JobStatus[],
    change: () => void,
  ): Job {
    const job = this.#store.write(() => {
      const { status } = this.#row(id);
      if (!from.includes(status)) {
        throw new KbError(
          "conflict",
          `Job ${id} is ${status}; only one that is ${
            from.join(" or ")
          } can be changed so`,
          { details: { id, status } },
        );
      }
      change();
      return this.get(id);
    });
    this.#tell(id);
    return job;
  }

  #tell(id: number): void {
    const row = findJob(this.#store, id);
    if (row === undefined) return;
    for (const listener of this.#listeners) listener(toJob(row));
  }
}

function toJob({ payload: _, ...job }: JobRow): Job {
  return job;
}

/**
 * Brings the name of a file into a form that is data only: no drive, no leading slash, no dots that
 * lead out.
 *
 * @throws {KbError} `invalid_input` if nothing is left or it is too long.
 */
function cleanPath(path: string): string {
  const parts = path.replaceAll("\\", "/").toWellFormed().replace(
    /\p{Cc}/gu,
    "",
  )
    .replace(/^[A-Za-z]:/, "").split("/")
    .filter((part) => part !== "" && part !== "." && part !== "..");
  const name = parts.join("/");
  if (name === "" || name.length > LIMITS.titleChars) {
    throw new KbError(
      "invalid_input",
      `Cannot take the file: its name must have 1 to ${LIMITS.titleChars} characters`,
    );
  }
  return name;
}
