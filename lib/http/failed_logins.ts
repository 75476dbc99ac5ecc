/** Wrong keys an address may give in a window. */
const FAILURES_MAX = 10;
const WINDOW_MS = 60_000;
/** Most addresses remembered at once. */
const ADDRESSES_MAX = 10_000;

/** Counts the wrong keys of each address, so that keys cannot be tried at speed. */
export class FailedLogins {
  readonly #failures = new Map<string, { count: number; untilMs: number }>();
  readonly #nowMs: () => number;

  /** Takes a clock in ms. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** Seconds an address has to wait before it may give a key again; 0 if it may now. */
  waitSeconds(address: string): number {
    const entry = this.#failures.get(address);
    if (entry === undefined || entry.count < FAILURES_MAX) return 0;
    const leftMs = entry.untilMs - this.#nowMs();
    return leftMs <= 0 ? 0 : Math.ceil(leftMs / 1000);
  }

  /** Notes a wrong key. */
  add(address: string): void {
    const now = this.#nowMs();
    const entry = this.#failures.get(address);
    if (entry !== undefined && entry.untilMs > now) {
      entry.count++;
      return;
    }
    if (this.#failures.size >= ADDRESSES_MAX) {
      for (const [known, { untilMs }] of this.#failures) {
        if (untilMs <= now) this.#failures.delete(known);
      }
      // Rather than grow without bound under an attack from many addresses.
      if (this.#failures.size >= ADDRESSES_MAX) this.#failures.clear();
    }
    this.#failures.set(address, { count: 1, untilMs: now + WINDOW_MS });
  }
}
