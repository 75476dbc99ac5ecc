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

/** Upper bounds of the buckets of the latency histogram, in seconds. */
export const BUCKET_SECONDS: readonly number[] = [
  0.005,
  0.01,
  0.025,
  0.05,
  0.1,
  0.25,
  0.5,
  1,
  2.5,
  5,
  10,
];

/** How many requests of a route were answered with a status. */
interface RequestCount {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly count: number;
}

/** How long the requests of a route took. */
interface Durations {
  readonly method: string;
  readonly path: string;
  /** Requests by the first of {@linkcode BUCKET_SECONDS} that they do not exceed. */
  readonly buckets: readonly number[];
  /** Requests in all. */
  readonly count: number;
  /** Their times in sum. */
  readonly seconds: number;
}

/** Counts requests for `/metrics`. A path is that of a route, so that there are only so many. */
export class Traffic {
  readonly #counts = new Map<string, RequestCount>();
  readonly #durations = new Map<string, Durations>();

  /** Requests by route and status. */
  get counts(): readonly RequestCount[] {
    return [...this.#counts.values()];
  }

  /** Times by route. */
  get durations(): readonly Durations[] {
    return [...this.#durations.values()];
  }

  /** Notes a request. */
  add({ method, path, status, ms }: RequestLog): void {
    const route = `${method} ${path}`;
    const key = `${route} ${status}`;
    const { count = 0 } = this.#counts.get(key) ?? {};
    this.#counts.set(key, { method, path, status, count: count + 1 });
    const before = this.#durations.get(route);
    const buckets = [...before?.buckets ?? BUCKET_SECONDS.map(() => 0)];
    const index = BUCKET_SECONDS.findIndex((bound) => ms / 1000 <= bound);
    if (index >= 0) buckets[index] = (buckets[index] ?? 0) + 1;
    this.#durations.set(route, {
      method,
      path,
      buckets,
      count: (before?.count ?? 0) + 1,
      seconds: (before?.seconds ?? 0) + ms / 1000,
    });
  }
}
