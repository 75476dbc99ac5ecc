import type { DocumentId, JsonObject } from "../core/mod.ts";
import type { Store } from "./driver.ts";

/** Where a job stands. */
export type JobStatus =
  | "queued"
  | "processing"
  | "done"
  | "failed"
  | "skipped"
  | "cancelled";

/** One queued piece of ingestion. */
export interface JobRow {
  /** Integer id, never reused. */
  readonly id: number;
  /** What is to be taken in. */
  readonly kind: string;
  /** File name, or title of a note. */
  readonly name: string;
  /** Where it stands. */
  readonly status: JobStatus;
  /** What it needs; emptied of texts once it is over. */
  readonly payload: JsonObject;
  /** Document it made or found, while that is there. */
  readonly documentId: DocumentId | null;
  /** Times it was begun. */
  readonly attempts: number;
  /** State of the file at the end, e.g. `indexed`, `too_large`. */
  readonly state: string | null;
  /** Why it failed or was skipped. */
  readonly error: string | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; when it was begun last. */
  readonly startedAt: string | null;
  /** ISO 8601 UTC. */
  readonly finishedAt: string | null;
}

interface RawJob extends Omit<JobRow, "payload"> {
  readonly payload: string;
}

const COLUMNS =
  `id, kind, name, status, payload, document_id AS documentId, attempts, state, error,
  created_at AS createdAt, started_at AS startedAt, finished_at AS finishedAt`;

function toJob(raw: RawJob): JobRow {
  return { ...raw, payload: JSON.parse(raw.payload) };
}

/** Puts a job at the end of the queue. */
export function insertJob(
  store: Store,
  job: Pick<JobRow, "kind" | "name" | "payload">,
): number {
  return store.run(
    "INSERT INTO jobs(kind, name, payload, created_at) VALUES (?, ?, ?, ?)",
    job.kind,
    job.name,
    JSON.stringify(job.payload),
    store.now(),
  ).rowid;
}

/** Finds a job. */
export function findJob(store: Store, id: number): JobRow | undefined {
  const raw = store.get<RawJob>(
    `SELECT ${COLUMNS} FROM jobs WHERE id = CAST(? AS INTEGER)`,
    id,
  );
  return raw === undefined ? undefined : toJob(raw);
}

