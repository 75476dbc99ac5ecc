import assert from "node:assert/strict";
import fc from "fast-check";
import { LIMITS } from "../../lib/core/mod.ts";
import { readFrontmatter } from "../../lib/text/frontmatter.ts";
import {
  preprocess,
  type TextSection,
  toSections,
} from "../../lib/text/mod.ts";
import { normalizeText } from "../../lib/text/preprocess.ts";

const MARKDOWN = { mime: "text/markdown" };

/** Sections in short: heading path, first and last line. */
function briefly(sections: readonly TextSection[]): [string, number, number][] {
  return sections.map((
    it,
  ) => [it.headingPath.join(" > "), it.lineStart, it.lineEnd]);
}

Deno.test.each([
  {
    rule: "one section per heading, with the path of its ancestors",
    text: "intro\n# A\na\n## B\nb\n### C\n## D\n# E\ne",
    sections: [["", 1, 1], ["A", 2, 3], ["A > B", 4, 5], ["A > B > C", 6, 6], [
      "A > D",
      7,
      7,
    ], [
      "E",
      8,
      9,
    ]],
  },
  {
    rule: "no ancestor for a level that was left out",
    text: "### A\n# B\n### C",
    sections: [["A", 1, 1], ["B", 2, 2], ["B > C", 3, 3]],
  },
  {
    rule: "a heading underlined",
    text: "A\n===\nx\n\nB\n---\ny",
    sections: [["A", 1, 3], ["A > B", 5, 7]],
  },
  {
    rule: "closing marks and markup off a title",
    text: "# *A* `b` [c](d.md) [[e|f]] \\# ##\n## ![i](j.png) <b>k</b> &amp;",
    sections: [["A b c f #", 1, 1], ["A b c f # > i k &", 2, 2]],
  },
  {
    rule: "a heading without a title as one level",
    text: "# A\n##\nx\n### B",
    sections: [["A", 1, 1], ["A", 2, 3], ["A > B", 4, 4]],
  },
  {
    rule: "no heading from a hash without space, a tag or seven hashes",
    text: "#tag\n#1\n####### x\n\\# y",
    sections: [["", 1, 4]],
  },
  {
    rule: "no heading in a quote or a list",
    text: "> # A\n\n- # B",
    sections: [["", 1, 3]],
  },
  {
    rule: "blank lines to no section",
    text: "\n\n# A\n\n\nx\n\n\n# B\n\n",
    sections: [["A", 3, 6], ["B", 9, 9]],
  },
  {
    rule: "lines of a file with CRLF, CR and a byte order mark",
    text: "\ufeff# A\r\nx\r\r\n# B\r\n",
    sections: [["A", 1, 2], ["B", 4, 4]],
  },
  {
    rule: "lines that only other programs break",
    text: "# A\u2028x\u0085y\u000bz\n# B",
    sections: [["A x y z", 1, 1], ["B", 2, 2]],
  },
])("toSections() gives $rule", ({ text, sections }) => {
  assert.deepEqual(briefly(toSections(text, MARKDOWN).sections), sections);
});

Deno.test.each([
  { rule: "a fence", text: "# A\n```sh\n# not\n```\nend" },
  { rule: "a fence of tildes", text: "# A\n~~~\n# not\n```\n~~~\nend" },
  {
    rule: "a fence in a longer one",
    text: "# A\n````\n```\n# not\n```\n# not\n````\nend",
  },
  { rule: "a fence that is not closed", text: "# A\n```\n\n# not\n\n## not" },
  {
    rule: "a fence in a list item",
    text: "# A\n- x\n  ```\n  # not\n  ```\n\n1. ```\n   # not\n   ```",
  },
  { rule: "a fence in a quote", text: "# A\n> ```\n> # not\n> ```" },
  { rule: "indented code", text: "# A\n\n    # not\n\n\t# not" },
  { rule: "a code span", text: "# A\n`a # not`" },
  { rule: "an HTML comment", text: "# A\n<!--\n\n# not\n-->" },
])("toSections() takes no heading out of $rule", ({ text }) => {
  const { sections } = toSections(text, MARKDOWN);
  assert.deepEqual(sections.map((it) => it.title), ["A"]);
  assert.equal(sections[0]?.content, text);
});

Deno.test.each([
  { rule: "frontmatter", text: "---\ntitle: F\n---\n# H", title: "F" },
  { rule: "the first level 1 heading", text: "## B\n# H\n# I", title: "H" },
  {
    rule: "the next level 1 heading if the first is blank",
    text: "#\n# H",
    title: "H",
  },
  { rule: "nothing else", text: "## B\ntext", title: null },
  {
    rule: "a JSON title",
    text: '{"name":"n","title":"t"}',
    mime: "application/json",
    title: "t",
  },
  {
    rule: "a JSON name",
    text: '{"name":"n","title":1}',
    mime: "application/json",
    title: "n",
  },
  {
    rule: "no JSON list",
    text: '["title"]',
    mime: "application/json",
    title: null,
  },
])("toSections() takes the title from $rule", ({ text, mime, title }) => {
  const document = toSections(text, { mime: mime ?? "text/markdown" });
  assert.equal(document.title, title);
  assert.deepEqual(document.warnings, []);
});

