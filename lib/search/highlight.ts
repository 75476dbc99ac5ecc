import { stemmer } from "stemmer";
import { splitIdentifier } from "../core/mod.ts";
import { MARK_CLOSE, MARK_OPEN } from "./snippet.ts";
import type { QueryTerm } from "./parse.ts";
import {
  type Phrase,
  type PlacedToken,
  placeTokens,
  toPhrases,
  withoutStopWords,
} from "./words.ts";

/** The matches of a query in one text. */
export interface Highlights {
  /** The text with {@linkcode MARK_OPEN} and {@linkcode MARK_CLOSE} around each match. */
  readonly marked: string;
  /** Terms found in the text or its context, as written, each once. */
  readonly matchedTerms: readonly string[];
}

/** A term with its phrases in the form tokens are compared in. */
interface Target {
  readonly text: string;
  readonly phrases: readonly Phrase[];
}

/** Brings a token into the form the index compares: without case and accents, its Porter stem. */
function toStem(token: string): string {
  const folded = token.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
  return /^[a-z]{3,}$/.test(folded) ? stemmer(folded) : folded;
}

/**
 * Makes a function that marks the matches of a query's terms in a text, as the word index compares
 * them. Stop words are not marked unless the query has nothing else.
 *
 * Pure. The index has a function for this, but it reads the text again for each term.
 *
 * @param terms Terms of a parsed query.
 *
 * @example Other forms of a word match, parts of words do not
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const highlight = highlighter([{ text: "running", kind: "word" }]);
 * assert.equal(highlight("Runs in the runner", "").marked, "\u0001Runs\u0002 in the runner");
 * ```
 */
export function highlighter(
  terms: readonly QueryTerm[],
): (text: string, context: string) => Highlights {
  const byText = new Map(
    withoutStopWords(terms).map((term) => [term.text, term]),
  );
  const targets: Target[] = [...byText.values()].map((term) => ({
    text: term.text,
    phrases: toPhrases(term).map(({ tokens, prefix }) => ({
      tokens: tokens.map(toStem),
      prefix,
    })),
  }));
  const isFirstLetter = firstLettersOf(targets);
  const stems = new Map<string, string>();
  function stemOf({ token }: PlacedToken): string {
    // As stems keep the first letter, a token with another one matches nothing in any form.
    if (isFirstLetter[token.charCodeAt(0)] === 0) return token;
    let stem = stems.get(token);
    if (stem === undefined) stems.set(token, stem = toStem(token));
    return stem;
  }
  return (text, context) => {
    const tokens = placeTokens(text);
    const own = tokens.map(stemOf);
    const around = placeTokens(context).map(stemOf);
    // An identifier is marked whole where what is looked for is in it.
    const inner = tokens.flatMap(({ token }, at) => {
      const parts = splitIdentifier(token);
      return parts === undefined ? [] : [{ at, parts: parts.map(toStem) }];
    });
    const isMatch = new Uint8Array(tokens.length);
    const matchedTerms = targets.filter(({ phrases }) => {
      let found = false;
      for (const phrase of phrases) {
        for (const at of findPhrase(own, phrase)) {
          isMatch.fill(1, at, at + phrase.tokens.length);
          found = true;
        }
        for (const { at, parts } of inner) {
          if (findPhrase(parts, phrase).length === 0) continue;
          isMatch[at] = 1;
          found = true;
        }
        found ||= findPhrase(around, phrase).length > 0;
      }
      return found;
    }).map((target) => target.text);
    return { marked: mark(text, tokens, isMatch), matchedTerms };
  };
}

/** Says of each ASCII character, by its code, whether a token of a target starts with it, in any case. */
function firstLettersOf(targets: readonly Target[]): Uint8Array {
  const isFirst = new Uint8Array(128);
  for (const { phrases } of targets) {
    for (const token of phrases.flatMap(({ tokens }) => tokens)) {
      isFirst[token.charCodeAt(0)] = 1;
      isFirst[token.toUpperCase().charCodeAt(0)] = 1;
    }
  }
  return isFirst;
}

/** Places at which a phrase stands among tokens. */
function findPhrase(
  tokens: readonly string[],
  { tokens: wanted, prefix }: Phrase,
): number[] {
  const places: number[] = [];
  const last = wanted.length - 1;
  for (
    let at = tokens.indexOf(wanted[0] ?? "");
    !prefix && at !== -1;
    at = tokens.indexOf(wanted[0] ?? "", at + 1)
  ) {
    if (wanted.every((token, index) => tokens[at + index] === token)) {
      places.push(at);
    }
  }
  for (let at = 0; prefix && at + last < tokens.length; at++) {
    const isHere = wanted.every((token, index) =>
      index === last
        ? tokens[at + index]?.startsWith(token)
        : tokens[at + index] === token
    );
    if (isHere) places.push(at);
  }
  return places;
}

/** Writes the marks into a text, one pair around neighbours that touch. */
function mark(
  text: string,
  tokens: readonly PlacedToken[],
  isMatch: Uint8Array,
): string {
  let marked = "";
  let at = 0;
  let open = false;
  for (const [index, { start, end }] of tokens.entries()) {
    if (isMatch[index] !== 1) continue;
    if (!open) marked += text.slice(at, start) + MARK_OPEN;
    marked += text.slice(open ? at : start, end);
    at = end;
    open = isMatch[index + 1] === 1 && tokens[index + 1]?.start === end;
    if (!open) marked += MARK_CLOSE;
  }
  return marked + text.slice(at);
}
