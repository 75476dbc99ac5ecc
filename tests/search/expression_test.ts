import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { LIMITS } from "../../lib/core/mod.ts";
import {
  toAnyExpression,
  toMatchExpression,
  toRequiredExpression,
  toTermExpression,
} from "../../lib/search/expression.ts";
import { parseQuery } from "../../lib/search/parse.ts";
import { segmentForIndex } from "../../lib/text/mod.ts";

/** A full-text table that splits words as the store's does. */
class Index implements Disposable {
  readonly #db = new DatabaseSync(":memory:");
  readonly #texts: readonly string[];

  constructor(texts: readonly string[] = []) {
    this.#texts = texts;
    this.#db.exec(`CREATE VIRTUAL TABLE fts USING fts5(text,
      tokenize = "porter unicode61 remove_diacritics 2 categories 'L* M* N* Co'")`);
    const insert = this.#db.prepare(
      "INSERT INTO fts(rowid, text) VALUES (?, ?)",
    );
    for (const [index, text] of texts.entries()) {
      insert.run(index, segmentForIndex(text) ?? text);
    }
  }

  /** Texts that match, best first; raises if FTS5 refuses the expression. */
  match(expression: string): string[] {
    return this.#db
      .prepare("SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rank, rowid")
      .all(expression)
      .map(({ rowid }) => this.#texts[Number(rowid)] ?? "gone");
  }

  /** Texts a query finds, best first. */
  find(query: string): string[] {
    const expression = toMatchExpression(parseQuery(query));
    return expression === undefined ? [] : this.match(expression);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

Deno.test.each<{ query: string; expression: string | undefined }>([
  { query: "", expression: undefined },
  { query: "?! * ^ -- ()", expression: undefined },
  { query: "red fox", expression: '("red" OR "fox")' },
  { query: "red red", expression: '("red" OR "red")' },
  { query: "the red fox", expression: '("red" OR "fox")' },
  { query: "The fox, it is.", expression: '"fox"' },
  { query: "to be or not to be", expression: toBe() },
  { query: "the be* fox", expression: '("be" * OR "fox")' },
  { query: "embed*", expression: '"embed" *' },
  { query: "multi-agent", expression: '("multi agent" OR "multi" OR "agent")' },
  { query: "2026.4.10", expression: '("2026 4 10" OR "2026" OR "10")' },
  { query: "state-of-the-art", expression: artOf() },
  { query: "c++", expression: '"c"' },
  { query: "成语", expression: '"成 语"' },
  {
    query: "成语接龙",
    expression: '("成 语 接 龙" OR "成 语" OR "语 接" OR "接 龙")',
  },
  { query: "成语*", expression: '"成 语" *' },
  { query: '"red fox"', expression: '"red fox"' },
  { query: '"a b" "c d"', expression: '"a b" AND "c d"' },
  {
    query: '"the fox" red',
    expression: '(("the fox") OR ("the fox" AND "red"))',
  },
  { query: "fox -red", expression: '("fox") NOT "red"' },
  { query: 'fox -the -"b c" -d*', expression: exclusions() },
])("toMatchExpression() writes $query for FTS5", ({ query, expression }) => {
  assert.equal(toMatchExpression(parseQuery(query)), expression);
  using index = new Index();
  if (expression !== undefined) assert.deepEqual(index.match(expression), []);
});

/** Stop words stay when there is nothing else. */
function toBe(): string {
  return '("to" OR "be" OR "or" OR "not" OR "to" OR "be")';
}

/** A compound drops stop words among its parts, not in the whole. */
function artOf(): string {
  return '("state of the art" OR "state" OR "art")';
}

/** Exclusions are alternatives, and no stop word is dropped from them. */
function exclusions(): string {
  return '("fox") NOT ("the" OR "b c" OR "d" *)';
}

const TEXTS = [
  "The quick red fox",
  "A red car, quick to start",
  "Multi-agent systems",
  "An agent of change",
  "Release 2026.4.10 notes",
  "我们玩成语接龙游戏",
  "接力赛跑",
  "Café in Zürich",
  "beekeeping for beginners",
];

Deno.test.each([
  { rule: "any of the words", query: "fox agent", hits: [0, 2, 3] },
  { rule: "every phrase", query: '"red fox" "quick red"', hits: [0] },
  {
    rule: "a phrase whatever else is asked",
    query: '"red car" fox',
    hits: [1],
  },
  {
    rule: "nothing if one phrase is missing",
    query: '"red car" "x"',
    hits: [],
  },
  { rule: "no excluded word", query: "red -fox", hits: [1] },
  { rule: "no excluded phrase", query: 'red -"red car"', hits: [0] },
  { rule: "no excluded prefix", query: "red -fo*", hits: [1] },
  { rule: "the start of a word", query: "bee*", hits: [8] },
  {
    rule: "a short prefix that is also a stop word",
    query: "zzz be*",
    hits: [8],
  },
  { rule: "other forms of a word", query: "starting", hits: [1] },
  { rule: "letters without their accents", query: "cafe zurich", hits: [7] },
  { rule: "letters in another case", query: "MULTI", hits: [2] },
  { rule: "a two-character word inside a run", query: "成语", hits: [5] },
  { rule: "a single character", query: "赛", hits: [6] },
  { rule: "no characters that stand apart", query: '"成龙"', hits: [] },
  { rule: "an exact version", query: "2026.4.10", hits: [4] },
])("toMatchExpression() finds $rule", ({ query, hits }) => {
  using index = new Index(TEXTS);
  assert.deepEqual(
    index.find(query).toSorted(),
    hits.map((hit) => TEXTS[hit]).toSorted(),
  );
});

Deno.test("toMatchExpression() ranks a whole compound above its parts", () => {
  using index = new Index([
    "an agent here",
    "a multi agent here",
    "multi here",
  ]);
  assert.equal(index.find("multi-agent")[0], "a multi agent here");
});

Deno.test("toMatchExpression() ranks a text with the other words above one with the phrase alone", () => {
  using index = new Index(["red fox and so", "red fox and owl", "x y z"]);
  assert.deepEqual(index.find('"red fox" owl'), [
    "red fox and owl",
    "red fox and so",
  ]);
});

Deno.test("toTermExpression() stands for one term and is undefined without a token", () => {
  assert.equal(toTermExpression({ text: "fox", kind: "word" }), '"fox"');
  assert.equal(toTermExpression({ text: "the", kind: "word" }), '"the"');
  assert.equal(
    toTermExpression({ text: "a-b c", kind: "phrase" }),
    '"a b c"',
  );
  assert.equal(
    toTermExpression({ text: "ab-cd", kind: "word" }),
    '("ab cd" OR "ab" OR "cd")',
  );
  for (const kind of ["word", "phrase", "prefix"] as const) {
    assert.equal(toTermExpression({ text: '"*"', kind }), undefined);
  }
});

Deno.test("toAnyExpression() joins terms and is undefined without one", () => {
  assert.equal(toAnyExpression([]), undefined);
  assert.equal(toAnyExpression([{ text: "!", kind: "word" }]), undefined);
  assert.equal(
    toAnyExpression([
      { text: "a", kind: "word" },
      { text: "b c", kind: "phrase" },
    ]),
    '("a" OR "b c")',
  );
});

Deno.test("toRequiredExpression() holds the phrases and is undefined without one", () => {
  assert.equal(toRequiredExpression(parseQuery("a b* -c")), undefined);
  assert.equal(
    toRequiredExpression(parseQuery('a "b c" "d" -"e f"')),
    '"b c" AND "d"',
  );
});

/** Text with everything FTS5 could take for syntax. */
const anyQuery = fc.array(
  fc.oneof(
    fc.constantFrom(
      '"',
      '""',
      "'",
      "(",
      ")",
      "*",
      "^",
      ":",
      "-",
      "+",
      "{",
      "}",
      ",",
      " ",
      " NEAR(",
      " AND ",
      " OR ",
      " NOT ",
      "text:",
      "\0",
      "\ud800",
      "\udc00",
      "\u200b",
      "\u0301",
      "\ue000",
      "成语",
      "กี่",
      "ﾊﾟ",
    ),
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.string({ unit: "grapheme", maxLength: 8 }),
  ),
  { maxLength: 40 },
).map((parts) => parts.join(""));

Deno.test("toMatchExpression() writes nothing FTS5 refuses, whatever the query", () => {
  using index = new Index(TEXTS);
  fc.assert(
    fc.property(anyQuery, (text) => {
      const query = parseQuery(text);
      const expressions = [
        toMatchExpression(query),
        toRequiredExpression(query),
        toAnyExpression(query.terms),
        toAnyExpression(query.excluded),
        ...query.terms.map(toTermExpression),
      ];
      for (const expression of expressions) {
        if (expression !== undefined) index.match(expression);
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("toTermExpression() writes nothing FTS5 refuses, even for a term no query gives", () => {
  using index = new Index(TEXTS);
  const kind = fc.constantFrom(
    "word" as const,
    "phrase" as const,
    "prefix" as const,
  );
  fc.assert(fc.property(anyQuery, kind, (text, kind) => {
    const expression = toTermExpression({ text, kind });
    if (expression !== undefined) index.match(expression);
  }));
});

Deno.test("toMatchExpression() finds a text by each of its words", () => {
  const word = fc.string({
    unit: fc.constantFrom(..."abcéßджשלом中文かな한글กี0189"),
    minLength: 1,
    maxLength: 6,
  }).map((text) => text.normalize("NFC"));
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), (words) => {
      const text = words.join(" ");
      using index = new Index([text]);
      for (const word of words) {
        if (!/[\p{L}\p{N}]/u.test(word)) continue;
        assert.deepEqual(index.find(word), [text], word);
        assert.deepEqual(index.find(`"${word}"`), [text], word);
      }
    }),
  );
});

Deno.test.each([
  { rule: "one run of Chinese", query: "成语接龙".repeat(2500) },
  { rule: "a Chinese phrase", query: `"${"成语接龙".repeat(2499)}"` },
  { rule: "one compound", query: "ab.".repeat(3333) },
  { rule: "words", query: "ab ".repeat(3333) },
  { rule: "phrases", query: '"a b" '.repeat(1600) },
  { rule: "exclusions", query: `x ${"-ab ".repeat(LIMITS.queryTerms)}` },
  { rule: "quotes", query: '"'.repeat(10_000) },
])(
  "toMatchExpression() writes nothing FTS5 refuses for a query full of $rule",
  ({ query }) => {
    assert.ok(query.length <= LIMITS.queryChars);
    using index = new Index();
    assert.deepEqual(index.find(query), []);
  },
);
