import assert from "node:assert/strict";
import fc from "fast-check";
import { preprocess } from "../../lib/text/mod.ts";
import { normalizeText } from "../../lib/text/preprocess.ts";

Deno.test.each([
  { rule: "drops a byte order mark", text: "\ufeffa", expected: "a" },
  {
    rule: "makes CRLF and CR to LF",
    text: "a\r\nb\rc\r\r\nd",
    expected: "a\nb\nc\n\nd",
  },
  { rule: "composes to NFC", text: "cafe\u0301", expected: "caf\u00e9" },
  {
    rule: "leaves compatibility forms as they are",
    text: "\ufb01\u2460\uff71",
    expected: "\ufb01\u2460\uff71",
  },
  {
    rule: "writes a lone surrogate as U+FFFD",
    text: "a\ud83db",
    expected: "a\ufffdb",
  },
  {
    rule: "trims outer white space only",
    text: " \n\t a  b \u3000\n",
    expected: "a  b",
  },
  {
    rule: "gives nothing for a blank text",
    text: "\ufeff \r\n ",
    expected: "",
  },
])("preprocess() $rule", ({ text, expected }) => {
  assert.equal(preprocess(text), expected);
});

/** Any code units, so that lone surrogates and marks at the edges come up. */
const anyUnits = fc.array(
  fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.constantFrom(0x0a, 0x0d, 0x20, 0x301, 0xfeff, 0xd83d, 0xdf38, 0x1100),
  ),
  { maxLength: 40 },
).map((units) => String.fromCharCode(...units));

Deno.test("preprocess() changes nothing more when applied twice", () => {
  fc.assert(fc.property(anyUnits, (text) => {
    const once = preprocess(text);
    assert.equal(preprocess(once), once);
    assert.ok(once.isWellFormed());
  }));
});

Deno.test("normalizeText() keeps the number of lines", () => {
  fc.assert(fc.property(anyUnits, (text) => {
    const lines = text.split(/\r\n|\r|\n/).length;
    assert.equal(normalizeText(text).split("\n").length, lines);
  }));
});
