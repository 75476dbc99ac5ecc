import assert from "node:assert/strict";
import { extractText, testFixtures } from "../../helpers/extract_fixtures.ts";

for (const type of ["yaml", "toml", "json", "jsonl", "csv", "xml"]) {
  testFixtures(type);
}

const DEEP = 100_000;

Deno.test("extract() says too_large of XML that is nested 100,000 deep", async () => {
  await assert.rejects(extractText("<a>".repeat(DEEP), "a.xml"), {
    name: "ExtractError",
    state: "too_large",
  });
});

Deno.test("extract() reads JSON that is nested 100,000 deep as it stands", async () => {
  const { sections } = await extractText(
    "[".repeat(DEEP) + "]".repeat(DEEP),
    "a.json",
  );
  assert.equal(
    sections.reduce((sum, { content }) => sum + content.length, 0),
    2 * DEEP,
  );
});

Deno.test("extract() expands no entity that XML declares", async () => {
  const levels = Array.from(
    { length: 30 },
    (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`,
  );
  const { sections, warnings } = await extractText(
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">${
      levels.join("")
    }]><a>words &l30;</a>`,
    "a.xml",
  );
  assert.equal(sections[0]?.content, "a: words &l30;");
  assert.match(warnings.join(), /not expanded/);
});

Deno.test("extract() keeps every character of data that is cut as it stands", async () => {
  const records = Array.from(
    { length: 300 },
    (_, i) => ({
      id: i,
      'say "{"': "word ".repeat(i),
      list: [[1], { a: "]" }],
    }),
  );
  for (const indent of [undefined, 1]) {
    const text = JSON.stringify(
      { first: records, second: records },
      undefined,
      indent,
    );
    const { sections } = await extractText(text, "a.json");
    assert.ok(sections.length > 50);
    assert.equal(
      sections.map(({ content }) => content).join("").replace(/\s/g, ""),
      text.replace(/\s/g, ""),
    );
  }
});

Deno.test("extract() never cuts a row of a table, and gives each section the header", async () => {
  const rows = Array.from(
    { length: 500 },
    (_, i) => `name ${i},"city, ${i}",${i}`,
  );
  const { sections } = await extractText(
    ["Name,City,Count", ...rows].join("\n"),
    "a.csv",
  );
  const lines = sections.flatMap(({ content, lineStart, lineEnd }) => {
    const [head, rule, ...own] = content.split("\n");
    assert.equal(head, "| Name | City | Count |");
    assert.equal(rule, "| --- | --- | --- |");
    assert.equal(own.length, lineEnd - lineStart + 1);
    return own;
  });
  assert.deepEqual(
    lines,
    rows.map((_, i) => `| name ${i} | city, ${i} | ${i} |`),
  );
});

/** Sections of a text are made one after the other, not by going through the text again for each. */
Deno.test("extract() ends on long lists in one line and on long lists of elements", async () => {
  const json = await extractText(
    JSON.stringify(
      Array.from(
        { length: 60_000 },
        (_, i) => ({ id: i, text: "words ".repeat(12) }),
      ),
    ),
    "a.json",
  );
  assert.ok(json.sections.length > 3_000);
  assert.ok(json.sections.every(({ lineEnd }) => lineEnd === 1));
  const xml = await extractText(
    `<r>${"<p>words and more</p>\n".repeat(200_000)}</r>`,
    "a.xml",
  );
  assert.equal(xml.sections.at(-1)?.lineEnd, 200_000);
});
