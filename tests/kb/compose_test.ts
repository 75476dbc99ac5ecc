import assert from "node:assert/strict";
import { KbError, LIMITS } from "../../lib/core/mod.ts";
import type { ComposeOptions } from "../../lib/compose/mod.ts";
import { composeContent } from "../../lib/kb/compose.ts";
import type { Store } from "../../lib/store/mod.ts";
import {
  addNoteText,
  addSections,
  addTexts,
  kbidOf,
  putAlone,
} from "../helpers/linked_texts.ts";
import { openTempKb } from "../helpers/temp_kb.ts";
import { addDocument, openTempStore } from "../helpers/temp_store.ts";

/** Composes a text whole. */
function compose(store: Store, ...ids: string[]): string {
  return composeContent(store, ids, { maxChars: 1_000_000 }).data;
}

Deno.test.each([
  {
    rule: "a document that begins with its title as written",
    text: "# T\n\na\n\n## B\n\nc\n\n### D\n",
    data: "# T\n\na\n\n## B\n\nc\n\n### D",
  },
  {
    rule: "a title before other headings of level 1, one level higher",
    text: "---\ntitle: T\n---\n# A\n\n## B\n",
    data: "# T\n\n## A\n\n### B",
  },
  {
    rule: "a title before text",
    text: "---\ntitle: T\n---\na\n\n# B\n",
    data: "# T\n\na\n\n## B",
  },
  {
    rule: "headings that begin deeper, brought up",
    text: "---\ntitle: T\n---\n### A\n\n##### B\n",
    data: "# T\n\n## A\n\n#### B",
  },
  {
    rule: "levels below 6 as 6",
    text: "---\ntitle: T\n---\n# A\n\n###### B\n",
    data: "# T\n\n## A\n\n###### B",
  },
  {
    rule: "setext headings, shifted into ATX ones",
    text: "---\ntitle: T\n---\nA\nb\n===\n\nc\n\nD\n---\n",
    data: "# T\n\n## A b\n\nc\n\n### D",
  },
  {
    rule: "setext headings that stay, as written",
    text: "T\n=\n\na\n\nB\n-\n\nc\n",
    data: "T\n=\n\na\n\nB\n-\n\nc",
  },
  {
    rule: "headings in fences, untouched",
    text: "---\ntitle: T\n---\n# A\n\n```md\n# x\n![[y]]\n```\n",
    data: "# T\n\n## A\n\n```md\n# x\n![[y]]\n```",
  },
  {
    rule: "headings alone",
    text: "# T\n## A\n## B\n",
    data: "# T\n\n## A\n\n## B",
  },
])("composeContent() gives $rule", ({ text, data }) => {
  using store = openTempStore();
  addTexts(store, { "/n/t.md": text });
  assert.equal(compose(store, "t.md"), data);
});

Deno.test("composeContent() takes ids of every kind in the order given, each thing once, and names the unknown", () => {
  using store = openTempStore();
  const [id] = addTexts(store, { "/n/a.md": "# A\n\nx\n\n## A2\n" });
  addTexts(store, { "/n/b.md": "# B\n" });
  const kbid = kbidOf(store, "A2");
  const ids = ["b.md", "none", kbid, "a.md", String(id), "/n/a.md", "none"];
  const { data, unknownIds, type, offset, nextOffset } = composeContent(
    store,
    ids,
  );
  assert.equal(
    data,
    '# B\n\n> Nothing in the base is named "none"; a kbid, docid, id or path is expected.\n\n# A2\n\n# A\n\nx\n\n## A2',
  );
  assert.deepEqual([type, offset, nextOffset], ["text/markdown", 0, undefined]);
  assert.deepEqual(unknownIds, ["none"]);
});

Deno.test("composeContent() heads a section on its own with its title, unless its text does", () => {
  using store = openTempStore();
  const a = putAlone(store, { title: "A", content: "x\n\n# y" });
  const b = putAlone(store, { title: "B", content: "### B\n\n#### z" });
  const c = putAlone(store, { content: "no title" });
  assert.equal(
    compose(store, a, b, c),
    "# A\n\nx\n\n## y\n\n# B\n\n## z\n\nno title",
  );
});

