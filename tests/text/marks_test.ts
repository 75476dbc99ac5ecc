import assert from "node:assert/strict";
import {
  anchorMaker,
  findMarks,
  isTextName,
  toAnchor,
  withoutFrontmatter,
} from "../../lib/text/mod.ts";

Deno.test.each([
  { rule: "none in plain text", text: "a\nb", found: [] },
  {
    rule: "the one a text begins with",
    text: "## A *b* ##\n\nc",
    found: ["2 A b"],
  },
  { rule: "a blank one", text: "#\n\nc", found: ["1 null"] },
  {
    rule: "setext ones",
    text: "A\nb\n===\n\nC\n---\n",
    found: ["1 A b", "2 C"],
  },
  { rule: "a rule as none", text: "# A\n\n---\n\nb", found: ["1 A"] },
  {
    rule: "none in fences",
    text: "```\n# a\n```\n\n~~~md\nb\n===\n~~~",
    found: [],
  },
  { rule: "none in an indented block", text: "a\n\n    # b\n", found: [] },
  { rule: "none in lists and quotes", text: "- # a\n\n> # b\n", found: [] },
  { rule: "none without a space", text: "#a\n\n####### b", found: [] },
  {
    rule: "none in a broken frontmatter",
    text: "---\na: [\n---\n# B\n",
    found: ["1 B"],
  },
])("findMarks() finds headings: $rule", ({ text, found }) => {
  const { headings } = findMarks(text);
  assert.deepEqual(headings.map((h) => `${h.level} ${h.title}`), found);
  for (const { start, end } of headings) {
    assert.ok(start === 0 || text[start - 1] === "\n");
    assert.ok(end === text.length || text[end] === "\n");
  }
});

Deno.test("findMarks() finds embedding lines of paragraphs, not of code or running text", () => {
  const text =
    "![[a]]\n\nb\n![[c#D|e]]\nf ![[g]]\n\n`![[h]]`\n\n```\n![[i]]\n```\n\n- ![[j]]\n\n    ![[k]]\n";
  const { embeds } = findMarks(text);
  assert.deepEqual(embeds.map(({ target }) => target), ["a", "c#D"]);
  assert.deepEqual(embeds.map(({ start, end }) => text.slice(start, end)), [
    "![[a]]",
    "![[c#D|e]]",
  ]);
});

Deno.test.each([
  { title: "Hello World", anchor: "hello-world" },
  { title: "C++ & Rust: a `b`?", anchor: "c--rust-a-b" },
  { title: "Über uns", anchor: "über-uns" },
  { title: "snake_case-x", anchor: "snake_case-x" },
  { title: "日本語 1.2", anchor: "日本語-12" },
])("toAnchor() makes $anchor", ({ title, anchor }) => {
  assert.equal(toAnchor(title), anchor);
});

Deno.test("anchorMaker() numbers what is repeated and skips what is taken", () => {
  const next = anchorMaker();
  assert.deepEqual(["A", "A", "A-1", "a", "B"].map(next), [
    "a",
    "a-1",
    "a-1-1",
    "a-2",
    "b",
  ]);
});

Deno.test("withoutFrontmatter() takes off what can be read and nothing else", () => {
  assert.equal(withoutFrontmatter("---\na: b\n---\n\nc"), "c");
  assert.equal(withoutFrontmatter("---\na: [\n---\nc"), "---\na: [\n---\nc");
  assert.equal(withoutFrontmatter("c"), "c");
});

Deno.test("isTextName() knows text by its extension or whole name", () => {
  assert.deepEqual(
    ["a.md", "/x/b.TS", "Makefile", "a.png", "a.pdf", "LICENSE"].map(
      isTextName,
    ),
    [true, true, true, false, false, false],
  );
});
