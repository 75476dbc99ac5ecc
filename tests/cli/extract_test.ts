import assert from "node:assert/strict";
import { CliFolder } from "../helpers/run_cli.ts";

Deno.test("kbdb extract prints the sections of a file with headings and lines, and makes no base", async () => {
  using folder = new CliFolder();
  folder.write({ "a.md": "---\ntags: x\n---\n# One\n\n## Two\n\nText.\n" });
  const { code, out } = await folder.run(["extract", "a.md"]);
  assert.equal(code, 0);
  assert.equal(
    out,
    [
      "a.md: indexed",
      "One (markdown, text/markdown), 2 sections",
      "tags: x",
      "",
      "--- 1, lines 4-4  One",
      "# One",
      "",
      "--- 2, lines 6-8  One > Two",
      "## Two",
      "",
      "Text.",
      "",
    ].join("\n"),
  );
  assert.equal((await folder.run(["list"])).code, 4);
});

Deno.test("kbdb extract --format json gives report and document", async () => {
  using folder = new CliFolder();
  folder.write({ "a.md": "# One\n" });
  const { out } = await folder.run(["extract", "a.md", "--format", "json"]);
  const { report, document, readBytes } = JSON.parse(out);
  assert.equal(report.state, "indexed");
  assert.equal(readBytes, 6);
  assert.equal(document.docType, "markdown");
  assert.deepEqual(document.sections, [{
    title: "One",
    headingPath: ["One"],
    type: "text/markdown",
    description: null,
    lineStart: 1,
    lineEnd: 1,
    page: null,
    content: "# One",
    sizeBytes: 5,
  }]);
});

Deno.test.each([
  { rule: "3 if the file would not be stored", path: "b.bin", code: 3 },
  { rule: "4 if there is no such file", path: "none", code: 4 },
  { rule: "2 if it is a folder", path: ".", code: 2 },
])("kbdb extract exits $rule", async ({ path, code }) => {
  using folder = new CliFolder();
  folder.write({ "b.bin": "a\0b" });
  const answer = await folder.run(["extract", path]);
  assert.equal(answer.code, code);
  assert.ok(answer.out + answer.err !== "");
});
