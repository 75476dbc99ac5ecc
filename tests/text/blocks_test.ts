import assert from "node:assert/strict";
import fc from "fast-check";
import { mendFences } from "../../lib/text/mod.ts";

Deno.test.each([
  {
    rule: "a part without fences as it is",
    before: "# A\n\ntext\n",
    part: "more text\n",
    mended: "more text\n",
  },
  {
    rule: "the marks and the language of the fence it begins in",
    before: "Run:\n\n```sh\ncd /tmp\n",
    part: "# list\nls\n```\nThen read.",
    mended: "```sh\n# list\nls\n```\nThen read.",
  },
  {
    rule: "an end for the fence it ends in",
    before: "",
    part: "Run:\n\n~~~ py\nprint(1)\n",
    mended: "Run:\n\n~~~ py\nprint(1)\n~~~",
  },
  {
    rule: "both in the middle of a fence of four marks around one of three",
    before: "````md\n```sh\nls\n",
    part: "```\n\ntext",
    mended: "````md\n```\n\ntext\n````",
  },
  {
    rule: "the fence of an item of a list",
    before: "1. ```js\n   a();\n",
    part: "   b();\n",
    mended: "```js\n   b();\n```",
  },
  {
    rule: "nothing for a fence that was closed before",
    before: "```\na\n```\n",
    part: "b",
    mended: "b",
  },
])("mendFences() gives $rule", ({ before, part, mended }) => {
  assert.equal(mendFences(part, before), mended);
});

Deno.test("mendFences() leaves no fence open and changes nothing the second time", () => {
  const line = fc.constantFrom("```", "```sh", "````", "~~~", "# a", "", "b");
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 20 }),
      fc.nat(20),
      (lines, cut) => {
        const before = lines.slice(0, cut).map((it) => `${it}\n`).join("");
        const mended = mendFences(lines.slice(cut).join("\n"), before);
        assert.equal(mendFences(mended, ""), mended);
      },
    ),
  );
});