/** Lists jobs, newest first, and how many there are in all. */
export function listJobs(
  store: Store,
  { status, limit, offset }: {
    readonly status?: JobStatus;
    readonly limit: number;
    readonly offset: number;
  },
): { jobs: JobRow[]; total: number } {
  const where = status === undefined ? "1" : "status = ?";
  const values = status === undefined ? [] : [status];
  const jobs = store.all<RawJob>(
    `SELECT ${COLUMNS} FROM jobs WHERE ${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
    ...values,
    limit,
    offset,
  ).map(toJob);
  const total = store.get<{ n: number }>(
    `SELECT count(*) AS n FROM jobs WHERE ${where}`,
    ...values,
  )?.n ?? 0;
  return { jobs, total };
}

/** Counts the jobs that are not over. */
export function countWaitingJobs(store: Store): number {
  return store.get<{ n: number }>(
    "SELECT count(*) AS n FROM jobs WHERE status IN ('queued', 'processing')",
  )?.n ?? 0;
}

/** Lists the jobs that may still need what they were given: waiting, failed or cancelled. */
export function listUnfinishedJobs(store: Store): JobRow[] {
  return store.all<RawJob>(
    `SELECT ${COLUMNS} FROM jobs WHERE status IN ('queued', 'processing', 'failed', 'cancelled')`,
  ).map(toJob);
}

/**
 * Takes the oldest job that waits, or one whose lease ran out, for a process. One that was begun `triesMax` times and
 * never came to an end has failed: whatever ends the process each time would do so for ever.
 *
 * @returns The job, `processing`; `undefined` if none waits.
 */
export function claimJob(
  store: Store,
  owner: string,
  { leaseUntil, triesMax }: {
    readonly leaseUntil: string;
    readonly triesMax: number;
  },
): JobRow | undefined {
  // Looking takes no lock, so that idle processes do not keep each other from writing.
  if (findNextJob(store) === undefined) return undefined;
  return store.write(() => {
    let next = findNextJob(store);
    while (next !== undefined && next.isLeft && next.attempts >= triesMax) {
      endJob(store, next.id, {
        status: "failed",
        error: `The process ended each of the ${next.attempts} times ` +
          "it was at work on this: try again when the reason is gone",
      });
      next = findNextJob(store);
    }
    if (next === undefined) return undefined;
    store.run(
      `UPDATE jobs SET status = 'processing', owner = ?, lease_until = ?, started_at = ?,
        attempts = attempts + 1, error = NULL WHERE id = ?`,
      owner,
      leaseUntil,
      store.now(),
      next.id,
    );
    return findJob(store, next.id);
  });
}

/** The job to be taken next; `isLeft` says that a process began it and did not end it. */
function findNextJob(
  store: Store,
): { id: number; attempts: number; isLeft: number } | undefined {
  return store.get(
    `SELECT id, attempts, status = 'processing' AS isLeft FROM jobs
      WHERE status IN ('queued', 'processing') AND (status = 'queued' OR lease_until < ?)
      ORDER BY id LIMIT 1`,
    store.now(),
  );
}

/** Puts a job that was begun back into the queue, as if it had not been. */
export function returnJob(store: Store, id: number, owner: string): void {
  store.write(() =>
    store.run(
      `UPDATE jobs SET status = 'queued', attempts = attempts - 1, owner = NULL, lease_until = NULL,
        started_at = NULL WHERE id = ? AND owner = ? AND status = 'processing'`,
      id,
      owner,
    )
  );
}

/** Prolongs a lease; answers whether the job is still the owner's. */
export function renewJob(
  store: Store,
  id: number,
  owner: string,
  leaseUntil: string,
): boolean {
  return store.write(() =>
    store.run(
      `UPDATE jobs SET lease_until = ? WHERE id = ? AND owner = ? AND status = 'processing'`,
      leaseUntil,
      id,
      owner,
    ).changes > 0
  );
}

/** Says whether a job is being worked on by an owner. Call inside the write that stores its outcome. */
export function holdsJob(store: Store, id: number, owner: string): boolean {
  return store.get(
    "SELECT 1 FROM jobs WHERE id = ? AND owner = ? AND status = 'processing'",
    id,
    owner,
  ) !== undefined;
}

/** How a job ended. */
export interface JobEnd {
  /** Any status that is over, or `queued` to be tried again. */
  readonly status: JobStatus;
  /** State of the file. */
  readonly state?: string;
  /** Why it ended so. */
  readonly error?: string;
  /** Document it made or found. */
  readonly documentId?: DocumentId;
  /** What it needs from now on. */
  readonly payload?: JsonObject;
}

/** Notes how a job ended. Call inside a write. */
export function endJob(store: Store, id: number, end: JobEnd): void {
  store.run(
    `UPDATE jobs SET status = ?, state = ?, error = ?, owner = NULL, lease_until = NULL,
      document_id = COALESCE(?, document_id), payload = COALESCE(?, payload),
      finished_at = CASE ? WHEN 'queued' THEN NULL ELSE ? END WHERE id = ?`,
    end.status,
    end.state ?? null,
    end.error ?? null,
    end.documentId ?? null,
    end.payload === undefined ? null : JSON.stringify(end.payload),
    end.status,
    store.now(),
    id,
  );
}

/** Puts a job back into the queue as if it were new. Call inside a write. */
export function requeueJob(store: Store, id: number): void {
  store.run(
    `UPDATE jobs SET status = 'queued', attempts = 0, error = NULL, state = NULL,
      started_at = NULL, finished_at = NULL WHERE id = ?`,
    id,
  );
}
