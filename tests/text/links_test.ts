import assert from "node:assert/strict";
import fc from "fast-check";
import { type TextLink, toSections } from "../../lib/text/mod.ts";

/** Links of a Markdown text, in order. */
function linksOf(text: string): TextLink[] {
  const { sections } = toSections(text, { mime: "text/markdown" });
  return sections.flatMap((section) => section.links);
}

/** Links in short: type, target, label. */
function briefly(text: string): string[] {
  return linksOf(text).map(({ type, target, label }) =>
    `${type} ${target} (${label})`
  );
}

Deno.test.each([
  {
    rule: "a relative link",
    text: "[a b](x/y.md#z)",
    links: ["link x/y.md#z (a b)"],
  },
  { rule: "an anchor", text: "[a](#z)", links: ["link #z (a)"] },
  {
    rule: "a path with spaces",
    text: "[a](<x y.md>)",
    links: ["link x y.md (a)"],
  },
  {
    rule: "a target as written",
    text: "[a](ä%20b.md)",
    links: ["link ä%20b.md (a)"],
  },
  {
    rule: "a link with a title",
    text: '[a](x.md "T")',
    links: ["link x.md (a)"],
  },
  {
    rule: "a label with markup",
    text: "[*a* `b` c](x.md)",
    links: ["link x.md (a b c)"],
  },
  {
    rule: "a reference",
    text: "[a][r] and [r]\n\n[r]: x.md",
    links: [
      "link x.md (a)",
      "link x.md (r)",
    ],
  },
  {
    rule: "a kbdb link",
    text: "[a](kbdb://section/abc)",
    links: ["link kbdb://section/abc (a)"],
  },
  {
    rule: "a bare kbdb URI",
    text: "See kbdb://document/7.",
    links: ["link kbdb://document/7 ()"],
  },
  {
    rule: "a bare kbdb URI with underscores",
    text: "_See_ kbdb://document/a_b_c, (kbdb://document/d)",
    links: ["link kbdb://document/a_b_c ()", "link kbdb://document/d ()"],
  },
  {
    rule: "a kbdb URI in angle brackets",
    text: "<kbdb://section/abc>",
    links: ["link kbdb://section/abc (kbdb://section/abc)"],
  },
  {
    rule: "a wiki link",
    text: "Added [[A]] to the roster",
    links: ["wikilink A (A)"],
  },
  {
    rule: "a wiki link with alias",
    text: "[[A b#C|d e]]",
    links: ["wikilink A b#C (d e)"],
  },
  {
    rule: "a wiki link in CJK",
    text: "見[[成語#例]]る",
    links: ["wikilink 成語#例 (成語#例)"],
  },
  {
    rule: "an embed",
    text: "![[pic.png]] ![[N#H|x]]",
    links: [
      "embed pic.png (pic.png)",
      "embed N#H (x)",
    ],
  },
  {
    rule: "an image",
    text: "![alt](img/a.png)",
    links: ["image img/a.png (alt)"],
  },
  {
    rule: "an image in a link",
    text: "[![alt](a.png)](b.md)",
    links: [
      "link b.md (alt)",
      "image a.png (alt)",
    ],
  },
  {
    rule: "a link in a heading",
    text: "# [a](x.md)",
    links: ["link x.md (a)"],
  },
  {
    rule: "links in a list and a quote",
    text: "- [a](x.md)\n\n> - [[Y]]",
    links: [
      "link x.md (a)",
      "wikilink Y (Y)",
    ],
  },
  {
    rule: "links in a table, where the bar of an alias is escaped",
    text: "| a | b |\n|---|---|\n| [[X\\|y]] | [z](w.md) |",
    links: ["wikilink X (y)", "link w.md (z)"],
  },
])("toSections() finds $rule", ({ text, links }) => {
  assert.deepEqual(briefly(text), links);
});

Deno.test.each([
  { rule: "a ticked task", text: "- [x] task\n- [ ] open\n  - [X] nested" },
  { rule: "a time span", text: "[24:33.098 - 24:41.260] text\n[00:01] (a) b" },
  { rule: "a bracketed word", text: "a [b] c, arr[0] (x), [c] [d]" },
  { rule: "empty wiki links", text: "[[]] [[ ]] [[|a]] ![[]]" },
  { rule: "unclosed brackets", text: "[[a\nb]] [a](b [[c" },
  { rule: "brackets in brackets", text: "[[a[b]]" },
  {
    rule: "web addresses",
    text: "[a](https://x.org) <mailto:a@b.c> //x [b](//x.org) [c](HTTP://x)",
  },
  {
    rule: "other schemes",
    text: "[a](javascript:x) [b](file:///x) ![c](data:image/png;base64,AA)",
  },
  { rule: "links to nothing", text: "[a]() [b](#) [c](<>)" },
  { rule: "escaped brackets", text: "\\[a](x.md) \\[[b]]" },
  { rule: "an email address", text: "user@example.com" },
  { rule: "a definition that is not used", text: "[r]: x.md" },
])("toSections() invents no link from $rule", ({ text }) => {
  assert.deepEqual(briefly(text), []);
});

const LINKS = "[a](x.md) [[W]] ![[E]] ![i](p.png) kbdb://section/abc";

