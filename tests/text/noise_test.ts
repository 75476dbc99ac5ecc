import assert from "node:assert/strict";
import { maskPayload } from "../../lib/text/noise.ts";

const BASE64 = "iVBORw0KGgoAAAANSUhEUgcA4v9Z".repeat(20);

Deno.test.each([
  {
    rule: "masks a data URI in an image",
    text: `![a](data:image/png;base64,${BASE64}) end`,
    expected: `![a]([data:image/png, ${22 + BASE64.length} chars]) end`,
  },
  {
    rule: "names a data URI without media type by its default",
    text: `<data:;base64,${BASE64}>`,
    expected: `<[data:text/plain, ${13 + BASE64.length} chars]>`,
  },
  {
    rule: "masks long base64",
    text: `key ${BASE64} end`,
    expected: `key [base64, ${BASE64.length} chars] end`,
  },
  {
    rule: "masks long hex",
    text: `sum ${"0af9".repeat(60)}.`,
    expected: "sum [hex, 240 chars].",
  },
  {
    rule: "masks several payloads",
    text: `${BASE64}, then ${BASE64}`,
    expected: "[base64, 560 chars], then [base64, 560 chars]",
  },
])("maskPayload() $rule", ({ text, expected }) => {
  assert.equal(maskPayload(text)?.text, expected);
});

Deno.test.each([
  {
    rule: "a short data URI",
    text: `data:image/png;base64,${"A1b".repeat(9)}`,
  },
  { rule: "prose", text: "Some words, as people write them. ".repeat(20) },
  { rule: "a run of one letter", text: "x".repeat(5000) },
  { rule: "a ruler", text: "=".repeat(5000) },
  { rule: "a long lower-case path", text: "/some/folder".repeat(50) },
  { rule: "a long number", text: "1234567890".repeat(50) },
  { rule: "CJK without spaces", text: "成语接龙".repeat(200) },
])("maskPayload() leaves $rule", ({ text }) => {
  assert.equal(maskPayload(text), undefined);
});

Deno.test("maskPayload() leads back to the original offsets", () => {
  const text = `before ${BASE64} after`;
  const masked = maskPayload(text);
  assert.ok(masked !== undefined);
  const inside = masked.text.indexOf("base64");
  assert.equal(masked.toStart(inside), 7);
  assert.equal(masked.toEnd(inside), 7 + BASE64.length);
  const after = masked.text.indexOf("after");
  assert.equal(masked.toStart(after), text.indexOf("after"));
  assert.equal(masked.toEnd(masked.text.length), text.length);
  assert.equal(masked.toStart(0), 0);
  assert.equal(masked.hasMark(0, 7), false);
  assert.equal(masked.hasMark(inside, inside + 1), true);
  assert.equal(masked.hasMark(after, after + 5), false);
});

Deno.test("maskPayload() ends on a data URI that has no comma, however long", () => {
  const longest = `data:image/${"A1b".repeat(700_000)}`;
  assert.match(
    maskPayload(longest)?.text ?? "",
    /^data:\[base64, \d+ chars\]$/,
  );
  const many = `data:${"A1b".repeat(70)};`.repeat(10_000);
  assert.ok((maskPayload(many)?.text.length ?? 0) < many.length / 4);
});
