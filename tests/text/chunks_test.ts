import assert from "node:assert/strict";
import fc from "fast-check";
import {
  preprocess,
  type TextChunk,
  toChunks,
  type ToChunksOptions,
  toSections,
} from "../../lib/text/mod.ts";

/** Counts words. */
function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0;
}

/** Counts as a tokenizer of word pieces does: a word has a token per four characters. */
function countPieces(text: string): number {
  const words = text.match(/\S+/g) ?? [];
  return words.reduce((sum, word) => sum + Math.ceil([...word].length / 4), 0);
}

const SMALL: ToChunksOptions = {
  countTokens: countWords,
  maxTokens: 12,
  targetTokens: 8,
  overlapTokens: 0,
  mime: "text/markdown",
};

/** Texts of the chunks, trimmed. */
function textsOf(
  content: string,
  options: Partial<ToChunksOptions> = {},
): string[] {
  return toChunks(content, { ...SMALL, ...options })
    .map((chunk) =>
      (chunk.text ?? content.slice(chunk.start, chunk.end)).trim()
    );
}

/** Words `w1 w2 …`. */
function words(count: number, prefix = "w"): string {
  return Array.from({ length: count }, (_, i) => `${prefix}${i + 1}`).join(" ");
}

Deno.test.each([
  {
    rule: "keeps a short section whole",
    content: "# T\n\na b c",
    chunks: ["# T\n\na b c"],
  },
  {
    rule: "gathers blocks up to the target",
    content: [words(3, "a"), words(3, "b"), words(3, "c"), words(3, "d")].join(
      "\n\n",
    ),
    chunks: [
      `${words(3, "a")}\n\n${words(3, "b")}`,
      `${words(3, "c")}\n\n${words(3, "d")}`,
    ],
  },
  {
    rule: "keeps a paragraph whole when it fits the window, not the target",
    content: `${words(4, "a")}\n\n${words(12, "b")}`,
    chunks: [words(4, "a"), words(12, "b")],
  },
  {
    rule: "keeps a fence whole when it fits, blank lines in it and all",
    content:
      "a b c d e f\n\n```sh\n# one two\n\n# three\n\n# four\n```\n\nx y z u v w",
    chunks: [
      "a b c d e f",
      "```sh\n# one two\n\n# three\n\n# four\n```",
      "x y z u v w",
    ],
  },
  {
    rule: "keeps a longer fence around a shorter one whole",
    content: "a b c d e f\n\n````\n```\nx\n```\n\ny z\n````\n\na b c d e f",
    chunks: ["a b c d e f", "````\n```\nx\n```\n\ny z\n````", "a b c d e f"],
  },
  {
    rule: "keeps a list whole when it fits",
    content: "a b c d e f\n\n- one two\n\n  three\n- four\n  - five",
    chunks: ["a b c d e f", "- one two\n\n  three\n- four\n  - five"],
  },
  {
    rule: "keeps a fence with its list item",
    content: "a b c d e f\n\n- x\n\n  ```\n  # one\n\n  two\n  ```\n- y",
    chunks: ["a b c d e f", "- x\n\n  ```\n  # one\n\n  two\n  ```\n- y"],
  },
  {
    rule: "keeps a table whole when it fits",
    content: "a b c d e f\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    chunks: ["a b c d e f", "| a | b |\n|---|---|\n| 1 | 2 |"],
  },
  {
    rule: "keeps a heading with what it heads",
    content: `${words(15, "a")}\n\n## H\n${words(20, "b")}`,
    options: { maxTokens: 25, targetTokens: 20 },
    chunks: [words(15, "a"), `## H\n${words(20, "b")}`],
  },
  {
    rule: "splits a long paragraph at lines",
    content: [words(7, "a"), words(7, "b"), words(7, "c")].join("\n"),
    chunks: [words(7, "a"), words(7, "b"), words(7, "c")],
  },
  {
    rule: "splits a long line at sentences",
    content: `${words(7, "a")}. ${words(7, "b")}! ${words(7, "c")}?`,
    chunks: [`${words(7, "a")}.`, `${words(7, "b")}!`, `${words(7, "c")}?`],
  },
  {
    rule: "splits a long sentence at words",
    content: words(20),
    chunks: [
      "w1 w2 w3 w4 w5 w6 w7 w8",
      "w9 w10 w11 w12 w13 w14 w15 w16",
      "w17 w18 w19 w20",
    ],
  },
  {
    rule: "joins a very small rest to the chunk before it",
    content: words(13),
    options: { maxTokens: 12, targetTokens: 11 },
    chunks: ["w1 w2 w3 w4 w5 w6 w7 w8 w9 w10 w11", "w12 w13"],
  },
  {
    rule: "joins a rest of one word to the chunk before it",
    content: words(12),
    options: { maxTokens: 12, targetTokens: 11 },
    chunks: [words(12)],
  },
  {
    rule: "knows only blank lines in plain text",
    content: "# a b c d e\n# f g h i j",
    options: { mime: "text/x-python" },
    chunks: ["# a b c d e\n# f g h i j"],
  },
])("toChunks() $rule", ({ content, options, chunks }) => {
  assert.deepEqual(textsOf(content, options), chunks);
});

