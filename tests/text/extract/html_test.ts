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

Deno.test("extract() keeps a heading whose name is that of a menu", async () => {
  const { sections } = await extractText(
    '<h1>Paths</h1><p>One.</p><h2 id="related-links">Related links</h2><p>Two.</p><h2 id="the-session-menu">The session menu</h2><p>Three.</p>',
    "a.html",
  );
  assert.deepEqual(sections.map(({ title }) => title), [
    "Paths",
    "Related links",
    "The session menu",
  ]);
});

Deno.test.each([
  {
    rule: "a list in a list without an item around it",
    html:
      "<ol><li>a<li>b<ul><li>c</ul></ol><ul><li>d<ul><li>e</ul><ul><li>f</ul></ul>",
    text: "1. a\n2. b\n   - c\n\n- d\n  - e\n  - f",
  },
  {
    rule: "a link to a footnote",
    html:
      '<p>Dug in 1794.<sup><a epub:type="noteref" href="#f1">1</a></sup> It<a class="footnote-ref" href="#f2">[2]</a> has.',
    text: "Dug in 1794. (1) It (2) has.",
  },
  {
    rule: "a link whose words stand in brackets",
    html: '<p>See <a href="https://example.org/a">[registry]</a>.',
    text: "See [\\[registry\\]](https://example.org/a).",
  },
])("extract() writes $rule as Markdown", async ({ html, text }) => {
  const { sections: [section] } = await extractText(html, "a.html");
  assert.equal(section?.content, text);
});
