import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { GRAMMARS } from "../../../lib/text/extract/code/languages.ts";
import { readSyntax } from "../../../lib/text/extract/code/grammar.ts";
import { extractText, testFixtures } from "../../helpers/extract_fixtures.ts";

testFixtures("code");

Deno.test("readSyntax() loads every grammar that is in use", async () => {
  for (const grammar of GRAMMARS) {
    const type = await readSyntax("\n", grammar, (root) => root.type);
    assert.equal(typeof type, "string", grammar);
  }
});

Deno.test("extract() keeps every line of source code that is not blank", async () => {
  const line = fc.constantFrom(
    "class A {",
    "  f() {",
    "    return 1;",
    "  }",
    "}",
    "",
    "// said of it",
    "function g() {",
    "const x = () => {",
    "};",
    "import a from 'a';",
    "/*",
    "*/",
    "`",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { minLength: 1, maxLength: 40 }),
      async (lines) => {
        fc.pre(lines.some((it) => it !== ""));
        const { sections } = await extractText(lines.join("\n"), "a.js");
        const held = lines.map(() => false);
        for (const { content, lineStart, lineEnd } of sections) {
          assert.equal(
            content,
            lines.slice(lineStart - 1, lineEnd).join("\n").trim(),
          );
          held.fill(true, lineStart - 1, lineEnd);
        }
        assert.ok(lines.every((it, i) => it === "" || held[i]));
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("extract() cuts source code that is nested 50,000 deep", async () => {
  const text = `function a() {\n${"[".repeat(50_000)}\n}\n`;
  const { sections } = await extractText(text, "a.js");
  assert.equal(
    sections.reduce((sum, { content }) => sum + content.length, 0) >= 50_000,
    true,
  );
});

Deno.test("extract() reads no syntax of code that a tool has packed into long lines", async () => {
  const text = `/* packed */\n${"function a(){return 1}".repeat(50_000)}\n`;
  const { sections, docType } = await extractText(text, "a.min.js");
  assert.equal(docType, "code");
  assert.ok(sections.every(({ title }) => title === null));
});

Deno.test("extract() names functions and methods of real code of this project", async () => {
  const path = new URL("../../../lib/store/driver.ts", import.meta.url);
  assert.ok(existsSync(path));
  const { sections } = await extractText(
    readFileSync(path, "utf8"),
    "lib/store/driver.ts",
  );
  const titles = sections.map(({ title }) => title);
  for (const title of ["Store", "Store.write", "openStore"]) {
    assert.ok(titles.includes(title), title);
  }
});
