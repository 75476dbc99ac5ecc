import assert from "node:assert/strict";
import fc from "fast-check";
import { segmentForIndex, splitSegmented } from "../../lib/text/mod.ts";

Deno.test.each([
  {
    rule: "splits Chinese by character",
    word: "成语接龙",
    parts: ["成", "语", "接", "龙"],
  },
  {
    rule: "splits kana and keeps a long vowel mark",
    word: "しりサー",
    parts: ["し", "り", "サ", "ー"],
  },
  {
    rule: "splits Hangul by syllable",
    word: "끝말잇기",
    parts: ["끝", "말", "잇", "기"],
  },
  { rule: "splits half-width kana", word: "ｱｲ", parts: ["ｱ", "ｲ"] },
  {
    rule: "splits characters beyond U+FFFF without tearing a pair",
    word: "𠮷野",
    parts: ["𠮷", "野"],
  },
  { rule: "keeps Thai marks on their letter", word: "กี่", parts: ["กี่"] },
  {
    rule: "splits Khmer by letter with its marks",
    word: "កាខ",
    parts: ["កា", "ខ"],
  },
  {
    rule: "keeps runs of other scripts whole",
    word: "用SQLite3做",
    parts: ["用", "SQLite3", "做"],
  },
  { rule: "leaves a Latin word", word: "naïve", parts: ["naïve"] },
  { rule: "leaves Devanagari", word: "हिन्दी", parts: ["हिन्दी"] },
  { rule: "leaves Arabic and Hebrew", word: "سلامשלום", parts: ["سلامשלום"] },
  { rule: "leaves emoji", word: "🌸🐘", parts: ["🌸🐘"] },
  { rule: "gives nothing for an empty word", word: "", parts: [] },
])("splitSegmented() $rule", ({ word, parts }) => {
  assert.deepEqual(splitSegmented(word), parts);
});

Deno.test("segmentForIndex() gives undefined when nothing is to separate", () => {
  for (const text of ["", "plain text", "Привет мир", "🌸", "。、"]) {
    assert.equal(segmentForIndex(text), undefined, text);
  }
});

Deno.test("segmentForIndex() adds nothing but separators, and each character stands alone", () => {
  const text = fc.string({
    unit: fc.constantFrom(
      "成",
      "語",
      "끝",
      "ก",
      "ี",
      "a",
      "1",
      " ",
      "。",
      "🌸",
      "𠮷",
    ),
  });
  fc.assert(fc.property(text, (original) => {
    const segmented = segmentForIndex(original) ?? original;
    assert.equal(segmented.replaceAll("\u200b", ""), original);
    const words = segmented.split(/[\u200b\s。]+/);
    for (const word of words) {
      const letters = word.match(/[成語끝ก𠮷]/gu)?.length ?? 0;
      assert.ok(letters <= 1, JSON.stringify(words));
      assert.ok(letters === 0 || !/[a1🌸]/u.test(word), JSON.stringify(words));
    }
  }));
});

Deno.test("segmentForIndex() finds a query inside a sentence", () => {
  const sentence = segmentForIndex("今天玩成语接龙游戏")?.split("\u200b") ?? [];
  const query = splitSegmented("成语接龙");
  assert.ok(sentence.join(" ").includes(query.join(" ")));
});
