import { readFileSync } from "node:fs";
import {
  checkBytes,
  modelUnavailable,
  type ResolvedModel,
} from "./registry.ts";
import { WordCounts } from "./word_counts.ts";
import { type WordPieceModel, WordPieces } from "./word_pieces.ts";

/** Token ids of one text, ready for the model. */
export interface Encoding {
  /** Start mark, tokens, end mark. */
  readonly ids: Int32Array;
  /** Whether the text had more tokens than fitted. */
  readonly cut: boolean;
}

/** The parts of a `tokenizer.json` that are used. */
export interface TokenizerDefinition {
  /** Tokens with a fixed id that are found in raw text before anything else. */
  readonly added_tokens: readonly {
    readonly id: number;
    readonly content: string;
  }[];
  /** How raw text is cleaned. */
  readonly normalizer:
    | { readonly type: string; readonly lowercase?: boolean }
    | null;
  /** The vocabulary. */
  readonly model: WordPieceModel & { readonly type?: string };
}

/** What an ASCII character does: it is part of a word, ends one, is a word, or is dropped. */
const WORD = 0, BLANK = 1, PUNCTUATION = 2, DROPPED = 3;
const ASCII_KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  const char = String.fromCharCode(code);
  if (/[a-z0-9]/i.test(char)) return WORD;
  if (/[ \t\n\r]/.test(char)) return BLANK;
  return code < 32 || code === 127 ? DROPPED : PUNCTUATION;
});

const SPACE = 32;
const FIRST_PRINT_1 = 0x811c9dc5 | 0;
const FIRST_PRINT_2 = 0x9e3779b9 | 0;

const CHINESE =
  /[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\ufffd]/gu;
