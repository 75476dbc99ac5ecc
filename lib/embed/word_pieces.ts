/** The parts of a `tokenizer.json` that WordPiece needs. */
export interface WordPieceModel {
  /** Token to id. */
  readonly vocab: Readonly<Record<string, number>>;
  /** Token of a word that no pieces make up. */
  readonly unk_token: string;
  /** Mark of a piece that continues a word. */
  readonly continuing_subword_prefix: string;
  /** Words of more characters are unknown; default 100. */
  readonly max_input_chars_per_word?: number;
}

const WORD_CHARS_MAX = 100;
const CACHED_WORDS_MAX = 100_000;
const CACHED_WORD_CHARS_MAX = 24;

/** Splits normalised words into vocabulary ids: always the longest piece that fits. */
export class WordPieces {
  readonly #vocab: ReadonlyMap<string, number>;
  readonly #prefix: string;
  readonly #wordCharsMax: number;
  /** Length of the longest piece that begins a word with two characters, and of one that goes on with them. */
  readonly #firstCharsMax = new Map<string, number>();
  readonly #nextCharsMax = new Map<string, number>();
  readonly #unknown: readonly number[];
  readonly #cache = new Map<string, readonly number[]>();

  /**
   * Reads the vocabulary.
   *
   * @throws {TypeError} If the unknown token is not in the vocabulary.
   */
  constructor(model: WordPieceModel) {
    this.#vocab = new Map(Object.entries(model.vocab));
    this.#prefix = model.continuing_subword_prefix;
    this.#wordCharsMax = model.max_input_chars_per_word ?? WORD_CHARS_MAX;
    for (const token of this.#vocab.keys()) {
      keepLongest(this.#firstCharsMax, token);
      if (token.startsWith(this.#prefix)) {
        keepLongest(this.#nextCharsMax, token.slice(this.#prefix.length));
      }
    }
    this.#unknown = [this.idOf(model.unk_token)];
  }

  /** Gets the id of a token that the model cannot work without. */
  idOf(token: string): number {
    const id = this.#vocab.get(token);
    if (id === undefined) {
      throw new TypeError(`Cannot load tokenizer: no token "${token}"`);
    }
    return id;
  }

  /** Ids of one normalised word; `[]` for `""`. */
  split(word: string): readonly number[] {
    const cached = this.#cache.get(word);
    if (cached !== undefined) return cached;
    const ids = this.#split(word);
    if (word.length <= CACHED_WORD_CHARS_MAX) {
      // Text repeats few words: starting over is simpler than choosing what to drop, and as fast.
      if (this.#cache.size >= CACHED_WORDS_MAX) this.#cache.clear();
      this.#cache.set(word, ids);
    }
    return ids;
  }

  #split(word: string): readonly number[] {
    // A character has at most two UTF-16 units, so only a long word has to be counted.
    if (
      word.length > this.#wordCharsMax && countChars(word) > this.#wordCharsMax
    ) {
      return this.#unknown;
    }
    const ids: number[] = [];
    let from = 0;
    while (from < word.length) {
      const prefix = from === 0 ? "" : this.#prefix;
      const longest = from === 0 ? this.#firstCharsMax : this.#nextCharsMax;
      const most = longest.get(word.slice(from, from + 2)) ?? 1;
      let to = Math.min(word.length, from + most);
      let id: number | undefined;
      for (; to > from; to--) {
        id = this.#vocab.get(prefix + word.slice(from, to));
        if (id !== undefined) break;
      }
      if (id === undefined) return this.#unknown;
      ids.push(id);
      from = to;
    }
    return ids;
  }
}

/** Keeps the length of the longest piece by its first two characters. */
function keepLongest(longest: Map<string, number>, piece: string): void {
  const pair = piece.slice(0, 2);
  if (piece.length > (longest.get(pair) ?? 1)) longest.set(pair, piece.length);
}

function countChars(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