Deno.test("composeContent() writes parent headings that have no section, once", () => {
  using store = openTempStore();
  addSections(store, "d", [
    { title: "P1", content: "one", headingPath: ["P", "P1"] },
    { title: "P2", content: "two", headingPath: ["P", "P2"] },
    { title: "P2", content: "two more", headingPath: ["P", "P2"] },
    { title: "Q", content: "# Q\n\nthree", headingPath: ["Q"] },
    { title: "Own", content: "# Other\n\nfour" },
  ]);
  assert.equal(
    compose(store, "d"),
    "# d\n\n## P\n\n### P1\n\none\n\n### P2\n\ntwo\n\ntwo more\n\n## Q\n\nthree\n\n## Own\n\n### Other\n\nfour",
  );
});

Deno.test("composeContent() leaves a note's frontmatter out and takes its headings along", () => {
  using store = openTempStore();
  addNoteText(store, "n", "---\ntags: x\n---\n\na\n\n# B\n\n## C\n", "N");
  assert.equal(compose(store, "n"), "# N\n\na\n\n## B\n\n### C");
});

Deno.test.each([
  {
    type: "text/x-python",
    content: "a = '''\n```\n'''",
    data: "````python\na = '''\n```\n'''\n````",
  },
  {
    type: "application/json",
    content: '{"a":1}',
    data: '```json\n{"a":1}\n```',
  },
  { type: "application/ld+json", content: "{}", data: "```json\n{}\n```" },
  { type: "text/x-c++", content: "int a;", data: "```cpp\nint a;\n```" },
  {
    type: "text/typescript",
    content: "// `````` x",
    data: "```````typescript\n// `````` x\n```````",
  },
  { type: "text/plain", content: "# plain", data: "# plain" },
])("composeContent() writes $type", ({ type, content, data }) => {
  using store = openTempStore();
  const kbid = putAlone(store, { sectionType: type, content });
  assert.equal(compose(store, kbid), data);
});

Deno.test("composeContent() writes skills and agents", () => {
  using store = openTempStore();
  const skill = putAlone(store, {
    sectionType: "skill",
    title: "sum-up",
    content: JSON.stringify({
      name: "sum-up",
      description: "Sums up.",
      arguments: [{ name: "text", description: "What", required: true }, {
        name: "tone",
      }],
      body: "# Do\n\nSum up {{text}}.",
    }),
  });
  addDocument(store, "agent-x", {
    docType: "agent",
    metadata: {
      name: "writer",
      description: "Writes.",
      persona: "# Be\n\nkind",
      skills: [skill, "0000000000000000000000000x"],
    },
  });
  assert.equal(
    compose(store, skill, "agent-x"),
    "# sum-up\n\nSums up.\n\n## Arguments\n\n- `text` (required): What\n- `tone`\n\n" +
      "## Body\n\n### Do\n\nSum up {{text}}.\n\n" +
      "# writer\n\nWrites.\n\n## Persona\n\n### Be\n\nkind\n\n## Skills\n\n" +
      `1. [sum-up](kbdb://section/${skill}): Sums up.\n` +
      "2. `0000000000000000000000000x` (not in the base any more)",
  );
});

