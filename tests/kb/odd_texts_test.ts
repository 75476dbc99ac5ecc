import assert from "node:assert/strict";
import { join } from "node:path";
import { openMeasure } from "../../lib/ingest/measure.ts";
import type { SectionId } from "../../lib/core/mod.ts";
import { loadTokenizer, resolveModel } from "../../lib/embed/mod.ts";
import { addFiles } from "../../lib/ingest/mod.ts";
import type { Kb } from "../../lib/kb/mod.ts";
import { listEnrichedChunks } from "../../lib/store/mod.ts";
import { openTextPlanner } from "../helpers/text_planner.ts";
import { openTempKb, writeTree } from "../helpers/temp_kb.ts";
import { makeTempDir, openTempStore } from "../helpers/temp_store.ts";

/** Latin-1 of a text. */
function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

/** UTF-16LE of a text, with its mark. */
function utf16(text: string): Uint8Array {
  const bytes = new Uint8Array(2 * text.length + 2);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0xfeff, true);
  for (let i = 0; i < text.length; i++) {
    view.setUint16(2 * i + 2, text.charCodeAt(i), true);
  }
  return bytes;
}

/** Everything a base says of a document and of what is found in it. */
async function tellAll(kb: Kb, path: string, query: string): Promise<unknown> {
  const { hits } = await kb.search(query, { retriever: "fts", limit: 100 });
  const docid = kb.info(path).docid;
  return {
    hits,
    short: await kb.search(query, { retriever: "fts", snippetChars: 21 }),
    list: kb.list(),
    info: kb.info(path),
    text: kb.get(path),
    chunks: kb.chunks(path),
    composed: [20, 21, 4_999, 5_000].map((maxChars) =>
      kb.compose([docid], { maxChars })
    ),
  };
}

/** Asserts that no text in a value holds half a character, and that it is valid JSON. */
function assertWellFormed(value: unknown): void {
  JSON.parse(JSON.stringify(value), (_, inner) => {
    if (typeof inner === "string") assert.ok(inner.isWellFormed(), inner);
    return inner;
  });
}

Deno.test.each([0, 1, 2, 3])(
  "add() cuts no emoji in two, wherever the limits fall (%i letters before)",
  async (count) => {
    await using temp = openTempKb();
    const { kb, embedder } = temp;
    const line = `${"a".repeat(count)} ${"🌸".repeat(300)}`;
    const folder = temp.folder({
      "🐘.md": "🌸".repeat(200_000),
      "row.md": `${"a".repeat(count)}${"🌸".repeat(200_000)}`,
      "words.md": `word ${line}\n`.repeat(200),
      "title.md": `# ${"a".repeat(count)}${"🌸".repeat(600)}\n\nword\n`,
    });
    const report = await kb.add(folder);
    assert.deepEqual(report.counts, { indexed: 4 });
    assert.ok(kb.list().documents.some(({ path }) => path?.endsWith("🐘.md")));
    await kb.embed();
    assert.equal(kb.status().vectors.pendingChunks, 0);
    assertWellFormed(embedder.texts);
    for (const name of ["🐘.md", "row.md", "words.md", "title.md"]) {
      assertWellFormed(await tellAll(kb, join(folder, name), "word"));
    }
  },
);

Deno.test.each([
  { rule: "frontmatter", text: "---\ntitle: T\ntags: [a]\n---\n\n# A\n\nx\n" },
  { rule: "a heading", text: "# Heading\n\nwords\n\n## Next\n\nmore\n" },
])(
  "add() reads a file with BOM and CRLF before $rule as the one without",
  async ({ text }) => {
    await using temp = openTempKb();
    const { kb } = temp;
    const folder = temp.folder({
      "plain.md": text,
      "marked.md": `\ufeff${text.replaceAll("\n", "\r\n")}`,
    });
    const { files } = await kb.add(folder);
    assert.ok(files.every(({ warnings }) => warnings === undefined));
    const [plain, marked] = ["plain.md", "marked.md"].map((name) => {
      const { title, tags, metadata, sections } = kb.info(join(folder, name));
      return { title, tags, metadata, sections };
    });
    assert.deepEqual(marked, plain);
    assert.equal(kb.get(join(folder, "marked.md")).text.includes("\r"), false);
  },
);

Deno.test("add() decodes what tells its encoding, and says not_text of what does not", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const folder = temp.folder({
    "latin1.txt": latin1("caf\xe9 au lait"),
    "gbk.txt": Uint8Array.of(0xb3, 0xc9, 0xd3, 0xef, 0xbd, 0xd3, 0xc1, 0xfa),
    "cp1250.txt": Uint8Array.of(0x9e, 0x6c, 0x75, 0x9d, 0xe8, 0x6b, 0xfd),
    "utf16.txt": utf16("Zwölf 🌸 Boxkämpfer\r\njagen\r\n"),
    "declared.html": latin1(
      '<meta charset="iso-8859-1"><p>gar\xe7on</p>',
    ),
  });
  const { files } = await kb.add(folder);
  const states = new Map(files.map((file) => [file.path, file]));
  for (const name of ["latin1.txt", "gbk.txt", "cp1250.txt"]) {
    const { state, reason } = states.get(join(folder, name)) ?? {};
    assert.equal(state, "not_text", name);
    assert.match(reason ?? "", /not UTF-8/);
  }
  assert.equal(
    kb.get(join(folder, "utf16.txt")).text,
    "Zwölf 🌸 Boxkämpfer\njagen",
  );
  const { hits } = await kb.search("garçon", { retriever: "fts" });
  assert.equal(hits[0]?.path, join(folder, "declared.html"));
  assert.equal(kb.list().total, 2);
});

