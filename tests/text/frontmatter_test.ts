import assert from "node:assert/strict";
import { LIMITS } from "../../lib/core/mod.ts";
import { readFrontmatter } from "../../lib/text/frontmatter.ts";
import { toSections } from "../../lib/text/mod.ts";

/** Reads YAML fields. */
function yaml(...lines: string[]): ReturnType<typeof readFrontmatter> {
  return readFrontmatter(`---\n${lines.join("\n")}\n---\nBody.\n`);
}

Deno.test.each([
  { rule: "a title", lines: ["title: A plain title"], title: "A plain title" },
  { rule: "a quoted title", lines: ['title: "A: b"'], title: "A: b" },
  { rule: "a numeric title", lines: ["title: 123"], title: "123" },
  { rule: "a boolean title", lines: ["title: true"], title: "true" },
  { rule: "no title from null", lines: ["title: null"], title: null },
  { rule: "no title from nothing", lines: ["title:"], title: null },
  { rule: "no title from white space", lines: ['title: " "'], title: null },
  {
    rule: "a title over two lines",
    lines: ["title: |", "  a", "  b"],
    title: "a b",
  },
  { rule: "a title in any case", lines: ["Title: x"], title: "x" },
  { rule: "no tags from nothing", lines: ["tags:"], tags: [] },
  { rule: "a tag from a text", lines: ["tags: one"], tags: ["one"] },
  {
    rule: "tags from a text with commas",
    lines: ["tags: a, b,, a"],
    tags: ["a", "b"],
  },
  {
    rule: "tags from a list",
    lines: ["tags:", "  - a", "  - b b"],
    tags: ["a", "b b"],
  },
  {
    rule: "tags from numbers",
    lines: ["tags: [1, 2.5, true, null]"],
    tags: ["1", "2.5", "true"],
  },
  { rule: "a tag from a number", lines: ["tags: 2026"], tags: ["2026"] },
  {
    rule: "tags with signs",
    lines: ['tags: ["c++", "日本", "50%"]'],
    tags: ["c++", "日本", "50%"],
  },
  { rule: "tags from the field tag", lines: ["tag: x"], tags: ["x"] },
  {
    rule: "a date",
    lines: ["created: 2026-04-05"],
    createdAt: "2026-04-05T00:00:00.000Z",
  },
  {
    rule: "a year",
    lines: ["date: 2026"],
    createdAt: "2026-01-01T00:00:00.000Z",
  },
  {
    rule: "a time with zone",
    lines: ["created: 2026-04-05T10:30:00+02:00"],
    createdAt: "2026-04-05T08:30:00.000Z",
  },
  {
    rule: "a time without zone as UTC",
    lines: ["date: 2026-04-05 10:30"],
    createdAt: "2026-04-05T10:30:00.000Z",
  },
  {
    rule: "both dates",
    lines: ["date: 2026-04-05", "modified: 2026-05-06T01:02:03.4567Z"],
    createdAt: "2026-04-05T00:00:00.000Z",
    updatedAt: "2026-05-06T01:02:03.456Z",
  },
])("readFrontmatter() takes $rule", (row) => {
  const front = yaml(...row.lines);
  assert.equal(front.title, row.title ?? null);
  assert.deepEqual(front.tags, row.tags ?? []);
  assert.equal(front.createdAt, row.createdAt);
  assert.equal(front.updatedAt, row.updatedAt);
  assert.deepEqual(front.warnings, []);
});

Deno.test.each([
  {
    rule: "times to UTC, days and clock times as written",
    lines: ["a: 2026-04-05", "b: 2026-04-05T10:00:00+02:00", "c: 12:30"],
    metadata: { a: "2026-04-05", b: "2026-04-05T08:00:00.000Z", c: "12:30" },
  },
  {
    rule: "numbers as numbers, and the words of YAML 1.1 as words",
    lines: ["a: 1", "b: 1.50", "c: 0x1F", "d: yes", "e: off", "f: true"],
    metadata: { a: 1, b: 1.5, c: 31, d: "yes", e: "off", f: true },
  },
  {
    rule: "no number that JSON does not know",
    lines: ["a: .nan", "b: -.inf"],
    metadata: { a: "NaN", b: "-Infinity" },
  },
  {
    rule: "nested maps and lists",
    lines: ["a:", "  b: [1, {c: null}]"],
    metadata: { a: { b: [1, { c: null }] } },
  },
  {
    rule: "a field that holds itself",
    lines: ["a: &x [1, *x]"],
    metadata: { a: [1, null] },
  },
])("readFrontmatter() keeps $rule", ({ lines, metadata }) => {
  const front = yaml(...lines);
  assert.deepEqual(front.metadata, metadata);
  assert.deepEqual(JSON.parse(JSON.stringify(front.metadata)), metadata);
});

