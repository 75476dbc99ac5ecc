import type { Status } from "../kb/mod.ts";

/** What is noted of a request: nothing it asked for, and no key. */
export interface RequestLog {
  /** Random id, also in the answer's `X-Request-Id`. */
  readonly requestId: string;
  /** Method. */
  readonly method: string;
  /** Path of the route, `{id}` for its parts. */
  readonly path: string;
  /** Status answered. */
  readonly status: number;
  /** Time taken in ms. */
  readonly ms: number;
}

/** Counts requests for `/metrics`. */
export class Traffic {
  readonly #counts = new Map<string, { count: number; ms: number }>();

  /** Notes a request. */
  add({ method, path, status, ms }: RequestLog): void {
    const key = `method="${method}",path="${path}",status="${status}"`;
    const entry = this.#counts.get(key) ?? { count: 0, ms: 0 };
    this.#counts.set(key, { count: entry.count + 1, ms: entry.ms + ms });
  }

  /** Writes all counts in the Prometheus text format. */
  toPrometheus(status: Status): string {
    const { vectors, jobsByStatus } = status;
    const lines = [
      "# TYPE kbdb_requests_total counter",
      ...[...this.#counts].map(([key, { count }]) =>
        `kbdb_requests_total{${key}} ${count}`
      ),
      "# TYPE kbdb_request_seconds_total counter",
      ...[...this.#counts].map(([key, { ms }]) =>
        `kbdb_request_seconds_total{${key}} ${(ms / 1000).toFixed(6)}`
      ),
      "# TYPE kbdb_documents gauge",
      `kbdb_documents ${status.documents}`,
      "# TYPE kbdb_chunks gauge",
      `kbdb_chunks ${status.chunks}`,
      "# TYPE kbdb_chunks_pending gauge",
      `kbdb_chunks_pending ${vectors.pendingChunks}`,
      "# TYPE kbdb_database_bytes gauge",
      `kbdb_database_bytes ${status.databaseBytes}`,
      "# TYPE kbdb_jobs gauge",
      ...Object.entries(jobsByStatus).map(([name, count]) =>
        `kbdb_jobs{status="${name}"} ${count}`
      ),
    ];
    return lines.join("\n") + "\n";
  }
}