Deno.test("toChunks() splits CJK at its full stops", () => {
  const countTokens = (text: string) => text.replace(/\s/g, "").length;
  const chunks = textsOf("今天玩。成语接龙！游戏「好」。完", {
    countTokens,
    maxTokens: 6,
    targetTokens: 6,
  });
  assert.deepEqual(chunks, ["今天玩。", "成语接龙！", "游戏「好」。", "完"]);
});

Deno.test("toChunks() repeats the last sentence of a chunk, never half a fence", () => {
  const overlapTokens = 3;
  const prose = `${words(5, "a")}. b1 b2. ${words(6, "c")}. ${words(6, "d")}.`;
  assert.deepEqual(textsOf(prose, { overlapTokens }), [
    `${words(5, "a")}. b1 b2.`,
    `b1 b2. ${words(6, "c")}.`,
    `${words(6, "d")}.`,
  ]);
  const fence = `\`\`\`\n${words(3, "x")}\n${words(3, "y")}\n\`\`\`\n\n${
    words(7, "z")
  }`;
  assert.deepEqual(textsOf(fence, { overlapTokens }), [
    fence.slice(0, fence.indexOf("\n\nz")),
    words(7, "z"),
  ]);
});

Deno.test("toChunks() gives lines that count from 0 and leave blank ones out", () => {
  const content = `${words(7, "a")}\n\n\n${words(4, "b")}\n${
    words(4, "c")
  }\n\n${words(7, "d")}`;
  const lines = toChunks(content, SMALL).map((
    it,
  ) => [it.lineStart, it.lineEnd]);
  assert.deepEqual(lines, [[0, 0], [3, 4], [6, 6]]);
});

Deno.test("toChunks() gives no chunk for blank content", () => {
  for (const content of ["", " ", "\n\t\u3000\ufeff\n"]) {
    assert.deepEqual(toChunks(content, SMALL), []);
  }
});

Deno.test.each([
  { rule: "maxTokens is below 1", options: { maxTokens: 0, targetTokens: 0 } },
  { rule: "targetTokens is above maxTokens", options: { targetTokens: 13 } },
  { rule: "targetTokens is no number", options: { targetTokens: NaN } },
  { rule: "overlapTokens is negative", options: { overlapTokens: -1 } },
  { rule: "overlapTokens reaches the target", options: { overlapTokens: 8 } },
])("toChunks() throws RangeError if $rule", ({ options }) => {
  assert.throws(() => toChunks("a", { ...SMALL, ...options }), RangeError);
});

