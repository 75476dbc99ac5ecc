/** Numbers that look random and are the same in every run. */
export class Random {
  #state: number;
  #spare: number | undefined;

  /** Starts the sequence of a seed. */
  constructor(seed: number) {
    // Neighbouring seeds must not give neighbouring sequences.
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** The next number, 0 to below 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** An integer from `low` to `high`, both possible. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** A number of the normal distribution with mean 0 and deviation 1. */
  normal(): number {
    const spare = this.#spare;
    this.#spare = undefined;
    if (spare !== undefined) return spare;
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    const angle = 2 * Math.PI * this.next();
    this.#spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  }
}