Deno.test.each([
  { rule: "a code span", text: `\`${LINKS}\`` },
  { rule: "a code span of two back quotes", text: `\`\`a \` ${LINKS}\`\`` },
  { rule: "a code span over two lines", text: `\`a\n${LINKS}\`` },
  { rule: "a fence", text: `\`\`\`md\n${LINKS}\n\`\`\`` },
  { rule: "a fence of tildes", text: `~~~\n${LINKS}\n~~~` },
  {
    rule: "a fence in a fence",
    text: `\`\`\`\`\n\`\`\`\n${LINKS}\n\`\`\`\n\`\`\`\``,
  },
  {
    rule: "a fence in a list item",
    text: `- a\n\n  \`\`\`\n  ${LINKS}\n  \`\`\``,
  },
  { rule: "a fence that is not closed", text: `\`\`\`\n\n# a\n${LINKS}` },
  { rule: "indented code", text: `a\n\n    ${LINKS}` },
  { rule: "an HTML block", text: `<pre>\n${LINKS}\n</pre>` },
  { rule: "an HTML comment", text: `<!-- ${LINKS} -->` },
  {
    rule: "frontmatter",
    text: `---\nrelated: "[[W]] kbdb://section/abc"\n---\n`,
  },
])("toSections() takes no link out of $rule", ({ text }) => {
  assert.deepEqual(briefly(text), []);
  assert.deepEqual(
    briefly(`${text}\n\n[[After]]`).length,
    text.includes("# a") ? 0 : 1,
  );
});

Deno.test("toSections() takes no link out of source code or plain text", () => {
  for (const mime of ["text/plain", "text/x-python", "application/json"]) {
    const { sections } = toSections(LINKS, { mime });
    assert.deepEqual(sections.map((section) => section.links), [[]], mime);
  }
});

Deno.test("toSections() gives links the line they stand on", () => {
  const text = [
    "---",
    "a: 1",
    "---",
    "[[L4]] x",
    "y *z* [[L5]]",
    "a_b_c kbdb://section/l6_x y",
    "\\* &amp; kbdb://section/l7",
    "",
    "Title [[L9]]",
    "=====",
    "",
    "> quote",
    "> [[L13]]",
    "",
    "- item",
    "  [[L16]]",
    "  1. [[L17]]",
    "",
    "| a |",
    "|---|",
    "| [[L21]] |",
    "",
    "[r]: x.md",
    "Text `code",
    "more` [[L25]]",
  ].join("\r\n");
  for (const link of linksOf(text)) {
    const line = Number(/\d+/.exec(link.target)?.[0]);
    assert.equal(link.line, line, link.target);
  }
  assert.equal(linksOf(text).length, 10);
});

Deno.test("toSections() puts a link into the section that holds its line", () => {
  const { sections } = toSections(
    "[[A]]\n# H\n[[B]]\n\n## I\n\n[[C]] and [[D]]\n",
    {
      mime: "text/markdown",
    },
  );
  const targets = sections.map((section) =>
    section.links.map((link) => link.target)
  );
  assert.deepEqual(targets, [["A"], ["B"], ["C", "D"]]);
});

Deno.test.each([
  {
    rule: "the sentence",
    text: "One. Two [[A]] here! Three.",
    snippet: "Two [[A]] here!",
  },
  {
    rule: "a sentence over lines",
    text: "Two\n  [[A]]\nhere.\nX",
    snippet: "Two [[A]] here.",
  },
  { rule: "a CJK sentence", text: "一。二[[A]]三。四", snippet: "二[[A]]三。" },
  {
    rule: "a file name whole",
    text: "See v1.2 of [[a.b]] now. X",
    snippet: "See v1.2 of [[a.b]] now.",
  },
  {
    rule: "the sentence of a URI on a later line",
    text: "First. Begin\nof kbdb://section/abc end. Last.",
    snippet: "Begin of kbdb://section/abc end.",
  },
])("toSections() shows $rule around a link", ({ text, snippet }) => {
  assert.equal(linksOf(text)[0]?.contextSnippet, snippet);
});

Deno.test("toSections() keeps every snippet short, well formed and around its link", () => {
  const filler = fc.string({
    unit: fc.constantFrom("🌸", "a", " ", "成", "é", "\n"),
    maxLength: 500,
  });
  fc.assert(fc.property(filler, filler, (before, after) => {
    for (
      const { contextSnippet } of linksOf(`x${before} [[Target]] ${after}`)
    ) {
      assert.ok(contextSnippet.length <= 200);
      assert.ok(contextSnippet.isWellFormed());
      assert.ok(contextSnippet.includes("[[Target]]"), contextSnippet);
    }
  }));
});

Deno.test("toSections() finds a link late in a very long paragraph", () => {
  const text = `${"word [x] ".repeat(60_000)}[[Late]]\nand ${
    "w ".repeat(30_000)
  }[[Later]]`;
  assert.deepEqual(
    linksOf(text).map(({ target, line }) => [target, line]),
    [["Late", 1], ["Later", 2]],
  );
});

Deno.test("toSections() finds more links than a call takes arguments", () => {
  assert.equal(linksOf("[a](b) ".repeat(150_000)).length, 150_000);
});
