import { LIMITS } from "../core/mod.ts";
import { keepPair } from "../text/mod.ts";
import type { ComposeOptions, Composition } from "./types.ts";

/** Stands between two blocks. */
const BETWEEN = "\n\n";

/** The part of a composed text that was asked for. */
export type Page = Pick<Composition, "data" | "offset" | "nextOffset">;

/**
 * Refuses bounds that are none.
 *
 * @throws {RangeError} If `maxChars` is outside 2 to `LIMITS.answerCharsMax`, or `offset` is negative.
 */
export function checkBounds(
  { maxChars = LIMITS.answerChars, offset = 0 }: ComposeOptions,
): Required<ComposeOptions> {
  const isLength = maxChars >= 2 && maxChars <= LIMITS.answerCharsMax;
  if (!isLength || !(offset >= 0) || !Number.isInteger(maxChars + offset)) {
    throw new RangeError(
      `Cannot bound an answer: maxChars is ${maxChars}, must be 2 to ${LIMITS.answerCharsMax}; offset is ${offset}, must be >= 0`,
    );
  }
  return { maxChars, offset };
}

/**
 * Takes a part of a text that is made block by block, and makes no more of it than needed.
 *
 * Blocks are joined by a blank line. A surrogate pair is never cut: an offset inside of one counts
 * for the offset before it.
 *
 * @param blocks Blocks, none of them empty.
 * @param options Checked bounds.
 */
export function takePage(
  blocks: Iterable<string>,
  { maxChars, offset }: Required<ComposeOptions>,
): Page {
  const parts: string[] = [];
  let start = 0;
  let taken = 0;
  let from = offset;
  for (const piece of withSeparators(blocks)) {
    const end = start + piece.length;
    if (end > from) {
      let first = Math.max(0, from - start);
      if (parts.length === 0) {
        first = keepPair(piece, first);
        from = start + first;
      }
      const last = keepPair(
        piece,
        Math.min(piece.length, first + maxChars - taken),
      );
      parts.push(piece.slice(first, last));
      taken += last - first;
      if (last < piece.length) {
        return { data: parts.join(""), offset: from, nextOffset: start + last };
      }
    }
    start = end;
  }
  return { data: parts.join(""), offset: Math.min(from, start) };
}

function* withSeparators(blocks: Iterable<string>): Generator<string> {
  let isFirst = true;
  for (const block of blocks) {
    if (!isFirst) yield BETWEEN;
    yield block;
    isFirst = false;
  }
}
