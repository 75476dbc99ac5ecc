import type { CountTokens } from "../core/mod.ts";
import {
  type Block,
  isBlankSpan,
  isSpace,
  keepPair,
  nextLine,
} from "./blocks.ts";

/** A span that is put into a chunk as a whole. */
export interface Unit {
  /** UTF-16 offset, inclusive. */
  readonly start: number;
  /** UTF-16 offset, exclusive; the start of the next unit. */
  readonly end: number;
  /** Tokens of the span by itself, at most the window. */
  readonly tokens: number;
  readonly kind: Block["kind"];
}

/** Bounds of a unit. */
export interface UnitLimits {
  readonly countTokens: CountTokens;
  /** The window: a span above it is split further. */
  readonly maxTokens: number;
  /** Size that pieces of a single long word aim at. */
  readonly targetTokens: number;
}

/**
 * Longest unit per token of the window, in UTF-16 units. Tokenizers give a very long word a single
 * "unknown" token, which would let it through as a chunk of any length.
 */
const CHARS_PER_TOKEN = 64;

/** How a span is split, coarse to fine. */
const SPLITTERS:
  readonly ((text: string, offset: number, end: number) => number)[] = [
    nextLine,
    nextSentence,
    nextWord,
  ];

/** Splits blocks above the window by lines, then sentences, words and characters. */
export function toUnits(
  text: string,
  blocks: readonly Block[],
  limits: UnitLimits,
): Unit[] {
  const units: Unit[] = [];
  for (const block of blocks) {
    addUnits(units, text, { ...block, depth: 0 }, limits);
  }
  return units;
}

interface Candidate {
  readonly start: number;
  readonly end: number;
  readonly kind: Block["kind"];
  readonly depth: number;
}

/** Adds a span as one unit if it fits, else its parts. */
function addUnits(
  units: Unit[],
  text: string,
  span: Candidate,
  limits: UnitLimits,
): void {
  const { start, end, kind, depth } = span;
  const charsMax = limits.maxTokens * CHARS_PER_TOKEN;
  if (end - start <= charsMax) {
    const tokens = limits.countTokens(text.slice(start, end));
    if (tokens <= limits.maxTokens) {
      addUnit(units, text, { start, end, tokens, kind });
      return;
    }
  }
  const split = SPLITTERS[depth];
  if (split === undefined) {
    addCharacters(units, text, span, limits);
    return;
  }
  for (let from = start; from < end;) {
    const to = Math.min(split(text, from, end), end);
    addUnits(
      units,
      text,
      { start: from, end: to, kind, depth: depth + 1 },
      limits,
    );
    from = to;
  }
}

/** Adds a unit; a blank one becomes part of the unit before it. */
function addUnit(units: Unit[], text: string, unit: Unit): void {
  const last = units.at(-1);
  if (
    last !== undefined && unit.tokens === 0 &&
    isBlankSpan(text, unit.start, unit.end)
  ) {
    units[units.length - 1] = { ...last, end: unit.end };
  } else units.push(unit);
}

/** Adds a word above the window in pieces of about the target. */
function addCharacters(
  units: Unit[],
  text: string,
  span: Candidate,
  limits: UnitLimits,
): void {
  const { countTokens, maxTokens, targetTokens } = limits;
  const charsMax = Math.max(2, maxTokens * CHARS_PER_TOKEN);
  let step = Math.max(2, targetTokens * 2);
  for (let { start } = span; start < span.end;) {
    let end = Math.min(span.end, start + Math.min(step, charsMax));
    end = atLeastOne(text, start, keepPair(text, end));
    let tokens = countTokens(text.slice(start, end));
    while (tokens > targetTokens && end - start > 1) {
      const half = start + Math.max(1, Math.floor((end - start) / 2));
      const shorter = atLeastOne(text, start, keepPair(text, half));
      if (shorter >= end) break;
      end = shorter;
      tokens = countTokens(text.slice(start, end));
    }
    addUnit(units, text, { start, end, tokens, kind: span.kind });
    step = tokens * 2 <= targetTokens
      ? (end - start) * 2
      : Math.max(2, end - start);
    start = end;
  }
}

/** Makes sure a piece holds a whole character. */
function atLeastOne(text: string, start: number, end: number): number {
  if (end > start) return end;
  return keepPair(text, start + 1) > start ? start + 1 : start + 2;
}

/** Finds the start of the next sentence, at most `end`; white space belongs to the sentence before it. */
export function nextSentence(
  text: string,
  offset: number,
  end: number,
): number {
  for (let i = offset; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (isWideStop(unit)) {
      let next = i + 1;
      while (
        next < end &&
        (isWideStop(text.charCodeAt(next)) || isCloser(text.charCodeAt(next)))
      ) {
        next++;
      }
      return skipSpace(text, next, end);
    }
    if (!isSpace(unit) || i === offset) continue;
    let before = i - 1;
    if (before > offset && isCloser(text.charCodeAt(before))) before--;
    const mark = text.charCodeAt(before);
    if (mark === 0x2e || mark === 0x21 || mark === 0x3f) {
      return skipSpace(text, i, end);
    }
  }
  return end;
}

/** Says whether a code unit ends a sentence without a space behind it. */
function isWideStop(unit: number): boolean {
  return unit === 0x3002 || unit === 0xff01 || unit === 0xff1f;
}

/** Says whether a code unit is a closing quote or bracket. */
function isCloser(unit: number): boolean {
  return unit === 0x22 || unit === 0x27 || unit === 0x29 || unit === 0x5d ||
    unit === 0x2019 ||
    unit === 0x201d || unit === 0x300d || unit === 0x300f || unit === 0xff09;
}

/** Finds the start of the next word. */
function nextWord(text: string, offset: number, end: number): number {
  let i = offset;
  while (i < end && isSpace(text.charCodeAt(i))) i++;
  while (i < end && !isSpace(text.charCodeAt(i))) i++;
  return skipSpace(text, i, end);
}

/** Skips white space. */
function skipSpace(text: string, offset: number, end: number): number {
  let i = offset;
  while (i < end && isSpace(text.charCodeAt(i))) i++;
  return i;
}