Deno.test("add() stores files with nothing to index without a chunk, and finds them never", async () => {
  await using temp = openTempKb();
  const { kb, embedder } = temp;
  const folder = temp.folder({
    "zero.md": "",
    "spaces.md": "  \n\n\t\n \n",
    "front.md": "---\ntitle: Fronted\n---\n",
    "tail.md": "# Tail\n\nkettle words\n\n\n   \n\n\n",
  });
  const { files } = await kb.add(folder);
  for (const name of ["zero.md", "spaces.md", "front.md"]) {
    const path = join(folder, name);
    const report = files.find((file) => file.path === path);
    assert.equal(report?.state, "empty");
    assert.deepEqual(kb.info(path).warnings, [report?.reason]);
    assert.equal(kb.info(path).chunkCount, 0);
    assert.deepEqual(kb.chunks(path), []);
  }
  await kb.embed();
  assert.equal(embedder.texts.length, 1);
  assert.match(embedder.texts[0] ?? "", /kettle words$/);
  for (const query of ["kettle", "Fronted", "zero spaces front tail"]) {
    const { hits } = await kb.search(query, { limit: 100 });
    assert.ok(hits.every(({ path }) => path === join(folder, "tail.md")));
  }
  assert.equal((await kb.reindex()).failed.length, 0);
  assert.equal((await kb.check()).ok, true);
});

/** 350 words that make many tokens: addresses, hex, CJK and cells of tables. */
const DENSE = Array.from({ length: 350 }, (_, i) =>
  [
    `https://a.example/path/to/${i}?q=${i * 7}&r=x%20y#part-${i}`,
    ((i + 1) * 2_654_435_761).toString(16).padStart(16, "0").repeat(2),
    "成语接龙游戏今天玩",
    `|${i}|1.5|n/a|`,
  ][i % 4]).join(" ");

Deno.test("add() cuts text that is dense in tokens by the tokens of the model", async () => {
  const model = resolveModel();
  const tokenizer = loadTokenizer(model);
  assert.ok(tokenizer.countTokens(DENSE) > 5_000);
  using temp = makeTempDir();
  writeTree(temp.path, { "dense.md": DENSE });
  using store = openTempStore();
  const { windowTokens } = model.spec;
  await addFiles(store, temp.path, {
    measure: openMeasure({ model, windowTokens }),
    openPlanner: openTextPlanner,
  });
  const { id } = store.get<{ id: SectionId }>("SELECT id FROM sections") ??
    assert.fail("nothing was stored");
  const chunks = listEnrichedChunks(store, id);
  assert.ok(chunks.length > 10);
  for (const { enrichedText } of chunks) {
    assert.equal(tokenizer.encode(enrichedText, windowTokens).cut, false);
  }
});

/** 200 KB of lines, with a word of its own on the lines at three offsets. */
const LATE = new Map([
  ["aardvark", 7_000],
  ["buttercup", 70_000],
  ["chinchilla", 190_000],
]);

/** Writes the long text, and says on which line each word stands. */
function longText(): { text: string; lines: Map<string, number> } {
  const filler = "Filler words of a long note, one line after the other.\n";
  let text = "# Log\n\n";
  const lines = new Map<string, number>();
  for (const [word, offset] of LATE) {
    while (text.length < offset) text += filler;
    lines.set(word, text.split("\n").length);
    text += `Here is the ${word} itself.\n`;
  }
  while (text.length < 200_000) text += filler;
  return { text, lines };
}

Deno.test("add() and addNote() find late words of a note of 200 KB on their lines", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { text, lines } = longText();
  await kb.add(temp.folder({ "long.md": text }));
  kb.addNote(text.replaceAll("Filler", "Other"), { docid: "note" });
  for (const [word, line] of lines) {
    const { hits } = await kb.search(word, { retriever: "fts" });
    assert.equal(hits.length, 2, word);
    for (const { lineStart, lineEnd, text } of hits) {
      assert.ok(lineStart <= line && line <= lineEnd, `${word} ${lineStart}`);
      assert.equal(
        text.split("\n").findIndex((it) => it.includes(word)),
        line - lineStart,
      );
    }
  }
});