Deno.test("composeContent() writes small images into the text and links large ones", () => {
  using store = openTempStore();
  const small = putAlone(store, {
    sectionType: "image/png",
    title: "A [pic]",
    description: "What it shows.",
    content: Uint8Array.of(1, 2, 3),
  });
  const large = putAlone(store, {
    sectionType: "image/png",
    title: "Big",
    content: new Uint8Array(LIMITS.inlineImageBytes + 1),
  });
  addNoteText(store, "n", `![[A [pic]]]\n\n![[Big]]`, "N");
  assert.equal(
    compose(store, small, large),
    `![A \\[pic\\]](data:image/png;base64,AQID)\n\nWhat it shows.\n\n![Big](kbdb://section/${large})`,
  );
  assert.match(compose(store, "n"), /!\[Big\]\(kbdb:\/\/section\//);
});

Deno.test("composeContent() embeds once, deeper, and never in itself", () => {
  using store = openTempStore();
  addTexts(store, {
    "/n/a.md":
      "# A\n\n## A1\n\nbefore\n![[b]]\nafter\n\n![[b#B2]]\n\n![[none]]\n",
    "/n/b.md": "# B\n\n![[a]]\n\n## B2\n\n![[#B2]]\n",
  });
  assert.equal(
    compose(store, "a.md"),
    [
      "# A",
      "## A1",
      "before",
      "### B",
      "[A](kbdb://document/a.md) (not embedded: it embeds this text)",
      "#### B2",
      `[B2](kbdb://section/${
        kbidOf(store, "B2")
      }) (not embedded: it embeds this text)`,
      "after",
      `[B2](kbdb://section/${
        kbidOf(store, "B2")
      }) (not embedded again: it stands above)`,
      '`![[none]]` (not embedded: no document or section is named "none")',
    ].join("\n\n"),
  );
});

Deno.test("composeContent() ends a chain of embeddings at its limit", () => {
  using store = openTempStore();
  const files: Record<string, string> = {};
  for (let i = 0; i < 40; i++) {
    files[`/n/e${i}.md`] = `# E${i}\n\n![[e${i + 1}]]\n`;
  }
  addTexts(store, files);
  const data = compose(store, "e0.md");
  assert.match(data, /# E16\n/);
  assert.doesNotMatch(data, /# E17\n/);
  assert.match(data, /nested deeper than 16\)$/);
});

Deno.test("composeContent() shows a shared section in each of its documents, and documents without sections", () => {
  using store = openTempStore();
  const shared = "## Shared\n\ntext\n";
  addTexts(store, {
    "/n/a.md": `# A\n\n${shared}`,
    "/n/b.md": `# B\n\n${shared}`,
  });
  addDocument(store, "empty", { title: "Empty" });
  assert.equal(
    compose(store, "a.md", "empty", "b.md"),
    "# A\n\n## Shared\n\ntext\n\n# Empty\n\n# B\n\n## Shared\n\ntext",
  );
});

Deno.test("composeContent() pages give the whole text, no pair of surrogates cut", () => {
  using store = openTempStore();
  addTexts(store, {
    "/n/a.md": `# A\n\n${"😀".repeat(50)}\n\n## B\n\n${"x😀".repeat(30)}\n`,
  });
  const whole = compose(store, "a.md");
  for (const maxChars of [2, 3, 5, 7, 64]) {
    let joined = "";
    let next: number | undefined = 0;
    while (next !== undefined) {
      const page = composeContent(store, ["a.md"], { maxChars, offset: next });
      assert.ok(page.data.length <= maxChars && page.data.length > 0);
      assert.ok(page.data.isWellFormed());
      assert.equal(page.offset, joined.length);
      joined += page.data;
      next = page.nextOffset;
    }
    assert.equal(joined, whole);
  }
  const inside = composeContent(store, ["a.md"], { offset: 6, maxChars: 4 });
  assert.deepEqual([inside.offset, inside.data], [5, "😀😀"]);
  const behind = composeContent(store, ["a.md"], { offset: 9_999 });
  assert.deepEqual([behind.data, behind.nextOffset], ["", undefined]);
});

Deno.test("composeContent() pages through 10,000 sections in bounded answers", () => {
  using store = openTempStore();
  const text = Array.from(
    { length: 10_000 },
    (_, i) => `## S${i}\n\ntext ${i}\n`,
  );
  addTexts(store, { "/n/big.md": `# Big\n\n${text.join("\n")}` });
  const first = composeContent(store, ["big.md"]);
  assert.equal(first.data.length, LIMITS.answerChars);
  assert.equal(first.nextOffset, LIMITS.answerChars);
  const whole = composeContent(store, ["big.md"], { maxChars: 1_000_000 });
  assert.equal(whole.nextOffset, undefined);
  assert.ok(whole.data.endsWith("## S9999\n\ntext 9999"));
});

Deno.test.each([
  { rule: "no ids", ids: [], error: KbError },
  { rule: "too many ids", ids: Array(1_001).fill("a"), error: KbError },
  { rule: "no room", ids: ["a"], options: { maxChars: 1 }, error: RangeError },
  {
    rule: "too much room",
    ids: ["a"],
    options: { maxChars: 1e7 },
    error: RangeError,
  },
  {
    rule: "an offset before the text",
    ids: ["a"],
    options: { offset: -1 },
    error: RangeError,
  },
  {
    rule: "half a character",
    ids: ["a"],
    options: { offset: 0.5 },
    error: RangeError,
  },
])("composeContent() refuses $rule", ({ ids, options, error }) => {
  using store = openTempStore();
  assert.throws(
    () => composeContent(store, ids, options as ComposeOptions),
    error,
  );
});

Deno.test("Kb composes and recalls", async () => {
  await using temp = openTempKb();
  temp.kb.addNote("Hello there.", { docid: "n", title: "N" });
  const { data } = temp.kb.compose(["n"]);
  assert.equal(data, "# N\n\nHello there.");
  const kbid = temp.kb.info("n").sections[0]?.kbid ?? "";
  assert.equal(temp.kb.recall([kbid]).results[0]?.content, "Hello there.");
});
