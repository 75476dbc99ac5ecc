/** A part of a text that fits into an answer. */
export interface TextWindow {
  /** The part. */
  readonly text: string;
  /** Where the next part begins; absent if this one goes to the end. */
  readonly nextOffset?: number;
}

/**
 * Cuts a part out of a text so that, written as JSON, it keeps to a budget. No character is split.
 *
 * @param text Text.
 * @param offset Where the part begins, in UTF-16 units.
 * @param budgetChars Most UTF-16 units of the part as JSON; at least one character is given.
 *
 * @example The next part begins where this one ends
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const first = cutText("one\ntwo", 0, 6);
 * assert.deepEqual(first, { text: "one", nextOffset: 3 });
 * assert.deepEqual(cutText("one\ntwo", 3, 100), { text: "\ntwo" });
 * ```
 */
export function cutText(
  text: string,
  offset: number,
  budgetChars: number,
): TextWindow {
  const start = isInsidePair(text, offset) ? offset - 1 : offset;
  let end = Math.min(text.length, start + Math.max(1, budgetChars));
  for (;;) {
    end = Math.max(atPairEnd(text, start, end), start);
    const part = text.slice(start, end);
    const jsonChars = jsonLength(part);
    if (jsonChars <= budgetChars || end - start <= 2) break;
    // Escapes are seldom spread evenly, so one step may not be enough.
    const share = budgetChars / jsonChars;
    end = start + Math.max(1, Math.floor((end - start) * share * 0.98));
  }
  const part = text.slice(start, end);
  return end >= text.length ? { text: part } : { text: part, nextOffset: end };
}

/** Length of a value as indented or compact JSON, in UTF-16 units. */
export function jsonLength(value: unknown, indent?: number): number {
  return JSON.stringify(value, null, indent)?.length ?? 0;
}

/** How many entries from the start keep to a budget, at least one where there are any. */
export function countFitting(
  entries: readonly unknown[],
  budgetChars: number,
): number {
  let chars = 0;
  for (const [index, entry] of entries.entries()) {
    // Each line of an entry stands two steps deep, and a comma follows it.
    const json = JSON.stringify(entry, null, 2);
    chars += json.length + 6 * (json.split("\n").length + 1);
    if (chars > budgetChars) return Math.max(1, index);
  }
  return entries.length;
}

function isInsidePair(text: string, at: number): boolean {
  return at > 0 && isLow(text.charCodeAt(at)) &&
    isHigh(text.charCodeAt(at - 1));
}

/** Moves a cut out of a surrogate pair: back, or on where nothing would be left. */
function atPairEnd(text: string, start: number, end: number): number {
  if (!isInsidePair(text, end)) return end;
  return end - 1 > start ? end - 1 : end + 1;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