Deno.test("toChunks() replaces a data URI by a mark and still covers the content", () => {
  const uri = `data:image/png;base64,${"iVBORw0KGgoc4Z".repeat(5000)}`;
  const content = `Before it.\n\n![pic](${uri})\n\nAfter it.`;
  const [chunk, ...more] = toChunks(content, SMALL);
  assert.deepEqual(more, []);
  assert.equal(
    chunk?.text,
    `Before it.\n\n![pic]([data:image/png, ${uri.length} chars])\n\nAfter it.`,
  );
  assert.deepEqual([chunk?.start, chunk?.end], [0, content.length]);
  assert.deepEqual([chunk?.lineStart, chunk?.lineEnd], [0, 4]);
  assert.equal(chunk?.tokenCount, 7);
});

Deno.test("toChunks() sets a text only where payload was replaced", () => {
  const content = `${words(12, "a")}\n\nkey ${"iVBORw0KGgoc4Z".repeat(30)}\n\n${
    words(12, "b")
  }`;
  const chunks = toChunks(content, SMALL);
  assert.deepEqual(chunks.map((it) => it.text?.trim()), [
    undefined,
    "key [base64, 420 chars]",
    undefined,
  ]);
});

/** Asserts what holds for the chunks of any content. */
function assertCover(
  content: string,
  chunks: readonly TextChunk[],
  options: ToChunksOptions,
): void {
  assert.equal(chunks[0]?.start, 0);
  assert.equal(chunks.at(-1)?.end, content.length);
  for (const [index, chunk] of chunks.entries()) {
    const span = content.slice(chunk.start, chunk.end);
    const text = chunk.text ?? span;
    assert.notEqual(span.trim(), "");
    assert.ok(span.isWellFormed());
    assert.ok(
      chunk.tokenCount <= options.maxTokens,
      `${chunk.tokenCount} tokens`,
    );
    assert.equal(chunk.tokenCount, options.countTokens(text));
    const lead = span.length - span.trimStart().length;
    const lineStart = content.slice(0, chunk.start + lead).split("\n").length -
      1;
    assert.equal(chunk.lineStart, lineStart);
    assert.equal(chunk.lineEnd, lineStart + span.trim().split("\n").length - 1);
    const before = chunks[index - 1];
    if (before === undefined) continue;
    assert.ok(chunk.start >= before.start && chunk.start <= before.end);
    assert.ok(chunk.end >= before.end);
    // A mark may be cut; both parts then stand for the whole payload.
    if (chunk.text !== undefined || before.text !== undefined) continue;
    assert.ok(chunk.start > before.start && chunk.end > before.end);
    const repeated = options.countTokens(
      content.slice(chunk.start, before.end),
    );
    assert.ok(repeated <= options.overlapTokens, `${repeated} tokens repeated`);
  }
}

