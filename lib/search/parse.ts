import { KbError, LIMITS } from "../core/mod.ts";
import type { DocumentFilter } from "../store/mod.ts";

/** One thing a query asks for. */
export interface QueryTerm {
  /** As the user wrote it, without its marks. */
  readonly text: string;
  /** `phrase` must stand as written; `prefix` matches the start of a word. */
  readonly kind: "word" | "phrase" | "prefix";
}

/** A query, taken apart. */
export interface ParsedQuery {
  /** What is looked for; repeated words are kept. */
  readonly terms: readonly QueryTerm[];
  /** What a hit must not contain. */
  readonly excluded: readonly QueryTerm[];
  /** Filters written in the query. */
  readonly filter: DocumentFilter;
  /** The query as a sentence, for the embedding model; `""` when nothing is left. */
  readonly meaning: string;
  /** What was read differently from what a user may have meant. */
  readonly notes: readonly string[];
}

const FILTER_KEYS = ["tag", "type", "in", "after", "before"] as const;
type FilterKey = typeof FILTER_KEYS[number];

/** A quoted string, or a run without white space that may hold one after a colon. */
const PIECE = /-?"[^"]*"|(?:tag|type|in|after|before):"[^"]*"|\S+/gu;
const HAS_WORD = /[\p{L}\p{N}\p{Co}]/u;
const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/u;

interface Draft {
  terms: QueryTerm[];
  excluded: QueryTerm[];
  tags: string[];
  filter: { -readonly [K in keyof DocumentFilter]: DocumentFilter[K] };
  meaning: string[];
}

/** Milliseconds of a date or ISO time, UTC where no zone is given; NaN if the text is neither. */
function parseIsoTime(value: string): number {
  const [, date = "", zone] = ISO_TIME.exec(value) ?? [];
  const day = new Date(date);
  // Date.parse() takes February 30 for March 2.
  if (Number.isNaN(day.getTime()) || !day.toISOString().startsWith(date)) {
    return NaN;
  }
  return Date.parse(
    value.includes("T") && zone === undefined ? `${value}Z` : value,
  );
}

/** Reads a date or time of a filter as ISO 8601 UTC. */
function toIsoTime(key: string, value: string): string {
  const time = parseIsoTime(value);
  if (Number.isNaN(time)) {
    throw new KbError(
      "invalid_query",
      `Cannot read "${key}:${value}": a date looks like ${key}:2026-01-31`,
    );
  }
  return new Date(time).toISOString();
}

function takeFilter(draft: Draft, key: FilterKey, value: string): void {
  switch (key) {
    case "tag":
      draft.tags.push(value);
      break;
    case "type":
      draft.filter.docType = value;
      break;
    case "in":
      draft.filter.collection = value;
      break;
    case "after":
    case "before":
      draft.filter[key] = toIsoTime(key, value);
  }
}

function unquote(text: string): string {
  return text.replaceAll('"', "");
}

function takePiece(draft: Draft, piece: string): void {
  const filter = /^(tag|type|in|after|before):(.+)$/su.exec(piece);
  const key = FILTER_KEYS.find((name) => name === filter?.[1]);
  const value = unquote(filter?.[2] ?? "");
  if (key !== undefined && value !== "") return takeFilter(draft, key, value);
  if (!HAS_WORD.test(piece)) return;
  const excludes = /^-(?:"|[\p{L}\p{N}\p{Co}])/u.test(piece);
  const body = excludes ? piece.slice(1) : piece;
  const phrase = /^"[^"]*"$/u.test(body);
  const prefix = !phrase && /^[\p{L}\p{M}\p{N}\p{Co}_]+\*$/u.test(body);
  const text = phrase ? body.slice(1, -1) : prefix ? body.slice(0, -1) : body;
  const kind = phrase ? "phrase" : prefix ? "prefix" : "word";
  if (excludes) draft.excluded.push({ text, kind });
  else {
    draft.terms.push({ text, kind });
    draft.meaning.push(text);
  }
}

/**
 * Takes a query apart: words, `"phrase"`, `-word`, `prefix*`, and the filters `tag:`, `type:`,
 * `in:`, `after:`, `before:`.
 *
 * Everything else is literal text. A query that only excludes is read as words, as nobody asks
 * for everything but one thing.
 *
 * @param query As the user wrote it.
 * @returns Terms, filters, and notes on what was read in a way a user may not expect.
 * @throws {KbError} `invalid_query` if the query is too long or a date cannot be read.
 *
 * @example Words, an exclusion and a filter
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const parsed = parseQuery('vector -gpu tag:notes "exact scan"');
 * assert.deepEqual(parsed.terms.map((t) => t.text), ["vector", "exact scan"]);
 * assert.deepEqual(parsed.excluded.map((t) => t.text), ["gpu"]);
 * assert.deepEqual(parsed.filter.tags, ["notes"]);
 * ```
 */
export function parseQuery(query: string): ParsedQuery {
  if (query.length > LIMITS.queryChars) {
    throw new KbError(
      "invalid_query",
      `Cannot search for ${query.length} characters: the limit is ${LIMITS.queryChars}`,
    );
  }
  const draft: Draft = {
    terms: [],
    excluded: [],
    tags: [],
    filter: {},
    meaning: [],
  };
  const notes: string[] = [];
  const text = query.toWellFormed().normalize("NFC");
  for (const [piece] of text.matchAll(PIECE)) takePiece(draft, piece);
  if (draft.terms.length === 0 && draft.excluded.length > 0) {
    draft.terms = draft.excluded;
    draft.meaning = draft.excluded.map((term) => term.text);
    draft.excluded = [];
    notes.push("The query only excludes, so its words were searched for");
  }
  if (draft.excluded.length > LIMITS.queryTerms) {
    throw new KbError(
      "invalid_query",
      `Cannot search: the query excludes ${draft.excluded.length} words, the limit is ${LIMITS.queryTerms}`,
    );
  }
  for (const { text } of draft.excluded) {
    notes.push(
      `Hits with "${text}" are left out because of -${text}; write "-${text}" in quotes to search for it`,
    );
  }
  if (draft.terms.length > LIMITS.queryTerms) {
    notes.push(
      `Only the first ${LIMITS.queryTerms} of ${draft.terms.length} words are matched by word; all count for the meaning`,
    );
  }
  if (draft.tags.length > 0) draft.filter.tags = draft.tags;
  return {
    terms: draft.terms.slice(0, LIMITS.queryTerms),
    excluded: draft.excluded,
    filter: draft.filter,
    meaning: draft.meaning.join(" "),
    notes,
  };
}
