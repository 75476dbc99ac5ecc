import assert from "node:assert/strict";
import type { Extracted } from "../../../lib/text/mod.ts";
import { extractBytes, listFixtures } from "../../helpers/extract_fixtures.ts";

/** Extracts a fixture. */
async function read(type: string, name: string): Promise<Extracted> {
  const found = listFixtures(type).find((one) => one.name === name);
  assert.ok(found !== undefined, name);
  return await extractBytes(found.bytes, name);
}

/** Titles of the sections that have one, each once; the title of the document is not among them. */
function titlesOf({ sections, title }: Extracted): string[] {
  const titles = sections.flatMap((section) => section.title ?? [])
    // TeX and Word put the title of the document above its headings.
    .map((words) => words.replace(/ \(\d\)$/, ""));
  return [...new Set(titles.filter((words) => words !== title))];
}

function textOf({ sections }: Extracted): string {
  return sections.map(({ content }) => content).join("\n\n");
}

/** The words of a text, without what marks them. */
function wordsOf(text: string): string {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).join(" ");
}

const SOURCE = await read("markdown", "canal.md");

/** What other programs made of the one text, and what it keeps in them. */
const CONVERTED: readonly {
  readonly type: string;
  readonly name: string;
  /** Whether tables have rows with bars; pages of a PDF have lines. */
  readonly hasTables: boolean;
  readonly hasLists: boolean;
  readonly hasCode: boolean;
  /** How a note is referred to. */
  readonly note: string;
}[] = [
  ...[
    ["docx", "canal.docx"],
    ["docx", "canal_pandoc.docx"],
    ["odf", "canal.odt"],
    ["odf", "canal_pandoc.odt"],
  ].map(([type = "", name = ""]) => ({
    type,
    name,
    hasTables: true,
    hasLists: true,
    hasCode: true,
    note: " (1)",
  })),
  {
    type: "epub",
    name: "canal_pandoc.epub",
    hasTables: true,
    hasLists: true,
    hasCode: true,
    note: " (1)",
  },
  {
    type: "rtf",
    name: "canal.rtf",
    hasTables: true,
    hasLists: true,
    hasCode: false,
    note: " (1)",
  },
  {
    type: "rtf",
    name: "canal_pandoc.rtf",
    hasTables: true,
    hasLists: false,
    hasCode: false,
    note: " (1)",
  },
  {
    type: "html",
    name: "canal.html",
    hasTables: true,
    hasLists: false,
    hasCode: false,
    note: " (1)",
  },
  {
    type: "pdf",
    name: "canal.pdf",
    hasTables: false,
    hasLists: false,
    hasCode: false,
    note: "1",
  },
];

for (
  const { type, name, hasTables, hasLists, hasCode, note } of CONVERTED
) {
  Deno.test(`extract() finds in ${type}/${name} what is in the text it was made of`, async () => {
    const made = await read(type, name);
    assert.equal(made.title, SOURCE.title);
    assert.deepEqual(titlesOf(made), titlesOf(SOURCE));
    const text = textOf(made);
    assert.ok(text.includes(`dug in 1794.${note} It has`), text.slice(0, 300));
    assert.match(text, /By hand, in eleven months\./);
    assert.ok(wordsOf(text).includes("Größe 3 00 0 98 naïve reading"));
    assert.match(text, /On day 360 came a narrowboat with coal/);
    if (hasTables) {
      assert.match(text, /\| Day \| Upper \(m\) \| Lower \(m\) \| Remark \|/);
      assert.ok(text.includes("| Tuesday | 3.35 | 1.40 | rain\\|wind |"));
    }
    if (hasLists) {
      assert.match(
        text,
        /1\. Close the lower paddles\.\n2\. Open the upper paddles:\n +- half a turn first,\n +- the rest when the water is calm\.\n3\. Wait/,
      );
    }
    if (hasCode) {
      assert.match(
        text,
        /```(?:sh)?\ngauge --lock elm --unit m\n# prints two numbers\n```/,
      );
    }
  });
}

Deno.test("extract() gives the pages of a PDF that another program made", async () => {
  const { sections } = await read("pdf", "canal.pdf");
  const pages = sections.map(({ page = 0 }) => page);
  assert.deepEqual(pages, pages.toSorted((a, b) => a - b));
  assert.equal(sections[0]?.page, 1);
  const [last] = sections.filter(({ title }) => title === "Repairs");
  assert.equal(last?.page, Math.max(...pages));
});

Deno.test("extract() names the chapters of a book without headings by its table of contents", async () => {
  const { sections } = await read("epub", "canal.epub");
  assert.deepEqual(sections.map(({ headingPath }) => headingPath), [
    ["Section 1"],
    ["The canal at Elm Lock"],
  ]);
});

Deno.test.each([
  { type: "xlsx", name: "tides.xlsx" },
  { type: "odf", name: "tides_libreoffice.ods" },
])(
  "extract() reads the hidden sheet of $type/$name",
  async ({ type, name }) => {
    const { sections } = await read(type, name);
    assert.deepEqual(sections.map(({ title, page }) => [title, page]), [
      ["Tides", 1],
      ["Keeper's notes", 2],
    ]);
    assert.match(
      sections[0]?.content ?? "",
      /\| 2026-01-31 \| 3\.2 \| 12\.5% \|/,
    );
    assert.match(sections[1]?.content ?? "", /\| Ina \| kept from view \|/);
  },
);

Deno.test.each([
  { type: "pptx", name: "locks.pptx" },
  { type: "odf", name: "locks.odp" },
])(
  "extract() reads slides, tables and notes of $type/$name",
  async ({ type, name }) => {
    const { sections } = await read(type, name);
    assert.deepEqual(sections.map(({ title, page }) => [title, page]), [
      ["Locks of the county", 1],
      ["Why locks", 2],
      ["Levels", 3],
      ["日本の水門", 4],
    ]);
    assert.match(
      sections[1]?.content ?? "",
      /Notes:\n\nSay hello to the keepers\.$/,
    );
    assert.match(sections[2]?.content ?? "", /\| Elm \| 2\.1 \|/);
  },
);
