import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import {
  extractBytes,
  listFixtures,
  testFixtures,
} from "../../helpers/extract_fixtures.ts";

for (
  const type of [
    "docx",
    "epub",
    "pptx",
    "xlsx",
    "odf",
    "rtf",
    "email",
    "notebook",
  ]
) testFixtures(type);

/** A Word document with this body. */
function toDocx(body: string): Uint8Array {
  return zipSync({
    "[Content_Types].xml": strToU8("<Types/>"),
    "word/document.xml": strToU8(
      `<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`,
    ),
  }, { level: 6 });
}

Deno.test("extract() says too_large of a Word document that unpacks to too much", async () => {
  const bomb = toDocx(`<w:p><w:t>${" ".repeat(40_000_000)}</w:t></w:p>`);
  assert.ok(bomb.length < 100_000);
  await assert.rejects(extractBytes(bomb, "a.docx"), { state: "too_large" });
});

Deno.test("extract() says too_large of a Word document that is nested 100,000 deep", async () => {
  const nested = toDocx("<w:sdt>".repeat(100_000));
  await assert.rejects(extractBytes(nested, "a.docx"), { state: "too_large" });
});

Deno.test("extract() leaves out what was deleted in a Word document", async () => {
  const found = listFixtures("docx").find(({ name }) => name === "bees.docx");
  assert.ok(found !== undefined);
  const { sections } = await extractBytes(found.bytes, "bees.docx");
  const text = sections.map(({ content }) => content).join("\n");
  assert.match(text, /first frost/);
  assert.doesNotMatch(text, /struck out/);
});

Deno.test("extract() ends on notes of a Word document that refer to themselves", async () => {
  const note =
    '<w:p><w:r><w:t>note</w:t><w:footnoteReference w:id="2"/></w:r></w:p>';
  const bytes = zipSync({
    "[Content_Types].xml": strToU8("<Types/>"),
    "word/document.xml": strToU8(
      `<w:document xmlns:w="w"><w:body>${note}</w:body></w:document>`,
    ),
    "word/footnotes.xml": strToU8(
      `<w:footnotes xmlns:w="w"><w:footnote w:id="2">${note}</w:footnote></w:footnotes>`,
    ),
  });
  const { sections } = await extractBytes(bytes, "a.docx");
  assert.equal(sections[0]?.content, "note (1)\n\n(1) note");
});

Deno.test("extract() reads every row of an Excel workbook with 200,000", async () => {
  const rows = Array.from(
    { length: 200_000 },
    (_, i) =>
      `<row r="${
        i + 1
      }"><c t="inlineStr"><is><t>name ${i}</t></is></c><c><v>${i}</v></c></row>`,
  ).join("");
  const bytes = zipSync({
    "[Content_Types].xml": strToU8("<Types/>"),
    "xl/workbook.xml": strToU8(
      '<workbook xmlns:r="r"><sheets><sheet name="Long" sheetId="1" r:id="rId1"/></sheets></workbook>',
    ),
    "xl/_rels/workbook.xml.rels": strToU8(
      '<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/s.xml"/></Relationships>',
    ),
    "xl/worksheets/s.xml": strToU8(
      `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    ),
  }, { level: 1 });
  const { sections } = await extractBytes(bytes, "a.xlsx");
  assert.equal(sections.at(-1)?.lineEnd, 200_000);
  assert.match(sections.at(-1)?.content ?? "", /\| name 199999 \| 199999 \|$/);
  const limits = {
    inflatedBytes: 1e8,
    pages: 1,
    entries: 10,
    depth: 20,
    textChars: 10_000,
  };
  await assert.rejects(extractBytes(bytes, "a.xlsx", limits), {
    state: "too_large",
  });
});