Deno.test("add() takes every kind of frontmatter value as text, date or default", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const rows: [string, string][] = [
    ["date.md", "created: 2026-04-05"],
    ["zone.md", "created: 2026-04-05T10:30:00+02:00"],
    ["none.md", "tags:"],
    ["string.md", "tags: one"],
    ["commas.md", 'tags: "a, b"'],
    ["numbers.md", "tags: [1, 2]"],
    ["map.md", "tags:\n  a:\n    b: c"],
    ["title.md", "title: 123"],
    ["type.md", "type: null"],
  ];
  const folder = temp.folder(
    Object.fromEntries(
      rows.map(([name, field]) => [name, `---\n${field}\n---\nbody words\n`]),
    ),
  );
  const { counts } = await kb.add(folder);
  assert.deepEqual(counts, { indexed: rows.length });
  const info = (name: string) => kb.info(join(folder, name));
  assert.equal(info("date.md").createdAt, "2026-04-05T00:00:00.000Z");
  assert.equal(info("date.md").metadata.created, "2026-04-05");
  assert.equal(info("zone.md").createdAt, "2026-04-05T08:30:00.000Z");
  assert.deepEqual(info("none.md").tags, []);
  assert.deepEqual(info("string.md").tags, ["one"]);
  assert.deepEqual(info("commas.md").tags, ["a", "b"]);
  assert.deepEqual(info("numbers.md").tags, ["1", "2"]);
  assert.deepEqual(info("map.md").tags, []);
  assert.match(info("map.md").warnings.join(), /tags is a map/);
  assert.equal(info("title.md").title, "123");
  assert.equal(info("type.md").docType, "markdown");
  for (const [name] of rows) {
    assert.deepEqual(JSON.parse(JSON.stringify(info(name))), info(name));
  }
});

Deno.test("add() indexes a file with malformed frontmatter as body, and every other one", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const odd: Record<string, string> = {
    "a_path.md": "---\npath: `C:\\Users\\me`\n---\nbodyword\n",
    "b_star.md": "---\ntitle: *Italic*\n---\nbodyword\n",
    "c_wiki.md": "---\nlinks:\n- [[wiki]]suffix\n---\nbodyword\n",
    "d_rule.md": "---\n\nbodyword under a rule that nothing closes\n",
    "e_tabs.md": "---\n\ttitle: x\n\t\ty: z\n---\nbodyword\n",
    "f_twice.md": "---\ntitle: a\ntitle: b\n---\nbodyword\n",
  };
  const folder = temp.folder({
    ...odd,
    "0_good.md": "---\ntitle: First\n---\nbodyword\n",
    "z_good.md": "---\ntitle: Last\n---\nbodyword\n",
  });
  const { files } = await kb.add(folder);
  for (const { path, state, warnings = [] } of files) {
    assert.equal(state, "indexed", path);
    assert.equal(warnings.length, path.includes("good") ? 0 : 1, path);
    assert.deepEqual(kb.info(path).warnings, warnings);
  }
  const { hits } = await kb.search("bodyword", { retriever: "fts", limit: 20 });
  assert.equal(hits.length + hits.flatMap(({ alsoIn }) => alsoIn).length, 8);
});

Deno.test.each([
  { rule: "back quotes", code: "```sh\n# not a title\nls\n```" },
  { rule: "tildes", code: "~~~sh\n# not a title\nls\n~~~" },
  {
    rule: "four back quotes around three",
    code: "````md\n```sh\n# not a title\n```\nls\n````",
  },
  { rule: "a fence that nothing closes", code: "```sh\n# not a title\nls" },
  {
    rule: "a fence in a list item",
    code: "- item\n\n  ```sh\n  # not a title\n  ls\n  ```",
  },
  { rule: "indented code", code: "    # not a title\n    ls" },
])(
  "add() makes one section and one whole chunk of a text with $rule",
  async ({ code }) => {
    await using temp = openTempKb();
    const { kb } = temp;
    const filler = "Some words before the code. ".repeat(3);
    const text = `# Title\n\n${filler}\n\n${code}`;
    const folder = temp.folder({ "a.md": text });
    await kb.add(folder);
    const path = join(folder, "a.md");
    assert.deepEqual(
      kb.info(path).sections.map(({ headingPath }) => headingPath),
      [["Title"]],
    );
    assert.deepEqual(kb.chunks(path).map((chunk) => chunk.text), [text]);
  },
);

Deno.test("search() shows each part of a fence that is longer than a chunk in a fence of its language", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const lines = Array.from(
    { length: 2_000 },
    (_, i) => `# step${i} comes here\nrun --step ${i}`,
  );
  const folder = temp.folder({
    "a.md": `# Steps\n\nBefore.\n\n\`\`\`sh\n${
      lines.join("\n")
    }\n\`\`\`\n\nAfter.\n`,
  });
  await kb.add(folder);
  assert.deepEqual(kb.info(join(folder, "a.md")).sections.length, 1);
  for (const word of ["step0", "step1000", "step1999"]) {
    const { hits: [hit] } = await kb.search(word, { retriever: "fts" });
    const marks = hit?.text.match(/^```.*$/gm);
    assert.deepEqual([...marks ?? []], ["```sh", "```"], word);
    assert.ok(hit?.text.includes(`# ${word} comes here`));
  }
});
