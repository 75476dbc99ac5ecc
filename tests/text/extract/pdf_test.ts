import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { ExtractError } from "../../../lib/text/mod.ts";
import {
  extractBytes,
  listFixtures,
  testFixtures,
} from "../../helpers/extract_fixtures.ts";
import { toPdf } from "../../helpers/spoil.ts";

testFixtures("pdf");

function fixture(name: string): Uint8Array {
  const found = listFixtures("pdf").find((one) => one.name === name);
  assert.ok(found !== undefined);
  return found.bytes;
}

Deno.test.each([
  { name: "locked.pdf", state: "password_required" },
  { name: "scan.pdf", state: "no_text" },
])("extract() says $state of pdf/$name", async ({ name, state }) => {
  await assert.rejects(extractBytes(fixture(name), name), { state });
});

Deno.test("extract() reads a PDF that only its owner may change", async () => {
  const { sections } = await extractBytes(fixture("owner.pdf"), "owner.pdf");
  assert.deepEqual(sections.map(({ title }) => title), [
    "Tides",
    "Turbines",
    "Costs",
    "Outlook",
  ]);
  assert.deepEqual(sections.map(({ page }) => page), [1, 1, 2, 3]);
});

Deno.test("extract() reads a PDF from a Buffer and leaves its bytes", async () => {
  const bytes = Buffer.from(fixture("hyphen.pdf"));
  const { sections } = await extractBytes(bytes, "hyphen.pdf");
  assert.equal(sections.length, 1);
  assert.deepEqual(new Uint8Array(bytes), fixture("hyphen.pdf"));
});

Deno.test("extract() joins words parted at line ends in a PDF", async () => {
  const [first] = (await extractBytes(fixture("hyphen.pdf"), "a.pdf")).sections;
  assert.match(
    first?.content ?? "",
    /discussed the importance of a well-known/,
  );
});

Deno.test("extract() reads the columns of a PDF one after the other", async () => {
  const { sections } = await extractBytes(fixture("columns.pdf"), "a.pdf");
  const text = sections.map(({ content }) => content).join("\n");
  assert.ok(text.indexOf("badgers") > text.indexOf("The left side ends here."));
});

Deno.test("extract() says too_large of a PDF with more pages than the limit", async () => {
  await assert.rejects(
    extractBytes(fixture("outline.pdf"), "a.pdf", {
      inflatedBytes: 1e6,
      pages: 2,
      entries: 100,
      depth: 10,
      textChars: 1e6,
    }),
    { state: "too_large", message: /has 3 pages, the limit is 2/ },
  );
});

Deno.test("extract() throws only ExtractError for a PDF with changed bytes", async () => {
  const original = fixture("outline.pdf");
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(original.length - 1), fc.nat(255)), {
        maxLength: 30,
      }),
      fc.nat(original.length),
      async (changes, end) => {
        const bytes = original.slice(0, Math.max(16, end));
        for (const [at, value] of changes) if (at > 7) bytes[at] = value;
        try {
          await extractBytes(bytes, "a.pdf");
        } catch (error) {
          assert.ok(error instanceof ExtractError, String(error));
        }
      },
    ),
    { numRuns: 60 },
  );
});

const CATALOGUE = "<</Type/Catalog/Pages 2 0 R>>";

Deno.test("extract() throws only ExtractError for a PDF whose tree of pages is a loop", async () => {
  const bytes = toPdf([
    CATALOGUE,
    "<</Type/Pages/Count 3/Kids[2 0 R 3 0 R]>>",
    "<</Type/Pages/Count 2/Parent 2 0 R/Kids[2 0 R]>>",
  ]);
  await assert.rejects(extractBytes(bytes, "a.pdf"), { name: "ExtractError" });
});

Deno.test.each([
  { filters: "/FlateDecode/FlateDecode", isHex: false },
  { filters: "/ASCIIHexDecode/Fl#61teDecode/Fl", isHex: true },
])(
  "extract() says too_large of a PDF that unpacks to 100 MB by $filters",
  async ({ filters, isHex }) => {
    const twice = deflateSync(deflateSync(Buffer.alloc(100_000_000, " ")));
    const data = isHex ? Buffer.from(`${twice.toString("hex")}>`) : twice;
    const bytes = toPdf([
      CATALOGUE,
      "<</Type/Pages/Count 1/Kids[3 0 R]>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>",
      Buffer.concat([
        Buffer.from(`<</Length ${data.length}/Filter[${filters}]>>stream\n`),
        data,
        Buffer.from("\nendstream"),
      ]),
    ]);
    assert.ok(bytes.length < 10_000);
    await assert.rejects(extractBytes(bytes, "a.pdf"), { state: "too_large" });
  },
);
