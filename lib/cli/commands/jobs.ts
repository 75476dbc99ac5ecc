import { setTimeout as sleep } from "node:timers/promises";
import { KbError } from "../../core/mod.ts";
import type { Engine, Job } from "../../kb/mod.ts";
import { EXIT_ALL_FAILED, stopped } from "../exit_codes.ts";
import { formatItems, toPrintable } from "../format.ts";
import { type CliIo, type GlobalOptions, writeLines } from "../io.ts";
import { formatAge } from "../output/age.ts";
import type { Column } from "../output/columns.ts";
import { writeListing, writeRecord } from "../output/write.ts";
import { openForReading } from "../session.ts";
import { describePage } from "./documents.ts";

/** Options of `kbdb jobs`. */
export interface JobsOptions extends GlobalOptions {
  /** Only jobs of this status. */
  readonly status?: Job["status"];
  /** Most jobs. */
  readonly limit: number;
  /** Jobs to pass over. */
  readonly offset: number;
  /** Works on the queue until nothing waits. */
  readonly wait?: true;
  /** Shows jobs as they begin and end. */
  readonly follow?: true;
}

/** How often a queue is looked at. */
const LOOK_MS = 200;
const STATUSES = ["queued", "processing"] as const;

const COLUMNS: readonly Column<Job>[] = [
  { name: "id", value: ({ id }) => id, align: "right" },
  {
    name: "status",
    value: ({ status }) => status,
    paint: (text, { status }, { style }) =>
      status === "failed" ? style.bad(text) : text,
  },
  { name: "kind", value: ({ kind }) => kind },
  { name: "name", value: ({ name }) => name },
  { name: "document", value: ({ documentId }) => documentId, align: "right" },
  { name: "attempts", value: ({ attempts }) => attempts, isForPrograms: true },
  { name: "state", value: ({ state }) => state, isForPrograms: true },
  {
    name: "created",
    value: ({ createdAt }) => createdAt,
    text: ({ createdAt }, { nowMs }) => formatAge(createdAt, nowMs),
  },
  { name: "started", value: ({ startedAt }) => startedAt, isForPrograms: true },
  {
    name: "finished",
    value: ({ finishedAt }) => finishedAt,
    isForPrograms: true,
  },
  { name: "error", value: ({ error }) => error },
];

/** Lists jobs; waits for them or follows them if asked. */
export async function list(io: CliIo, options: JobsOptions): Promise<number> {
  await using kb = await openForReading(io, options);
  if (options.follow === true) return await follow(io, kb, options);
  const waited = options.wait === true ? await waitForAll(io, kb) : [];
  const { status, limit, offset } = options;
  const page = await kb.jobs.list({
    limit,
    offset,
    ...(status === undefined ? {} : { status }),
  });
  await writeListing(io, options, {
    json: page,
    rows: page.jobs,
    columns: COLUMNS,
    notes: options.format === "json"
      ? []
      : [describePage(page.jobs.length, page.total, offset, "job")],
  });
  return waited.length > 0 && waited.every(({ status }) => status === "failed")
    ? EXIT_ALL_FAILED
    : 0;
}

/** Works on the queue and answers, once nothing waits any more, what became of the jobs that did. */
async function waitForAll(io: CliIo, kb: Engine): Promise<Job[]> {
  const waiting = new Set<number>();
  await kb.jobs.start();
  for (;;) {
    const open = await listOpen(kb);
    for (const { id } of open.jobs) waiting.add(id);
    if (open.total === 0) break;
    if (io.err.isTTY === true) {
      io.err.write(`\r\x1b[K${formatItems(open.total, "job")} to go`);
    }
    await pause(io, `${formatItems(open.total, "job")} not over stay queued`);
  }
  if (io.err.isTTY === true) io.err.write("\r\x1b[K");
  const over: Job[] = [];
  for (const id of waiting) over.push(await kb.jobs.get(id));
  return over;
}

/**
 * Works on the queue until one job is over.
 *
 * @throws {KbError} `cancelled` if the command is stopped; the job stays queued.
 */
export async function waitForJob(
  io: CliIo,
  kb: Engine,
  id: number,
): Promise<Job> {
  await kb.jobs.start();
  for (;;) {
    const job = await kb.jobs.get(id);
    if (!STATUSES.some((status) => status === job.status)) return job;
    await pause(io, `job ${id} stays queued (kbdb jobs --wait)`);
  }
}

async function listOpen(
  kb: Engine,
): Promise<{ jobs: readonly Job[]; total: number }> {
  const pages = [];
  for (const status of STATUSES) pages.push(await kb.jobs.list({ status }));
  return {
    jobs: pages.flatMap(({ jobs }) => jobs),
    total: pages.reduce((sum, { total }) => sum + total, 0),
  };
}

async function pause({ signal }: CliIo, kept: string): Promise<void> {
  await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
  if (signal.aborted) throw stopped(kept);
}

/** Shows each job that is there, and again each time its status changes. */
async function follow(
  io: CliIo,
  kb: Engine,
  options: JobsOptions,
): Promise<number> {
  if (options.format === "csv" || options.format === "md") {
    throw new KbError(
      "invalid_input",
      `A table has an end and --follow has none; use --format jsonl`,
    );
  }
  const seen = new Map<number, string>();
  while (!io.signal.aborted) {
    const { jobs } = await kb.jobs.list({ limit: options.limit });
    const changed = jobs.filter(({ id, status }) =>
      seen.get(id) !== status &&
      (options.status === undefined || options.status === status)
    );
    for (const { id, status } of jobs) seen.set(id, status);
    if (changed.length > 0) {
      await writeListing(io, {
        ...options,
        format: options.format === "json" ? "jsonl" : options.format,
      }, {
        rows: changed.toReversed(),
        columns: COLUMNS,
        text: () => changed.toReversed().map(describe),
      });
    }
    await sleep(LOOK_MS, undefined, { signal: io.signal }).catch(() => {});
  }
  return 0;
}

function describe({ id, status, name, error }: Job): string {
  const why = error === null ? "" : `: ${error}`;
  return toPrintable(`${id}  ${status}  ${name}${why}`);
}

/** Shows what is known of a job. */
export async function show(
  io: CliIo,
  id: number,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeJob(io, options, await kb.jobs.get(id));
  return 0;
}

/** Cancels a job that is not over. */
export async function cancel(
  io: CliIo,
  id: number,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeJob(io, options, await kb.jobs.cancel(id));
  return 0;
}

/** Queues a job again. */
export async function retry(
  io: CliIo,
  id: number,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeJob(io, options, await kb.jobs.retry(id));
  if (options.format === "text") {
    writeLines(io.err, [
      "note: it is worked on by a server that runs, or by: kbdb jobs --wait",
    ]);
  }
  return 0;
}

async function writeJob(
  io: CliIo,
  options: GlobalOptions,
  job: Job,
): Promise<void> {
  await writeRecord(io, options, {
    json: job,
    facts: Object.entries(job).map(([name, value]) => ({ name, value })),
  });
}