const line = fc.oneof(
  fc.constantFrom(
    "",
    "",
    "# A",
    "## B c",
    "one two three.",
    'A. B! C? "D." e',
    "- item",
    "  - x",
  ),
  fc.constantFrom(
    "```",
    "~~~",
    "````js",
    "| a | b |",
    "|---|",
    "> q",
    "    code",
    "---",
  ),
  fc.constantFrom(
    "成语接龙。游戏！",
    "🌸".repeat(30),
    "x".repeat(50),
    "\u3000\u3000",
    "e\u0301",
  ),
  fc.constantFrom(
    words(30),
    "https://example.org/a/b?c=d#e ".repeat(4),
    "A1b2".repeat(60),
  ),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const anyContent = fc.array(line, { minLength: 1, maxLength: 40, size: "max" })
  .map((lines) => preprocess(lines.join("\n")))
  .filter((content) => content !== "");
const anyOptions = fc.record({
  countTokens: fc.constantFrom(countWords, countPieces),
  mime: fc.constantFrom("text/markdown", "text/plain", "text/x-go"),
  maxTokens: fc.integer({ min: 1, max: 60 }),
  target: fc.double({ min: 0, max: 1, noNaN: true }),
  overlap: fc.double({ min: 0, max: 0.9, noNaN: true }),
}).map(({ target, overlap, ...options }): ToChunksOptions => {
  const targetTokens = Math.max(1, Math.round(options.maxTokens * target));
  return {
    ...options,
    targetTokens,
    overlapTokens: Math.floor(targetTokens * overlap),
  };
});

Deno.test("toChunks() cover any content, within the window, overlapping only backwards", () => {
  fc.assert(
    fc.property(anyContent, anyOptions, (content, options) => {
      assertCover(content, toChunks(content, options), options);
    }),
    { numRuns: 500 },
  );
});

Deno.test("toChunks() never split a fence that fits the window", () => {
  const fence = fc.array(fc.constantFrom("# a", "", "b c", "```", "- d"), {
    maxLength: 8,
  })
    .map((lines) => ["````sh", ...lines, "````"].join("\n"));
  const prose = fc.integer({ min: 1, max: 30 }).map((count) => words(count));
  const blocks = fc.array(fc.oneof(fence, prose), {
    minLength: 1,
    maxLength: 12,
  });
  fc.assert(fc.property(blocks, (parts) => {
    const content = parts.join("\n\n");
    const options = {
      ...SMALL,
      maxTokens: 20,
      targetTokens: 15,
      overlapTokens: 3,
    };
    for (const { start, end } of toChunks(content, options)) {
      const marks = content.slice(start, end).match(/^````/gm)?.length ?? 0;
      assert.equal(marks % 2, 0, content.slice(start, end));
    }
  }));
});

Deno.test("toChunks() keep to the window on text that is dense in tokens", () => {
  const dense = Array.from(
    { length: 350 },
    (_, i) =>
      i % 2 === 0
        ? `https://a.example/${"path/".repeat(8)}${i}`
        : "成语接龙游戏".repeat(4),
  ).join(" ");
  const options = {
    ...SMALL,
    countTokens: countPieces,
    maxTokens: 100,
    targetTokens: 80,
  };
  assertCover(dense, toChunks(dense, options), options);
});

Deno.test.each([
  { rule: "words", text: `${"word ".repeat(1_000_000)}end` },
  { rule: "one word", text: "x".repeat(5_000_000) },
  { rule: "emoji", text: "🌸".repeat(2_500_000) },
  { rule: "blanks", text: `a${" ".repeat(5_000_000)}b` },
  { rule: "sentences", text: "A b. ".repeat(1_000_000).trim() },
])(
  "toChunks() count each character a few times on a line of 5 MB of $rule",
  ({ text }) => {
    // What is counted stands for the time taken, without a clock.
    let counted = 0;
    const countTokens = (part: string) => {
      counted += part.length;
      return countPieces(part);
    };
    const options = {
      ...SMALL,
      countTokens,
      maxTokens: 500,
      targetTokens: 400,
      overlapTokens: 60,
    };
    const chunks = toChunks(text, options);
    assert.ok(counted < text.length * 8, `${counted} characters counted`);
    assert.equal(chunks[0]?.start, 0);
    assert.equal(chunks.at(-1)?.end, text.length);
    assert.ok(chunks.every((it) => it.tokenCount <= options.maxTokens));
    assert.ok(
      chunks.every((it) => text.slice(it.start, it.end).isWellFormed()),
    );
  },
);

Deno.test("toChunks() cut what toSections() gives for a file of nothing but emoji", () => {
  const { sections } = toSections("🌸".repeat(1001), {
    mime: "text/plain",
    maxSectionChars: 333,
  });
  const options = {
    ...SMALL,
    countTokens: countPieces,
    maxTokens: 7,
    targetTokens: 5,
  };
  for (const { content } of sections) {
    assertCover(content, toChunks(content, options), options);
  }
});
