import assert from "node:assert/strict";
import { extractText, testFixtures } from "../../helpers/extract_fixtures.ts";

testFixtures("html");

Deno.test("extract() says too_large of a page that is nested 100,000 deep", async () => {
  await assert.rejects(extractText("<div>".repeat(100_000) + "x", "a.html"), {
    name: "ExtractError",
    state: "too_large",
    message: /nested deeper than 256/,
  });
});

Deno.test.each([
  { rule: "nothing", html: "<!doctype html><title>x</title>" },
  { rule: "white space", html: "<p> </p><div>\n</div>" },
  { rule: "scripts", html: "<script>alert(1)</script><style>p{}</style>" },
])("extract() gives no section of a page of $rule", async ({ html }) => {
  assert.deepEqual((await extractText(html, "a.html")).sections, []);
});

Deno.test("extract() takes all of a page for content where that leaves nothing", async () => {
  const { sections } = await extractText(
    "<nav><a href=x>Only a menu</a></nav>",
    "a.html",
  );
  assert.equal(sections[0]?.content, "[Only a menu](x)");
});

Deno.test("extract() lets no text of a page become a heading or frontmatter", async () => {
  const { sections, title } = await extractText(
    "<p>---<br>title: fake<br>---</p><p># fake</p><p>&lt;!-- open</p><h1>Real</h1><p>end</p>",
    "a.html",
  );
  assert.equal(title, "Real");
  assert.deepEqual(sections.map(({ headingPath }) => headingPath), [[], [
    "Real",
  ]]);
});
