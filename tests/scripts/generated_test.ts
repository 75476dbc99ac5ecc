import assert from "node:assert/strict";
import { fillParts } from "../../scripts/docs/generated.ts";

const TEXT =
  "# A\n\n<!-- generated: b -->\nold\n<!-- end -->\n\nkept\n\n<!-- generated: c -->\n<!-- end -->\n";

Deno.test("fillParts() replaces what stands between markers and nothing else", () => {
  const filled = fillParts(TEXT, new Map([["b", "$& new"], ["c", "C"]]));
  assert.equal(
    filled,
    "# A\n\n<!-- generated: b -->\n\n$& new\n\n<!-- end -->\n\nkept\n\n<!-- generated: c -->\n\nC\n\n<!-- end -->\n",
  );
});

Deno.test.each([
  { rule: "a part has no markers", parts: ["b", "c", "d"], says: /for d/ },
  { rule: "markers have no part", parts: ["b"], says: /generates "c"/ },
])("fillParts() throws when $rule", ({ parts, says }) => {
  assert.throws(
    () => fillParts(TEXT, new Map(parts.map((name) => [name, name]))),
    says,
  );
});
