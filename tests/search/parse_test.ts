import assert from "node:assert/strict";
import fc from "fast-check";
import { KbError, LIMITS } from "../../lib/core/mod.ts";
import { parseQuery, type QueryTerm } from "../../lib/search/parse.ts";

const word = (text: string): QueryTerm => ({ text, kind: "word" });
const phrase = (text: string): QueryTerm => ({ text, kind: "phrase" });
const prefix = (text: string): QueryTerm => ({ text, kind: "prefix" });

interface TermRow {
  readonly rule: string;
  readonly query: string;
  readonly terms?: readonly QueryTerm[];
  readonly excluded?: readonly QueryTerm[];
}

Deno.test.each<TermRow>([
  { rule: "nothing from an empty query", query: "" },
  { rule: "nothing from white space", query: " \t\n\u3000" },
  { rule: "nothing from punctuation", query: '?! -- "..." * ^ : ()' },
  {
    rule: "words, repeated ones kept",
    query: "red fox  red",
    terms: [word("red"), word("fox"), word("red")],
  },
  {
    rule: "a phrase, operators in it included",
    query: '"to be OR not" tail',
    terms: [phrase("to be OR not"), word("tail")],
  },
  {
    rule: "words that look like operators as words",
    query: "a AND NOT NEAR(b, 2)",
    terms: [
      word("a"),
      word("AND"),
      word("NOT"),
      word("NEAR(b,"),
      word("2)"),
    ],
  },
  {
    rule: "a prefix",
    query: "embed* 成语*",
    terms: [prefix("embed"), prefix("成语")],
  },
  {
    rule: "a prefix whose letters carry marks",
    query: "हिन्दी*",
    terms: [prefix("हिन्दी")],
  },
  {
    rule: "a star elsewhere as part of the word",
    query: "a*b *c",
    terms: [word("a*b"), word("*c")],
  },
  {
    rule: "exclusions of a word, a phrase and a prefix",
    query: 'keep -drop -"no way" -pre*',
    terms: [word("keep")],
    excluded: [word("drop"), phrase("no way"), prefix("pre")],
  },
  {
    rule: "a hyphen inside a word, or alone, as no exclusion",
    query: "multi-agent - --flag",
    terms: [word("multi-agent"), word("--flag")],
  },
  {
    rule: "a query that only excludes as words",
    query: "-a -b",
    terms: [word("a"), word("b")],
  },
  {
    rule: "an unpaired quote as part of the word",
    query: 'say "hi',
    terms: [word("say"), word('"hi')],
  },
  {
    rule: "composed letters",
    query: "cafe\u0301",
    terms: [word("caf\u00e9")],
  },
  {
    rule: "characters of private use, which the index holds",
    query: "\ue0a0",
    terms: [word("\ue0a0")],
  },
  {
    rule: "the replacement character for half a surrogate pair",
    query: "a\ud800b",
    terms: [word("a\ufffdb")],
  },
  {
    rule: "keys it does not know as words",
    query: "lang:de TAG:x http://a.b",
    terms: [word("lang:de"), word("TAG:x"), word("http://a.b")],
  },
  {
    rule: "a filter without a value as a word",
    query: 'tag: tag:""',
    terms: [word("tag:"), word('tag:""')],
  },
  {
    rule: "an excluded filter as an excluded word",
    query: "x -tag:a",
    terms: [word("x")],
    excluded: [word("tag:a")],
  },
])("parseQuery() reads $rule", ({ query, terms = [], excluded = [] }) => {
  const parsed = parseQuery(query);
  assert.deepEqual(parsed.terms, terms);
  assert.deepEqual(parsed.excluded, excluded);
  assert.deepEqual(parsed.filter, {});
});

