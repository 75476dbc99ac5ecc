import { mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveModel } from "../../lib/embed/mod.ts";
import { Random } from "./random.ts";

/** Draws of the table that stands for the distribution of words. */
const DRAWS = 2 ** 20;
/** Ranks passed over for queries of content words: function words are among them. */
const COMMON_WORDS = 200;
const SECTION_CHARS = 920;
const FILE_SECTIONS = 10;
const FOLDER_FILES = 100;
/** Age of generated files: one changed just now would be read again. */
const FILE_AGE_S = 3600;

/** English words drawn as often as Zipf's law says. */
export class Vocabulary {
  readonly #words: readonly string[];
  readonly #ranks = new Uint16Array(DRAWS);

  /** Reads the whole words of the shipped model's tokenizer, which stand there by frequency. */
  constructor() {
    const { tokenizerPath } = resolveModel();
    const { model } = JSON.parse(readFileSync(tokenizerPath, "utf8"));
    this.#words = Object.keys(model.vocab).filter((word) =>
      /^[a-z]{2,}$/.test(word)
    );
    const total = this.#words.reduce((sum, _, rank) => sum + 1 / (rank + 1), 0);
    let share = 0;
    for (const rank of this.#words.keys()) {
      const from = Math.ceil(share * DRAWS);
      share += 1 / (rank + 1) / total;
      this.#ranks.fill(rank, from, Math.ceil(share * DRAWS));
    }
  }

  /** The next word of a text. */
  word(random: Random): string {
    const rank = this.#ranks[random.integer(0, DRAWS - 1)] ?? 0;
    return this.#words[rank] ?? "";
  }

  /** The next word that is not among the most common. */
  contentWord(random: Random): string {
    while (true) {
      const rank = this.#ranks[random.integer(0, DRAWS - 1)] ?? 0;
      if (rank >= COMMON_WORDS) return this.#words[rank] ?? "";
    }
  }
}

/** How the words of a query are chosen: as in running text, or content words only. */
export type QueryKind = "running text" | "content words";

/** Makes queries of 3 to 8 words. */
export function makeQueries(
  vocabulary: Vocabulary,
  kind: QueryKind,
  count: number,
): string[] {
  const random = new Random(7);
  return Array.from({ length: count }, () =>
    Array.from(
      { length: random.integer(3, 8) },
      () =>
        kind === "content words"
          ? vocabulary.contentWord(random)
          : vocabulary.word(random),
    ).join(" "));
}

/** A paragraph of sentences, a little longer than `chars`. */
function makeParagraph(
  vocabulary: Vocabulary,
  random: Random,
  chars: number,
): string {
  let text = "";
  while (text.length < chars) {
    let sentence = vocabulary.word(random);
    for (let left = random.integer(6, 18); left > 0; left--) {
      sentence += ` ${vocabulary.word(random)}`;
    }
    text += `${sentence[0]?.toUpperCase()}${sentence.slice(1)}. `;
  }
  return text.trimEnd();
}

/**
 * Writes Markdown files of ten sections, each of which becomes a chunk of some 930 bytes.
 *
 * @returns Bytes written.
 */
export function writeCorpus(
  dir: string,
  chunks: number,
  vocabulary: Vocabulary,
): number {
  const random = new Random(chunks);
  const time = Date.now() / 1000 - FILE_AGE_S;
  let bytes = 0;
  for (let file = 0; file * FILE_SECTIONS < chunks; file++) {
    const folder = join(dir, String(Math.floor(file / FOLDER_FILES)));
    if (file % FOLDER_FILES === 0) mkdirSync(folder, { recursive: true });
    const sections = Math.min(FILE_SECTIONS, chunks - file * FILE_SECTIONS);
    const text = Array.from({ length: sections }, (_, index) => {
      const heading = `${vocabulary.word(random)} ${
        vocabulary.contentWord(random)
      }`;
      const chars = SECTION_CHARS * (0.55 + 0.8 * random.next());
      return `${index === 0 ? "#" : "##"} ${heading}\n\n${
        makeParagraph(vocabulary, random, chars)
      }\n`;
    }).join("\n");
    const path = join(folder, `${file}.md`);
    writeFileSync(path, text);
    utimesSync(path, time, time);
    bytes += text.length;
  }
  return bytes;
}
