import assert from "node:assert/strict";
import { strToU8, zipSync } from "fflate";
import {
  extractBytes,
  listFixtures,
  testFixtures,
} from "../../helpers/extract_fixtures.ts";

for (const type of ["docx", "epub"]) testFixtures(type);

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
  assert.equal(sections[0]?.content, "note (2)\n\n(2) note");
});