Deno.test.each([
  { rule: "nothing", text: "" },
  { rule: "white space", text: " \n\t\r\n\u3000\ufeff" },
  { rule: "frontmatter alone", text: "---\ntitle: x\n---\n\n" },
])("toSections() gives no section for $rule", ({ text }) => {
  for (
    const mime of [
      "text/markdown",
      "text/plain",
      "text/x-rust",
      "application/json",
    ]
  ) {
    if (mime !== "text/markdown" && text.startsWith("---")) continue;
    assert.deepEqual(toSections(text, { mime }).sections, [], mime);
  }
});

Deno.test("toSections() reads the same from a file with BOM and CRLF as from one without", () => {
  const text =
    "---\ntitle: T\ntags: [a]\n---\n# A\n\n[[L]] x\n\n```\n# y\n```\n";
  const other = `\ufeff${text.replaceAll("\n", "\r\n")}`;
  assert.deepEqual(toSections(other, MARKDOWN), toSections(text, MARKDOWN));
});

Deno.test("toSections() indexes JSON that is not valid as text, with a warning", () => {
  const { sections, warnings } = toSections('{"a": 1, // c\n}', {
    mime: "application/json",
  });
  assert.deepEqual(briefly(sections), [["", 1, 2]]);
  assert.deepEqual(warnings, [
    "The file is not valid JSON; it is indexed as text.",
  ]);
});

Deno.test("toSections() cuts source code before definitions, short files not at all", () => {
  const unit = (name: string) =>
    [`export function ${name}() {`, ...Array(28).fill("  work();"), "}", ""]
      .join("\n");
  const short =
    toSections(unit("a") + unit("b"), { mime: "text/typescript" }).sections;
  assert.deepEqual(briefly(short), [["", 1, 60]]);
  const long = ["a", "b", "c", "d"].map((name) => `${unit(name)}\n`).join("");
  const { sections } = toSections(long, { mime: "text/typescript" });
  assert.deepEqual(briefly(sections), [
    ["", 1, 30],
    ["", 32, 61],
    ["", 63, 92],
    ["", 94, 123],
  ]);
  assert.ok(sections.every((it) => it.content.startsWith("export function ")));
});

Deno.test("toSections() leaves prose of many lines whole", () => {
  const text = "A line of words.\n\n".repeat(300);
  for (
    const mime of [
      "text/plain",
      "text/csv",
      "text/html",
      "application/x-ndjson",
    ]
  ) {
    assert.equal(toSections(text, { mime }).sections.length, 1, mime);
  }
});

Deno.test("toSections() cuts a long section at a block, else at a line, else in the line", () => {
  const cut = (text: string) =>
    toSections(text, { ...MARKDOWN, maxSectionChars: 10 }).sections
      .map((
        { content, lineStart, lineEnd, title },
      ) => [content, lineStart, lineEnd, title]);
  assert.deepEqual(cut("# T\n\naaa\n\nbbb\nbb"), [["# T\n\naaa", 1, 3, "T"], [
    "bbb\nbb",
    5,
    6,
    "T",
  ]]);
  assert.deepEqual(cut("aaaa\nbbbb\ncccc"), [["aaaa\nbbbb", 1, 2, null], [
    "cccc",
    3,
    3,
    null,
  ]]);
  assert.deepEqual(cut("🌸🌸🌸🌸a🌸🌸"), [["🌸🌸🌸🌸a", 1, 1, null], [
    "🌸🌸",
    1,
    1,
    null,
  ]]);
});

Deno.test("toSections() keeps links with the piece of a cut section that holds them", () => {
  const { sections } = toSections("[[A]] aaaa\n\n[[B]] bbbb\n\n[[C]] cccc", {
    ...MARKDOWN,
    maxSectionChars: 12,
  });
  assert.deepEqual(sections.map((it) => it.links.map((link) => link.target)), [
    ["A"],
    ["B"],
    ["C"],
  ]);
});

Deno.test("toSections() throws RangeError if maxSectionChars is below 2", () => {
  for (const maxSectionChars of [1, 0, -1, NaN]) {
    assert.throws(
      () => toSections("a", { ...MARKDOWN, maxSectionChars }),
      RangeError,
    );
  }
});

Deno.test("toSections() finds late content with its line", () => {
  const lines = Array.from(
    { length: 4000 },
    (_, i) => `Line ${i + 1} of a long note, with words.`,
  );
  for (const at of [200, 1900, 3999]) lines[at - 1] = `unique${at}`;
  const { sections } = toSections(lines.join("\n"), { mime: "text/plain" });
  for (const at of [200, 1900, 3999]) {
    const holder = sections.find((it) => it.content.includes(`unique${at}`));
    const before =
      holder?.content.split(`unique${at}`)[0]?.split("\n").length ?? 0;
    assert.equal((holder?.lineStart ?? 0) + before - 1, at);
  }
});