Deno.test("readFrontmatter() lets no field reach a prototype", () => {
  const { metadata } = yaml("__proto__: x", "constructor: y", "list: []");
  assert.equal(Object.getPrototypeOf(metadata), Object.prototype);
  assert.deepEqual(Object.keys(metadata), ["__proto__", "constructor", "list"]);
});

Deno.test.each([
  {
    rule: "a title that is a map",
    lines: ["title: {a: 1}"],
    warning: /title is not a text/,
  },
  {
    rule: "tags that are a map",
    lines: ["tags: {a: 1}"],
    warning: /tags is a map/,
  },
  {
    rule: "a tag that is a list",
    lines: ["tags: [[a]]"],
    warning: /not a text/,
  },
  {
    rule: "a tag that is too long",
    lines: [`tags: ${"x".repeat(LIMITS.tagChars + 1)}`],
    warning: /A tag is longer than 200/,
  },
  {
    rule: "a day that does not exist",
    lines: ["date: 2026-02-30"],
    warning: /date is not a date/,
  },
  {
    rule: "an hour that does not exist",
    lines: ["date: 2026-02-03 24:00"],
    warning: /not a date/,
  },
  {
    rule: "a second that does not exist",
    lines: ["date: 2026-02-03 10:00:75"],
    warning: /not a date/,
  },
  {
    rule: "a date in words",
    lines: ["updated: last May"],
    warning: /updated is not a date/,
  },
  {
    rule: "a date that is a list",
    lines: ["created: [1]"],
    warning: /created is not a date/,
  },
])("readFrontmatter() ignores $rule, and says so", ({ lines, warning }) => {
  const front = yaml("other: kept", ...lines);
  assert.equal(front.title, null);
  assert.deepEqual(front.tags, []);
  assert.equal(front.createdAt, undefined);
  assert.equal(front.updatedAt, undefined);
  assert.equal(front.metadata.other, "kept");
  assert.equal(front.warnings.length, 1);
  assert.match(front.warnings[0] ?? "", warning);
});

Deno.test("readFrontmatter() takes the next date field when the first is no date", () => {
  const front = yaml("created: soon", "date: 2026-04-05");
  assert.equal(front.createdAt, "2026-04-05T00:00:00.000Z");
  assert.equal(front.warnings.length, 1);
});

Deno.test("readFrontmatter() cuts a long title and keeps at most 200 tags", () => {
  const long = `${"x".repeat(LIMITS.titleChars - 1)}🌸`;
  const tags = Array.from({ length: 201 }, (_, i) => `t${i}`);
  const front = yaml(`title: ${long}`, `tags: [${tags.join(", ")}]`);
  assert.equal(front.title, long.slice(0, LIMITS.titleChars - 1));
  assert.deepEqual(front.tags, tags.slice(0, 200));
  assert.match(front.warnings[0] ?? "", /There are 201 tags/);
});

Deno.test("readFrontmatter() reads TOML", () => {
  const front = readFrontmatter(
    [
      "+++",
      'title = "T"',
      'tags = ["a", "b"]',
      "date = 2026-04-05",
      "updated = 2026-04-05T10:00:00+02:00",
      "big = 9007199254740993",
      "[extra]",
      "clock = 07:32:00",
      "ratio = nan",
      "+++",
      "# Body",
    ].join("\n"),
  );
  assert.deepEqual(front.warnings, []);
  assert.equal(front.title, "T");
  assert.deepEqual(front.tags, ["a", "b"]);
  assert.equal(front.createdAt, "2026-04-05T00:00:00.000Z");
  assert.equal(front.updatedAt, "2026-04-05T08:00:00.000Z");
  assert.equal(front.metadata.date, "2026-04-05");
  assert.equal(front.metadata.big, "9007199254740993");
  assert.deepEqual(front.metadata.extra, {
    clock: "07:32:00.000",
    ratio: "NaN",
  });
});

