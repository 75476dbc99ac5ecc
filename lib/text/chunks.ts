import type { CountTokens } from "../core/mod.ts";
import {
  blockSyntaxOf,
  isBlankSpan,
  isSpace,
  nextLine,
  scanBlocks,
} from "./blocks.ts";
import { maskPayload } from "./noise.ts";
import type { TextChunk } from "./types.ts";
import { nextSentence, toUnits, type Unit } from "./units.ts";

/** How to cut a section into windows. */
export interface ToChunksOptions {
  /** Counts as the embedding model does; additive across white space. */
  readonly countTokens: CountTokens;
  /** The model's window, at least 1; no chunk is above it. */
  readonly maxTokens: number;
  /** Size a chunk aims at, 1 to `maxTokens`. */
  readonly targetTokens: number;
  /** Most tokens of one chunk that the next repeats, 0 to below `targetTokens`. */
  readonly overlapTokens: number;
  /** Media type of the section; decides how blocks are found. */
  readonly mime: string;
}

/** A last chunk below this share of the target joins the one before it. */
const TAIL_SHARE = 0.15;
/** Text looked at for an overlap, in UTF-16 units per token. */
const OVERLAP_CHARS_PER_TOKEN = 8;

/**
 * Cuts the content of a section into windows for the embedding model.
 *
 * Gathers whole blocks up to the target. A fence, table, list or paragraph that fits the window is
 * never split; a larger one is split by lines, then sentences, words and characters. Takes time in
 * proportion to the length.
 *
 * @param content Content of one section, as `preprocess()` gives it.
 * @param options Window, target, overlap, and how tokens are counted.
 * @returns Chunks in order that cover the content, each starting at or before the end of the one
 * before it; `[]` if the content is blank.
 * @throws {RangeError} If `maxTokens` is below 1, or target or overlap are outside their ranges.
 *
 * @example A short section is one chunk
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const chunks = toChunks("# Title\n\nTwo words.", {
 *   countTokens: (text) => text.match(/\S+/g)?.length ?? 0,
 *   maxTokens: 510,
 *   targetTokens: 400,
 *   overlapTokens: 60,
 *   mime: "text/markdown",
 * });
 * assert.deepEqual(chunks, [{ start: 0, end: 19, tokenCount: 4, lineStart: 0, lineEnd: 2 }]);
 * ```
 */
export function toChunks(
  content: string,
  options: ToChunksOptions,
): TextChunk[] {
  const { maxTokens, targetTokens, overlapTokens, mime } = options;
  if (!(maxTokens >= 1 && targetTokens >= 1 && targetTokens <= maxTokens)) {
    throw new RangeError(
      `Cannot cut chunks: target is ${targetTokens} and window ${maxTokens}, expected 1 <= target <= window`,
    );
  }
  if (!(overlapTokens >= 0 && overlapTokens < targetTokens)) {
    throw new RangeError(
      `Cannot cut chunks: overlap is ${overlapTokens}, expected 0 to below ${targetTokens}`,
    );
  }
  if (isBlankSpan(content, 0, content.length)) return [];
  const masked = maskPayload(content);
  const text = masked?.text ?? content;
  const units = toUnits(text, scanBlocks(text, blockSyntaxOf(mime)), options);
  const windows = gather(text, units, options);
  const lines = lineCounter(content);
  return windows.map((window) => {
    const { tokens } = window;
    if (masked === undefined) {
      return {
        start: window.start,
        end: window.end,
        tokenCount: tokens,
        ...lines(window),
      };
    }
    const start = masked.toStart(window.start);
    const end = masked.toEnd(window.end);
    const chunk = { start, end, tokenCount: tokens, ...lines({ start, end }) };
    if (!masked.hasMark(window.start, window.end)) return chunk;
    return { ...chunk, text: text.slice(window.start, window.end) };
  });
}

