/** What a programming language takes for a name. */
const NAME = /[\p{L}\p{M}\p{N}\p{Co}_]+/gu;
/** A change of case or an underscore, without which a word is one. */
const COMPOUND = /_|\p{Ll}\p{M}*\p{Lu}|\p{Lu}\p{Lu}\p{Ll}/u;
/** Capitals before a word, a word, capitals, digits, and what has no case. */
const PART =
  /\p{Lu}+(?=\p{Lu}\p{M}*\p{Ll})|\p{Lu}?\p{M}*[\p{Ll}\p{M}]+|\p{Lu}+\p{M}*|\p{N}+|[\p{Lo}\p{Lm}\p{Lt}\p{Co}]\p{M}*/gu;
/** A line of code: ends as a statement does, begins with a word of a language, calls or assigns. */
const CODE_LINE =
  /[;{}]\s*$|^\s*(?:def|class|return|import|from|func|fn|let|const|var|public|private|static|elif)\b|\w\([^()]*\)|[\w\])] [-+*|&]?=+ \S|^\s*@\w/u;
/** What stands behind and before a name in code that is no word of a sentence. */
const CODE_AFTER = /^(?:[([{<=`]|\.\p{L}|::|->)/u;
const CODE_BEFORE = /[.(@$<[&:*!`]$/;
/** From so many parts on a word in a sentence is an identifier; fewer have names such as GitHub. */
const SURE_PARTS = 3;
/** Longest word that is looked at, in UTF-16 units; longer ones are data. */
const WORD_CHARS = 100;
/** Keeps the parts of two identifiers from being neighbours: U+E000 is a word of its own. */
const BETWEEN = " \ue000 ";

/**
 * Splits an identifier where its case changes and at underscores: `getUserName`, `HTTP_server2`.
 *
 * @param word A word without white space and other marks.
 * @returns Its parts in order, at least two; `undefined` if it is one word.
 *
 * @example Capitals stay together
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(splitIdentifier("parseHTTPHeader"), ["parse", "HTTP", "Header"]);
 * assert.deepEqual(splitIdentifier("__user_name"), ["user", "name"]);
 * assert.equal(splitIdentifier("Header"), undefined);
 * ```
 */
export function splitIdentifier(word: string): string[] | undefined {
  if (word.length > WORD_CHARS || !COMPOUND.test(word)) return undefined;
  const parts = word.match(PART) ?? [];
  return parts.length > 1 ? parts : undefined;
}

/**
 * Lists the parts of the identifiers in a text, for a word index that has the text itself too.
 *
 * A word with an underscore is one anywhere, a word with a change of case in code. In a sentence it has
 * to begin with a small letter, to have three parts or to stand where code does: a name such as
 * PowerShell is one word to its readers.
 *
 * @param text Text of a chunk.
 * @param isCode Whether all of it is code.
 * @returns Each identifier once, its parts in order; `undefined` if there is none.
 */
export function listIdentifierParts(
  text: string,
  isCode: boolean,
): string | undefined {
  if (!COMPOUND.test(text)) return undefined;
  const found = new Map<string, string>();
  for (const line of text.split("\n")) {
    const isCodeLine = isCode || CODE_LINE.test(line);
    for (const { 0: name, index } of line.matchAll(NAME)) {
      if (found.has(name)) continue;
      const parts = splitIdentifier(name);
      if (parts === undefined) continue;
      if (
        isCodeLine || name.includes("_") || parts.length >= SURE_PARTS ||
        /^\p{Ll}/u.test(name) ||
        CODE_BEFORE.test(line.slice(Math.max(0, index - 1), index)) ||
        CODE_AFTER.test(
          line.slice(index + name.length, index + name.length + 3),
        )
      ) found.set(name, parts.join(" "));
    }
  }
  return found.size === 0 ? undefined : [...found.values()].join(BETWEEN);
}

/** Says whether a media type is that of source code. */
export function isCodeType(mime: string): boolean {
  return /^text\/(?:typescript|javascript|css|x-(?!rst$|org$|tex$|yaml$|toml$|ini$))/
    .test(mime);
}