Deno.test.each([
  { rule: "words", text: "word ".repeat(1_000_000) },
  { rule: "one word", text: "x".repeat(5_000_000) },
  { rule: "CJK", text: "成语接龙".repeat(1_250_000) },
  { rule: "emoji", text: "🌸".repeat(2_500_000) },
  { rule: "quote marks", text: ">".repeat(5_000_000) },
  { rule: "rules", text: "- ".repeat(2_500_000) },
])("toSections() ends on a line of 5 MB of $rule", ({ text }) => {
  for (
    const mime of [
      "text/markdown",
      "text/plain",
      "application/json",
      "text/typescript",
    ]
  ) {
    const { sections } = toSections(text, { mime });
    assert.ok(sections.every((it) => it.content.length <= LIMITS.sectionChars));
    const kept = sections.reduce(
      (sum, it) => sum + it.content.replaceAll(" ", "").length,
      0,
    );
    assert.equal(kept, text.replaceAll(" ", "").length);
    assert.ok(
      sections.every((it) => it.content.isWellFormed() && it.lineEnd === 1),
    );
  }
});

/** Lines that Markdown treats in a way of its own, and some that nothing does. */
const line = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom("# A", "## B", "text.", "", "", "word word"),
  },
  fc.constantFrom(
    "```",
    "~~~",
    "````",
    "  ```",
    "- item",
    "  - x",
    "    code",
    "\tx",
    "> q",
  ),
  fc.constantFrom(
    "---",
    "===",
    "+++",
    "...",
    "a: 1",
    "| a |",
    "|---|",
    "[r]: x.md",
    "[[W]]",
    "#",
  ),
  fc.constantFrom(
    "🌸成语",
    "<!--",
    "-->",
    "<pre>",
    "\u2028",
    "\ufeff",
    "\ud83d",
    "\u0301",
    " \u3000",
  ),
  fc.string({ unit: "binary", maxLength: 6 }),
);
const anyText = fc.tuple(
  fc.array(line, { maxLength: 40, size: "max" }),
  fc.constantFrom("\n", "\r\n", "\r"),
  fc.constantFrom("", "\ufeff", "---\na: 1\n---\n"),
).map(([lines, lineEnd, start]) => start + lines.join(lineEnd));
const anyMime = fc.constantFrom(
  "text/markdown",
  "text/plain",
  "text/x-go",
  "application/json",
);

Deno.test("toSections() together hold every line that is not blank, at its number", () => {
  fc.assert(
    fc.property(anyText, anyMime, (text, mime) => {
      const normal = normalizeText(text);
      const bodyStart = mime === "text/markdown"
        ? readFrontmatter(normal).contentStart
        : 0;
      const firstLine = normal.slice(0, bodyStart).split("\n").length;
      const lines = normal.split("\n");
      const covered = new Set<number>();
      for (const section of toSections(text, { mime }).sections) {
        assert.equal(preprocess(section.content), section.content);
        const span = lines.slice(section.lineStart - 1, section.lineEnd).join(
          "\n",
        );
        assert.equal(section.content, span.trim());
        for (let at = section.lineStart; at <= section.lineEnd; at++) {
          assert.ok(!covered.has(at));
          covered.add(at);
        }
      }
      for (const [index, content] of lines.entries()) {
        if (index + 1 < firstLine || content.trim() === "") continue;
        assert.ok(covered.has(index + 1), `line ${index + 1}`);
      }
    }),
    { numRuns: 300 },
  );
});

Deno.test("toSections() cut to size lose no character and split no pair", () => {
  const size = fc.integer({ min: 2, max: 30 });
  fc.assert(
    fc.property(anyText, anyMime, size, (text, mime, maxSectionChars) => {
      const whole = toSections(text, { mime }).sections;
      const cut = toSections(text, { mime, maxSectionChars }).sections;
      const join = (sections: readonly TextSection[]) =>
        sections.map((it) => it.content).join("").replace(/\s/g, "");
      assert.equal(join(cut), join(whole));
      const links = (sections: readonly TextSection[]) =>
        sections.flatMap((it) => it.links);
      assert.deepEqual(links(cut), links(whole));
      const lines = normalizeText(text).split("\n");
      for (const { content, lineStart, lineEnd } of cut) {
        assert.ok(content.length <= maxSectionChars);
        assert.ok(
          content.isWellFormed() && content.trim() === content &&
            content !== "",
        );
        assert.ok(
          lines.slice(lineStart - 1, lineEnd).join("\n").includes(content),
        );
      }
    }),
    { numRuns: 300 },
  );
});