Deno.test.each([
  { rule: "a value in back quotes", lines: ["path: `C:\\Users\\me`"] },
  { rule: "a value that looks like an alias", lines: ["title: *Italic*"] },
  {
    rule: "a wiki link with a tail",
    lines: ["related:", "  - [[wiki]]suffix"],
  },
  { rule: "a tab for indentation", lines: ["\ta: 1"] },
  { rule: "duplicate keys", lines: ["a: 1", "a: 2"] },
  { rule: "an unclosed quote", lines: ['title: "x'] },
  { rule: "a colon in a plain value", lines: ["title: a: b"] },
  { rule: "an alias bomb", lines: bomb() },
  { rule: "very deep nesting", lines: [`a: ${"[".repeat(20_000)}`] },
])("readFrontmatter() takes $rule for text, with a warning", ({ lines }) => {
  const text = `---\n${lines.join("\n")}\n---\n# Body\n`;
  const { title, tags, metadata, sections, warnings } = toSections(text, {
    mime: "text/markdown",
  });
  assert.equal(title, "Body");
  assert.deepEqual([tags, metadata], [[], {}]);
  assert.equal(warnings.length, 1);
  assert.match(
    warnings[0] ?? "",
    /^YAML frontmatter is malformed and is indexed as text/,
  );
  assert.equal(sections[0]?.content, `---\n${lines.join("\n")}\n---`);
  assert.equal(sections[0]?.lineStart, 1);
  assert.deepEqual(sections[1]?.headingPath, ["Body"]);
  assert.equal(sections[1]?.lineStart, lines.length + 3);
});

/** Lines of YAML that stand for a billion values. */
function bomb(): string[] {
  const lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"];
  for (let i = 1; i < 9; i++) {
    lines.push(`a${i}: &a${i} [${Array(9).fill(`*a${i - 1}`).join(", ")}]`);
  }
  return lines;
}

Deno.test.each([
  {
    rule: "a rule that nothing closes",
    text: "---\n\nText\n",
    warning: /not closed/,
  },
  { rule: "a lone rule", text: "---", warning: /not closed/ },
  {
    rule: "an unclosed TOML block",
    text: "+++\na = 1\n",
    warning: /TOML.*not closed/,
  },
  {
    rule: "a rule closed too far away",
    text: `---\n${"a: b\n".repeat(20_000)}---\n`,
    warning: /not closed/,
  },
  {
    rule: "prose between rules",
    text: "---\nSome words\n---\n",
    warning: /not a map/,
  },
  {
    rule: "a list between rules",
    text: "---\n- a\n---\n",
    warning: /not a map/,
  },
  { rule: "four dashes", text: "----\na: 1\n----\n" },
  { rule: "words behind the dashes", text: "--- x\na: 1\n---\n" },
  { rule: "a block after a blank line", text: "\n---\na: 1\n---\n" },
  { rule: "a text without it", text: "# A\n---\na: 1\n---\n" },
  { rule: "an empty text", text: "" },
])("readFrontmatter() leaves $rule in the text", ({ text, warning }) => {
  const front = readFrontmatter(text);
  assert.equal(front.contentStart, 0);
  assert.deepEqual(front.metadata, {});
  assert.equal(front.warnings.length, warning === undefined ? 0 : 1);
  if (warning !== undefined) assert.match(front.warnings[0] ?? "", warning);
});

Deno.test.each([
  { rule: "an empty block", text: "---\n---\nx", rest: "x" },
  { rule: "only a comment", text: "---\n# c\n---\nx", rest: "x" },
  {
    rule: "trailing blanks on the rules",
    text: "---  \na: 1\n---\t\nx",
    rest: "x",
  },
  { rule: "an end of three dots", text: "---\na: 1\n...\nx", rest: "x" },
  { rule: "nothing behind it", text: "---\na: 1\n---", rest: "" },
])("readFrontmatter() ends where it should with $rule", ({ text, rest }) => {
  const front = readFrontmatter(text);
  assert.equal(text.slice(front.contentStart), rest);
  assert.deepEqual(front.warnings, []);
});

Deno.test("readFrontmatter() gives simple lines the values the full parser gives", () => {
  const lines = [
    "a: x y",
    "b: 2026-04-05",
    "c: v1.2",
    "d: a, b",
    "e: a-b (c) [d] & *",
  ];
  const full = yaml(...lines, 'last: ""');
  const { last: _, ...metadata } = full.metadata as Record<string, string>;
  assert.deepEqual(yaml(...lines).metadata, metadata);
});
