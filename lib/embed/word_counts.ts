/** Slots of the table, a power of 2; at 3/4 it starts over. */
const SLOTS = 1 << 18;
const ENTRIES_MAX = SLOTS * 3 / 4;

/**
 * Remembers how many tokens a word has, by a 64-bit fingerprint of the word.
 *
 * Looking a word up makes no string, which is what counting spends its time on. Two words of one
 * fingerprint would share a count; among two hundred thousand words that has a chance of 1 in 10^9.
 */
export class WordCounts {
  /** First and second half of the fingerprint of each entry. */
  readonly #prints: Int32Array = new Int32Array(2 * SLOTS);
  /** Count of each entry; 0 for a free slot. */
  readonly #counts: Uint16Array = new Uint16Array(SLOTS);
  #size = 0;

  /** Count of a word, or 0 if it is not known. */
  get(print1: number, print2: number): number {
    return this.#counts[this.#slotOf(print1, print2)] ?? 0;
  }

  /** Keeps the count of a word, 1 to 65535. */
  set(print1: number, print2: number, count: number): void {
    if (this.#size >= ENTRIES_MAX) {
      this.#counts.fill(0);
      this.#size = 0;
    }
    const slot = this.#slotOf(print1, print2);
    if (this.#counts[slot] === 0) this.#size++;
    this.#counts[slot] = count;
    this.#prints[2 * slot] = print1;
    this.#prints[2 * slot + 1] = print2;
  }

  /** Slot that holds a fingerprint, or the free one where it belongs. */
  #slotOf(print1: number, print2: number): number {
    let slot = print2 & (SLOTS - 1);
    while (
      this.#counts[slot] !== 0 &&
      (this.#prints[2 * slot] !== print1 ||
        this.#prints[2 * slot + 1] !== print2)
    ) slot = (slot + 1) & (SLOTS - 1);
    return slot;
  }
}
