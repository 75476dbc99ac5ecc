import { keepPair } from "../text/mod.ts";

/** Characters the keys of an entry may grow by when they are written in snake case. */
const KEY_GROWTH = 8;

/**
 * Counts the characters a value adds to an answer of indented JSON.
 *
 * @param value A part of the answer.
 * @param indent Columns it stands from the left.
 */
export function costOf(value: unknown, indent: number): number {
  const json = JSON.stringify(value, null, 2);
  const lines = json.split("\n").length;
  return json.length + lines * (indent + 1) + 1 + KEY_GROWTH;
}

/** Counts the characters of a text in JSON, its quotes left out. */
export function jsonLength(text: string): number {
  return JSON.stringify(text).length - 2;
}

/** Characters of a code unit in JSON. */
function unitLength(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit >= 0x20) return 1;
  return unit === 0x0a || unit === 0x09 || unit === 0x0d || unit === 0x08 ||
      unit === 0x0c
    ? 2
    : 6;
}

/** Takes the longest start of a text whose JSON has at most so many characters; no pair is cut. */
export function cutToJson(text: string, max: number): string {
  let length = 0;
  let end = 0;
  for (; end < text.length; end++) {
    length += unitLength(text.charCodeAt(end));
    if (length > max) break;
  }
  return text.slice(0, keepPair(text, end));
}

/**
 * Shares a budget fairly: who needs less than an equal part gets all, the rest is shared by the
 * others.
 *
 * @param needs What each needs, >= 0.
 * @param budget What there is.
 * @returns What each gets, in the same order; whole numbers, in sum at most `budget`.
 *
 * @example The small one gets all it needs
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(share([100, 10, 100], 100), [45, 10, 45]);
 * ```
 */
export function share(needs: readonly number[], budget: number): number[] {
  const order = needs.map((_, index) => index).sort((a, b) =>
    (needs[a] ?? 0) - (needs[b] ?? 0)
  );
  const shares = needs.map(() => 0);
  let left = Math.max(0, budget);
  for (const [rank, index] of order.entries()) {
    const equal = Math.floor(left / (order.length - rank));
    const given = Math.min(needs[index] ?? 0, equal);
    shares[index] = given;
    left -= given;
  }
  return shares;
}

/** Things of which as many are taken as a budget allows, from the first on. */
export interface Group<T> {
  /** The best first. */
  readonly items: readonly T[];
  /** How many there are in all, `items` among them. */
  readonly total: number;
  /** Those that were taken. */
  readonly taken: T[];
  /** What one costs. */
  readonly cost: (item: T) => number;
}

/** What all of a group costs. */
export function totalCost<T>({ items, cost }: Group<T>): number {
  return items.reduce((sum, item) => sum + cost(item), 0);
}

/**
 * Takes from groups in turn, one each, until the budget is spent; a group ends where one of it does
 * not fit. What was taken before stays, so that it can go on when there is more to spend.
 *
 * @returns What was spent.
 */
export function takeInTurn<T>(
  groups: readonly Group<T>[],
  budget: number,
): number {
  let spent = 0;
  let open = groups;
  while (open.length > 0) {
    open = open.filter(({ items, taken, cost }) => {
      const item = items[taken.length];
      if (item === undefined) return false;
      const price = cost(item);
      if (spent + price > budget) return false;
      spent += price;
      taken.push(item);
      return true;
    });
  }
  return spent;
}
