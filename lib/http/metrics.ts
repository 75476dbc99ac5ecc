import type { Status } from "../kb/mod.ts";
import { jobSchema } from "./schemas.ts";
import { BUCKET_SECONDS, type Traffic } from "./traffic.ts";

/** What the metrics are written from. */
export interface Snapshot {
  /** Requests since the start. */
  readonly traffic: Traffic;
  /** What the base holds. */
  readonly status: Status;
  /** Requests at work now. */
  readonly inFlight: number;
  /** Time since the start in ms. */
  readonly uptimeMs: number;
  /** Version of kbdb. */
  readonly version: string;
  /** Memory of the process in bytes, where it is known. */
  readonly residentBytes?: number;
}

/** Labels of a value, by name. */
type Labels = Readonly<Record<string, string>>;

/** One value: what is put after the name of the metric, its labels, and the number. */
interface Sample {
  readonly suffix?: string;
  readonly labels?: Labels;
  readonly value: number;
}

/** One metric of `/metrics`. */
export interface Metric {
  /** Name. */
  readonly name: string;
  /** Type as Prometheus names it. */
  readonly type: "counter" | "gauge" | "histogram";
  /** Labels its values have. */
  readonly labels: readonly string[];
  /** What it counts. */
  readonly help: string;
  /** Its values now. */
  readonly read: (snapshot: Snapshot) => readonly Sample[];
}

/** Every metric, in the order they are written. */
export const METRICS: readonly Metric[] = [
  {
    name: "kbdb_requests_total",
    type: "counter",
    labels: ["method", "path", "status"],
    help: "Requests answered, refused ones too; path is that of the route",
    read: ({ traffic }) =>
      traffic.counts.map(({ method, path, status, count }) => ({
        labels: { method, path, status: String(status) },
        value: count,
      })),
  },
  {
    name: "kbdb_request_duration_seconds",
    type: "histogram",
    labels: ["method", "path"],
    help: "Time from a request to the start of its answer",
    read: ({ traffic }) => traffic.durations.flatMap(toHistogram),
  },
  one(
    "kbdb_requests_in_flight",
    "Requests at work, this one too",
    (now) => now.inFlight,
  ),
  one(
    "kbdb_documents",
    "Documents in the base",
    ({ status }) => status.documents,
  ),
  one("kbdb_chunks", "Chunks in the base", ({ status }) => status.chunks),
  one(
    "kbdb_chunks_pending",
    "Chunks that wait for a vector",
    ({ status }) => status.vectors.pendingChunks,
  ),
  one(
    "kbdb_database_bytes",
    "Size of the database file",
    ({ status }) => status.databaseBytes,
  ),
  {
    name: "kbdb_jobs",
    type: "gauge",
    labels: ["status"],
    help: "Jobs kept in the base",
    read: ({ status: { jobsByStatus } }) =>
      jobSchema.shape.status.options.map((status) => ({
        labels: { status },
        value: jobsByStatus[status] ?? 0,
      })),
  },
  {
    name: "process_resident_memory_bytes",
    type: "gauge",
    labels: [],
    help: "Memory of the process",
    read: ({ residentBytes }) =>
      residentBytes === undefined ? [] : [{ value: residentBytes }],
  },
  one(
    "kbdb_uptime_seconds",
    "Time since the server started",
    (now) => now.uptimeMs / 1000,
  ),
  {
    name: "kbdb_build_info",
    type: "gauge",
    labels: ["version"],
    help: "Always 1; the version is in the label",
    read: ({ version }) => [{ labels: { version }, value: 1 }],
  },
];

/** Writes all metrics in the Prometheus text format. */
export function toPrometheus(snapshot: Snapshot): string {
  const lines = METRICS.flatMap(({ name, type, help, read }) => {
    const samples = read(snapshot);
    return samples.length === 0 ? [] : [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...samples.map(({ suffix = "", labels = {}, value }) =>
        `${name}${suffix}${writeLabels(labels)} ${value}`
      ),
    ];
  });
  return lines.join("\n") + "\n";
}

/** A gauge of one value. */
function one(
  name: string,
  help: string,
  read: (snapshot: Snapshot) => number,
): Metric {
  return {
    name,
    type: "gauge",
    labels: [],
    help,
    read: (snapshot) => [{ value: read(snapshot) }],
  };
}

/** Buckets hold all that is in those before them. */
function toHistogram(
  { method, path, buckets, count, seconds }: Traffic["durations"][number],
): Sample[] {
  const labels = { method, path };
  let below = 0;
  return [
    ...BUCKET_SECONDS.map((le, index) => {
      below += buckets[index] ?? 0;
      return {
        suffix: "_bucket",
        labels: { ...labels, le: String(le) },
        value: below,
      };
    }),
    { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
    { suffix: "_sum", labels, value: seconds },
    { suffix: "_count", labels, value: count },
  ];
}

function writeLabels(labels: Labels): string {
  const parts = Object.entries(labels).map(([name, value]) =>
    `${name}="${
      value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')
        .replaceAll("\n", "\\n")
    }"`
  );
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}