const MARK = /\p{Mn}/gu;
const WORDS = /\p{P}|[!-/:-@[-`{-~]|[^\s\p{P}!-/:-@[-`{-~]+/gu;

/** Receives the ids of one word; returns `false` to stop. */
type Sink = (ids: readonly number[]) => boolean;

/**
 * BERT's tokenizer: lower-cased words without accents, punctuation apart, split into WordPieces.
 *
 * Gives the ids of the reference implementation; a test compares the two. It is our own because
 * every chunk is measured with it, which the packages on npm do too slowly; see
 * docs/decisions/0007-tokenizer.md.
 */
export class Tokenizer {
  readonly #pieces: WordPieces;
  readonly #startId: number;
  readonly #endId: number;
  readonly #added: ReadonlyMap<string, readonly number[]>;
  readonly #addedPattern: RegExp;
  readonly #counts = new WordCounts();

  /**
   * Reads a parsed `tokenizer.json`.
   *
   * @throws {TypeError} If it is not a lower-casing BERT WordPiece tokenizer.
   */
  constructor(definition: TokenizerDefinition) {
    const { model, normalizer, added_tokens: added } = definition;
    if (
      (model.type !== undefined && model.type !== "WordPiece") ||
      normalizer?.type !== "BertNormalizer" || normalizer.lowercase === false
    ) {
      throw new TypeError(
        "Cannot load tokenizer: not a lower-casing BERT WordPiece tokenizer",
      );
    }
    this.#pieces = new WordPieces(model);
    this.#startId = this.#pieces.idOf("[CLS]");
    this.#endId = this.#pieces.idOf("[SEP]");
    this.#added = new Map(added.map(({ id, content }) => [content, [id]]));
    this.#addedPattern = new RegExp(
      [...this.#added.keys()].map((text) =>
        text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")
      ).join("|"),
      "g",
    );
  }

  /**
   * Counts a text's tokens without the start and end marks.
   *
   * @param text Any text; `""` has 0. Counts add up over pieces cut at white space.
   */
  countTokens(text: string): number {
    // An added token is rare, and only the walk knows it.
    if (text.includes("[") && text.search(this.#addedPattern) !== -1) {
      return this.#countByWalk(text);
    }
    let count = 0;
    let start = 0;
    let print1 = FIRST_PRINT_1;
    let print2 = FIRST_PRINT_2;
    for (let index = 0; index <= text.length; index++) {
      const code = index < text.length ? text.charCodeAt(index) : SPACE;
      const kind = code < 128 ? ASCII_KIND[code] : DROPPED;
      if (kind === WORD) {
        // Bit 0x20 is what upper and lower case differ in; digits have it set.
        print1 = Math.imul(print1 ^ (code | 0x20), 0x01000193);
        print2 = Math.imul(print2 + (code | 0x20), 0x85ebca6b) ^
          (print2 >>> 15);
        continue;
      }
      if (kind === DROPPED) {
        index = endOfRun(text, index);
        count += this.#countByWalk(text.slice(start, index));
      } else {
        if (index > start) {
          const known = this.#counts.get(print1, print2);
          count += known > 0
            ? known
            : this.#countWord(text.slice(start, index), print1, print2);
        }
        if (kind === PUNCTUATION) count++;
      }
      start = index + 1;
      print1 = FIRST_PRINT_1;
      print2 = FIRST_PRINT_2;
    }
    return count;
  }

  /** Counts a word that is seen for the first time. */
  #countWord(word: string, print1: number, print2: number): number {
    const count = this.#pieces.split(word.toLowerCase()).length;
    this.#counts.set(print1, print2, count);
    return count;
  }

  #countByWalk(text: string): number {
    let count = 0;
    this.#walk(text, (ids) => {
      count += ids.length;
      return true;
    });
    return count;
  }

  /**
   * Turns a text into token ids with start and end marks.
   *
   * @param text Any text.
   * @param maxTokens Most ids, marks included; at least 2.
   * @returns The ids, and whether the text was cut to fit.
   * @throws {RangeError} If `maxTokens` is below 2 or not an integer.
   */
  encode(text: string, maxTokens: number): Encoding {
    if (!Number.isInteger(maxTokens) || maxTokens < 2) {
      throw new RangeError(
        `Cannot encode: maxTokens is ${maxTokens}, it must be an integer >= 2`,
      );
    }
    const out: number[] = [this.#startId];
    const whole = this.#walk(text, (ids) => {
      for (const id of ids) out.push(id);
      return out.length < maxTokens;
    });
    if (!whole) out.length = maxTokens - 1;
    out.push(this.#endId);
    return { ids: Int32Array.from(out), cut: !whole };
  }

  /** Hands the ids of every word to `sink`, left to right; `false` if the sink stopped it. */
  #walk(text: string, sink: Sink): boolean {
    let from = 0;
    // Every added token starts with a bracket, which most texts have none of.
    if (text.includes("[")) {
      for (const match of text.matchAll(this.#addedPattern)) {
        if (!this.#walkPlain(text.slice(from, match.index), sink)) return false;
        if (!sink(this.#added.get(match[0]) ?? [])) return false;
        from = match.index + match[0].length;
      }
    }
    return this.#walkPlain(from === 0 ? text : text.slice(from), sink);
  }

  /** Walks a text without added tokens: ASCII by table, other runs by the full rules. */
  #walkPlain(text: string, sink: Sink): boolean {
    let start = 0;
    let index = 0;
    for (; index < text.length; index++) {
      const code = text.charCodeAt(index);
      const kind = code < 128 ? ASCII_KIND[code] : DROPPED;
      if (kind === WORD) continue;
      if (kind === DROPPED) {
        // Neither here nor in #walkRun does a word go over white space, so the run is the smallest
        // piece that the full rules can be applied to.
        index = endOfRun(text, index);
        if (!this.#walkRun(text.slice(start, index), sink)) return false;
      } else {
        if (index > start && !this.#word(text.slice(start, index), sink)) {
          return false;
        }
        if (kind === PUNCTUATION && !this.#word(text[index] ?? "", sink)) {
          return false;
        }
      }
      start = index + 1;
    }
    return index <= start || this.#word(text.slice(start), sink);
  }

  #word(word: string, sink: Sink): boolean {
    return sink(this.#pieces.split(word.toLowerCase()));
  }

  /** Applies BERT's rules to a run without ASCII white space. */
  #walkRun(run: string, sink: Sink): boolean {
    const clean = run.replace(CONTROL, "").replace(CHINESE, " $& ")
      .normalize("NFD").replace(MARK, "").toLowerCase();
    for (const [word] of clean.matchAll(WORDS)) {
      if (!sink(this.#pieces.split(word))) return false;
    }
    return true;
  }
}

function endOfRun(text: string, from: number): number {
  let index = from;
  while (index < text.length && ASCII_KIND[text.charCodeAt(index)] !== BLANK) {
    index++;
  }
  return index;
}

/**
 * Loads the tokenizer of a model. Blocks for some 20 ms.
 *
 * @throws {KbError} `model_unavailable` if the file cannot be read, is damaged, or is of another kind.
 */
export function loadTokenizer(model: ResolvedModel): Tokenizer {
  const { spec, tokenizerPath } = model;
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(tokenizerPath);
  } catch (error) {
    throw modelUnavailable(spec.id, `${tokenizerPath} cannot be read`, error);
  }
  checkBytes(spec.id, tokenizerPath, spec.tokenizer, bytes);
  return new Tokenizer(JSON.parse(new TextDecoder().decode(bytes)));
}
