import { KbError } from "../core/mod.ts";
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

/** Loads the tokenizer that measures chunks; one that cannot be read is replaced by a guess. */
export function openMeasure({ model, windowTokens }: MeasureSource): Measure {
  const byLength = {
    countTokens: (text: string) => Math.ceil(text.length / CHARS_PER_TOKEN),
    windowTokens,
  };
  if (model === undefined) return byLength;
  try {
    const tokenizer = loadTokenizer(model);
    return { countTokens: (text) => tokenizer.countTokens(text), windowTokens };
  } catch (error) {
    if (error instanceof KbError) return byLength;
    throw error;
  }
}
