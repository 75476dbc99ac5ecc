import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { Tokenizer as Reference } from "@huggingface/tokenizers";
import fc from "fast-check";
import {
  loadTokenizer,
  resolveModel,
  type TokenizerDefinition,
} from "../../lib/embed/mod.ts";
import { Tokenizer } from "../../lib/embed/tokenizer.ts";

const MODEL = resolveModel();
const TOKENIZER = loadTokenizer(MODEL);
const DEFINITION: TokenizerDefinition = JSON.parse(
  readFileSync(MODEL.tokenizerPath, "utf8"),
);
const REFERENCE = new Reference(DEFINITION, {});

Deno.test.each([
  { what: "nothing", text: "" },
  { what: "white space only", text: " \n\t " },
  { what: "plain English", text: "Hello, World! Don't split can't twice." },
  { what: "upper case", text: "TITLE: ALL CAPS, SQL AND İstanbul ıI" },
  { what: "precomposed accents", text: "Naïve café déjà vu Ångström ŉ ΐ" },
  { what: "combining accents", text: "e\u0301 a\u0300\u0301\u0302b \u0301x" },
  { what: "sharp s and final sigma", text: "STRASSE ß ẞ Ωμέγας Σ" },
  { what: "Chinese", text: "成语接龙,中文。混合text没有空格" },
  { what: "Japanese", text: "日本語テキストと English カタカナ" },
  { what: "Korean", text: "한국어 텍스트 \u1100\u1161\u11a8 각" },
  { what: "Thai, Arabic and Hindi", text: "สวัสดี مرحبا हिन्दी" },
  { what: "Cyrillic", text: "Привет, мир" },
  { what: "emoji with joiners", text: "👩‍👩‍👧 family 😀! 🏳️‍🌈 🇩🇪 1️⃣" },
  { what: "control characters", text: "a\0b\x01c\x7fd\x85e\x0bf\x0cg\x1b" },
  {
    what: "format characters",
    text: "zero\u200bwidth\u00adsoft\ufeffbom\u2060",
  },
  { what: "the replacement character", text: "a\ufffdb \ufffd" },
  { what: "private use", text: "\ue000private" },
  {
    what: "every white space",
    text: "a\tb\nc\r\nd\u00a0e\u2003f\u3000g\u2028h",
  },
  { what: "ASCII punctuation", text: "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~" },
  { what: "other punctuation", text: "—–… “quoted” ‘x’ «y» €5 £3 ¥7" },
  { what: "numbers", text: "3.14 1,000 ½ ² Ⅷ ① 2026-01-31" },
  { what: "compatibility forms", text: "ﬁ ligature Ａｂｃ \u{1d400}" },
  { what: "code", text: "def add(a, b):\n    return a_b[0] + camelCase" },
  {
    what: "hexadecimal",
    text: "3f9a8c7e41b2d605 DEADBEEF 0x1f e3b0c44298fc1c14",
  },
  { what: "an address", text: "https://example.org/a?b=c&d=%20#e" },
  { what: "[SEP] inside text", text: "one [SEP] two[SEP]three [CLS]" },
  { what: "other added tokens", text: "[MASK]x[PAD] [UNK]" },
  { what: "brackets that are no token", text: "[sep] [ SEP ] [x] [[SEP]]" },
  { what: "a word at the length limit", text: "x".repeat(100) },
  { what: "a word above the length limit", text: "x".repeat(101) },
  { what: "a long word with accents", text: "é".repeat(101) },
])("Tokenizer.encode() gives the reference's ids for $what", ({ text }) => {
  const { ids, cut } = TOKENIZER.encode(text, 1000);
  assert.deepEqual([...ids], REFERENCE.encode(text).ids);
  assert.equal(cut, false);
  assert.equal(TOKENIZER.countTokens(text), ids.length - 2);
});

const anyText = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary-ascii", maxLength: 40 }),
  fc.array(
    fc.constantFrom("[SEP]", "[", "é", "日本", "👩‍👧", "don't", "\u0301", "x y"),
    { maxLength: 8 },
  ).map((parts) => parts.join("")),
);

Deno.test("Tokenizer.countTokens() adds up over white space", () => {
  const blank = fc.constantFrom(" ", "\n", "\t", "\r\n", "  ");
  fc.assert(fc.property(anyText, blank, anyText, (left, space, right) => {
    assert.equal(
      TOKENIZER.countTokens(left + space + right),
      TOKENIZER.countTokens(left) + TOKENIZER.countTokens(right),
    );
  }));
});

Deno.test("Tokenizer.countTokens() is what Tokenizer.encode() gives without marks", () => {
  fc.assert(fc.property(anyText, (text) => {
    const { ids } = TOKENIZER.encode(text, 10_000);
    assert.equal(TOKENIZER.countTokens(text), ids.length - 2);
  }));
});

Deno.test.each([
  { maxTokens: 2, cut: true },
  { maxTokens: 3, cut: true },
  { maxTokens: 7, cut: true },
  { maxTokens: 8, cut: false },
  { maxTokens: 9, cut: false },
])(
  "Tokenizer.encode() of 6 words into $maxTokens ids says cut: $cut",
  ({ maxTokens, cut }) => {
    const text = "one two three four five six";
    const whole = [...TOKENIZER.encode(text, 100).ids];
    assert.equal(whole.length, 8);
    const encoding = TOKENIZER.encode(text, maxTokens);
    assert.equal(encoding.cut, cut);
    assert.deepEqual(
      [...encoding.ids],
      cut ? [...whole.slice(0, maxTokens - 1), whole.at(-1)] : whole,
    );
  },
);

Deno.test("Tokenizer.encode() cuts inside a word of several pieces", () => {
  const text = "antidisestablishmentarianism";
  const whole = TOKENIZER.encode(text, 100).ids;
  assert.ok(whole.length > 5);
  const { ids, cut } = TOKENIZER.encode(text, 5);
  assert.equal(cut, true);
  assert.deepEqual([...ids], [...whole.slice(0, 4), whole.at(-1)]);
});

Deno.test.each([{ maxTokens: 1 }, { maxTokens: 2.5 }, { maxTokens: NaN }])(
  "Tokenizer.encode() refuses room for $maxTokens ids",
  ({ maxTokens }) => {
    assert.throws(() => TOKENIZER.encode("text", maxTokens), RangeError);
  },
);

Deno.test.each<{ rule: string; change: Partial<TokenizerDefinition> }>([
  { rule: "has no normalizer", change: { normalizer: null } },
  {
    rule: "keeps case",
    change: { normalizer: { type: "BertNormalizer", lowercase: false } },
  },
  {
    rule: "is of another kind",
    change: { model: { ...DEFINITION.model, type: "BPE" } },
  },
  {
    rule: "lacks its marks",
    change: { model: { ...DEFINITION.model, vocab: { "[UNK]": 0 } } },
  },
])("Tokenizer refuses a definition that $rule", ({ change }) => {
  assert.throws(
    () => new Tokenizer({ ...DEFINITION, ...change }),
    TypeError,
  );
});
