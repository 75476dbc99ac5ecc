/** Separates what a word index shall see as words of their own: U+200B, zero width space. */
const SEPARATOR = "\u200b";

/** Cheap test, without Unicode tables, for text that may hold a character of a listed script. */
const MAY_SEGMENT =
  /[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u19e0-\u19ff\u2e80-\u9fff\ua960-\ua97f\ua9e0-\ua9ff\uaa60-\uaa7f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\ud82b\ud82c\ud840-\ud8ff]/;

/** One character of a script written without spaces, and the marks on it. */
const CLUSTER =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u30fc\uff70]\p{M}*/gu;

/**
 * Inserts U+200B around every CJK character and every Thai, Lao, Khmer or Myanmar cluster, so that
 * a word index takes each as one word.
 *
 * @param text Any string.
 * @returns The text with separators, or `undefined` if it needs none, as most texts do.
 *
 * @example Each character of a Chinese word becomes a word
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.equal(segmentForIndex("成语x"), "成\u200b语\u200bx");
 * assert.equal(segmentForIndex("plain"), undefined);
 * ```
 */
export function segmentForIndex(text: string): string | undefined {
  if (!MAY_SEGMENT.test(text)) return undefined;
  let result = "";
  let last = 0;
  for (const match of text.matchAll(CLUSTER)) {
    const { index } = match;
    const end = index + match[0].length;
    if (index > last) {
      result += text.slice(last, index);
      if (!isBreak(text.charCodeAt(index - 1))) result += SEPARATOR;
    }
    result += match[0] + SEPARATOR;
    last = end;
  }
  return last === 0 ? undefined : result + text.slice(last);
}

/** Says whether a word index ends a word at this code unit anyway; only the common ones count. */
function isBreak(unit: number): boolean {
  return unit <= 0x2f || unit === 0x200b || (unit >= 0x3000 && unit <= 0x3002);
}

/**
 * Splits a word the way `segmentForIndex()` separates it.
 *
 * @param word A word without white space.
 * @returns Its clusters in order, runs of other scripts whole; `[word]` if nothing is to split,
 * `[]` for `""`.
 *
 * @example Runs of other scripts stay whole
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(splitSegmented("成语v2"), ["成", "语", "v2"]);
 * ```
 */
export function splitSegmented(word: string): string[] {
  const segmented = segmentForIndex(word) ?? word;
  return segmented.split(SEPARATOR).filter((part) => part !== "");
}