Deno.test.each([
  { query: "tag:a tag:b", filter: { tags: ["a", "b"] } },
  { query: 'tag:"two words"', filter: { tags: ["two words"] } },
  { query: 'tag:"two\nlines"', filter: { tags: ["two\nlines"] } },
  { query: "tag:a:b", filter: { tags: ["a:b"] } },
  {
    query: "type:note in:work",
    filter: { docType: "note", collection: "work" },
  },
  { query: "in:first in:second", filter: { collection: "second" } },
  { query: "after:2026-01-31", filter: { after: "2026-01-31T00:00:00.000Z" } },
  {
    query: "before:2024-02-29",
    filter: { before: "2024-02-29T00:00:00.000Z" },
  },
  {
    query: "after:2026-01-31T10:00",
    filter: { after: "2026-01-31T10:00:00.000Z" },
  },
  {
    query: "after:2026-01-31T10:00:30.5+02:00",
    filter: { after: "2026-01-31T08:00:30.500Z" },
  },
])("parseQuery() takes $query as a filter", ({ query, filter }) => {
  const parsed = parseQuery(`word ${query}`);
  assert.deepEqual(parsed.filter, filter);
  assert.deepEqual(parsed.terms, [word("word")]);
});

Deno.test.each([
  { date: "yesterday" },
  { date: "2026" },
  { date: "2026-1-31" },
  { date: "2026-13-01" },
  { date: "2026-02-30" },
  { date: "2026-01-31T25:00Z" },
  { date: "2026-01-31(x)" },
  { date: "2026-01-31x" },
])("parseQuery() refuses the date $date and says how one looks", ({ date }) => {
  for (const key of ["after", "before"]) {
    assert.throws(
      () => parseQuery(`${key}:${date}`),
      (error: unknown) =>
        error instanceof KbError && error.code === "invalid_query" &&
        error.message.includes(`${key}:2026-01-31`),
    );
  }
});

Deno.test("parseQuery() refuses a query above the limit, and takes one at it", () => {
  assert.equal(parseQuery("a".repeat(LIMITS.queryChars)).terms.length, 1);
  assert.throws(
    () => parseQuery("a".repeat(LIMITS.queryChars + 1)),
    (error: unknown) =>
      error instanceof KbError && error.code === "invalid_query",
  );
});

Deno.test("parseQuery() leaves marks, filters and exclusions out of the meaning", () => {
  const { meaning } = parseQuery('scan* "exact match" -gpu tag:a vectors');
  assert.equal(meaning, "scan exact match vectors");
});

Deno.test("parseQuery() gives an empty meaning for filters alone", () => {
  assert.equal(parseQuery("tag:a").meaning, "");
});

Deno.test("parseQuery() notes a query that only excludes", () => {
  const { notes, meaning } = parseQuery("-gpu");
  assert.equal(meaning, "gpu");
  assert.equal(notes.length, 1);
  assert.match(notes[0] ?? "", /only excludes/);
});

Deno.test("parseQuery() notes each exclusion", () => {
  const { notes } = parseQuery("x -a -b");
  assert.equal(notes.length, 2);
  assert.match(notes[0] ?? "", /"a"/);
});

Deno.test("parseQuery() notes words beyond the limit, which count for the meaning only", () => {
  const count = LIMITS.queryTerms + 1;
  const { terms, notes, meaning } = parseQuery("w ".repeat(count));
  assert.equal(terms.length, LIMITS.queryTerms);
  assert.equal(meaning.split(" ").length, count);
  assert.match(notes.join(), new RegExp(`${LIMITS.queryTerms} of ${count}`));
});

Deno.test("parseQuery() notes nothing about an ordinary query", () => {
  assert.deepEqual(parseQuery('red "blue sky" gr* tag:a').notes, []);
});

Deno.test("parseQuery() takes any text without raising, and is stable", () => {
  const piece = fc.oneof(
    fc.constantFrom('"', "-", "*", ":", " ", "tag:", "in:", "\ud800", "\0"),
    fc.string({ unit: "binary", maxLength: 6 }),
  );
  const text = fc.array(piece, { maxLength: 30 }).map((all) => all.join(""));
  fc.assert(fc.property(text, (query) => {
    const parsed = parseQuery(query);
    assert.deepEqual(parseQuery(query), parsed);
    assert.ok(parsed.meaning.isWellFormed());
    for (const term of [...parsed.terms, ...parsed.excluded]) {
      assert.notEqual(term.text, "");
    }
  }));
});

Deno.test("parseQuery() refuses more exclusions than it can keep", () => {
  const query = `x ${"-ab ".repeat(LIMITS.queryTerms + 1)}`;
  assert.throws(() => parseQuery(query), { code: "invalid_query" });
});