interface Window {
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

/** Gathers units into windows. */
function gather(
  text: string,
  units: readonly Unit[],
  options: ToChunksOptions,
): Window[] {
  const { countTokens, maxTokens, targetTokens } = options;
  const windows: Window[] = [];
  let next = 0;
  while (next < units.length) {
    const first = units[next];
    if (first === undefined) break;
    const previous = windows.at(-1);
    const overlap = previous === undefined
      ? undefined
      : findOverlap(text, { window: previous, units, next }, options);
    let { start, tokens } = first;
    if (overlap !== undefined && overlap.tokens + tokens <= maxTokens) {
      start = overlap.start;
      tokens += overlap.tokens;
    }
    let last = next;
    for (let i = next + 1; i < units.length; i++) {
      const sum = tokens + (units[i]?.tokens ?? 0);
      const isShort = tokens < targetTokens * TAIL_SHARE;
      if (sum > (isShort ? maxTokens : targetTokens)) break;
      tokens = sum;
      last = i;
    }
    // A heading goes with what it heads.
    while (
      last > next && last + 1 < units.length && units[last]?.kind === "heading"
    ) {
      tokens -= units[last]?.tokens ?? 0;
      last--;
    }
    // Counts add up only across white space; other joints are counted again.
    if (hasTightJoint(text, units, { start, next, last })) {
      tokens = countTokens(text.slice(start, units[last]?.end));
      while (tokens > maxTokens && (last > next || start < first.start)) {
        if (start < first.start) start = first.start;
        else last--;
        tokens = countTokens(text.slice(start, units[last]?.end));
      }
    }
    const end = units[last]?.end ?? text.length;
    windows.push({ start, end, tokens });
    next = last + 1;
  }
  return joinTail(text, windows, options);
}

/** Says whether two neighbours in a window touch without white space between them. */
function hasTightJoint(
  text: string,
  units: readonly Unit[],
  span: {
    readonly start: number;
    readonly next: number;
    readonly last: number;
  },
): boolean {
  const first = units[span.next]?.start ?? 0;
  if (span.start < first && !isSpace(text.charCodeAt(first - 1))) return true;
  for (let i = span.next; i < span.last; i++) {
    if (!isSpace(text.charCodeAt((units[i]?.end ?? 1) - 1))) return true;
  }
  return false;
}

/** Finds the tail of a window that the next one repeats: its last whole lines or sentences. */
function findOverlap(
  text: string,
  before: {
    readonly window: Window;
    readonly units: readonly Unit[];
    readonly next: number;
  },
  options: ToChunksOptions,
): { start: number; tokens: number } | undefined {
  const { countTokens, overlapTokens } = options;
  const { window, units, next } = before;
  const last = units[next - 1];
  if (overlapTokens === 0 || last === undefined) return undefined;
  const floor = Math.max(
    window.start + 1,
    window.end - overlapTokens * OVERLAP_CHARS_PER_TOKEN,
  );
  if (isWhole(last)) {
    const { start, tokens } = last;
    return tokens > overlapTokens || start < floor
      ? undefined
      : { start, tokens };
  }
  const starts: number[] = [];
  let from = floor;
  for (let i = next - 2; (units[i]?.end ?? 0) > floor; i--) {
    if (!isWhole(units[i])) continue;
    from = units[i]?.end ?? floor;
    starts.push(from);
    break;
  }
  // Taken out of the text, as the search for a line end must not run on behind the window.
  const tail = text.slice(from, window.end);
  for (let at = nextPause(tail, 0); at < tail.length;) {
    starts.push(from + at);
    at = nextPause(tail, at);
  }
  let found: { start: number; tokens: number } | undefined;
  let end = window.end;
  let tokens = 0;
  for (const start of starts.reverse()) {
    const isTight = end < window.end && !isSpace(text.charCodeAt(end - 1));
    tokens = isTight
      ? countTokens(text.slice(start, window.end))
      : tokens + countTokens(text.slice(start, end));
    if (tokens > overlapTokens) break;
    found = { start, tokens };
    end = start;
  }
  return found;
}

/** Says whether half of a unit says nothing without its other half. */
function isWhole(unit: Unit | undefined): boolean {
  return unit?.kind === "fence" || unit?.kind === "table";
}

/** Finds the next line or sentence start, whichever comes first. */
function nextPause(text: string, offset: number): number {
  return nextSentence(text, offset, nextLine(text, offset));
}

/** Joins a very small last window to the one before it, if both fit. */
function joinTail(
  text: string,
  windows: Window[],
  options: ToChunksOptions,
): Window[] {
  const { countTokens, maxTokens, targetTokens } = options;
  const tail = windows.at(-1);
  const previous = windows.at(-2);
  if (tail === undefined || previous === undefined) return windows;
  const own = text.slice(previous.end, tail.end);
  if (countTokens(own) >= targetTokens * TAIL_SHARE) return windows;
  const tokens = countTokens(text.slice(previous.start, tail.end));
  if (tokens > maxTokens) return windows;
  return [...windows.slice(0, -2), {
    start: previous.start,
    end: tail.end,
    tokens,
  }];
}

/** Makes a function that gives the lines of spans whose starts rise. */
function lineCounter(
  content: string,
): (span: { readonly start: number; readonly end: number }) => {
  lineStart: number;
  lineEnd: number;
} {
  let line = 0;
  let counted = 0;
  return (span) => {
    let first = span.start;
    while (first < span.end && isSpace(content.charCodeAt(first))) first++;
    for (; counted < first; counted++) {
      if (content.charCodeAt(counted) === 0x0a) line++;
    }
    let last = span.end;
    while (last > first && isSpace(content.charCodeAt(last - 1))) last--;
    let lineEnd = line;
    for (let i = first; i < last; i++) {
      if (content.charCodeAt(i) === 0x0a) lineEnd++;
    }
    return { lineStart: line, lineEnd };
  };
}
