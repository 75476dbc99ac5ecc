import { type CountTokens, KbError } from "../core/mod.ts";
import { loadTokenizer, type ResolvedModel } from "../embed/mod.ts";
import type { Measure } from "./types.ts";

/** What decides how chunks are measured; plain data, so that a worker can be given it. */
export interface MeasureSource {
  /** Model whose tokenizer measures; `undefined` measures by length. */
  readonly model: ResolvedModel | undefined;
  /** The model's window in tokens. */
  readonly windowTokens: number;
}

/** Characters a token has at least on average, for texts measured without a tokenizer. */
const CHARS_PER_TOKEN = 3;

/**
 * Makes the measure of chunks. The tokenizer is loaded when the first text is counted, so that work
 * that counts none does not pay for it; one that cannot be read is replaced by a guess.
 */
export function openMeasure({ model, windowTokens }: MeasureSource): Measure {
  let count: CountTokens | undefined;
  return {
    countTokens: (text) => (count ??= openCounter(model))(text),
    windowTokens,
  };
}

function openCounter(model: ResolvedModel | undefined): CountTokens {
  try {
    if (model === undefined) return countByLength;
    const tokenizer = loadTokenizer(model);
    return (text) => tokenizer.countTokens(text);
  } catch (error) {
    if (error instanceof KbError) return countByLength;
    throw error;
  }
}

function countByLength(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
