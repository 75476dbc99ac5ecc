import assert from "node:assert/strict";
import fc from "fast-check";
import { recognise } from "../../lib/text/mod.ts";

/** Bytes of a text in an encoding of one or two bytes, by the decoder the platform has. */
function encode(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, number[]>();
  for (let high = 0; high < 256; high++) {
    const one = decoder.decode(Uint8Array.of(high));
    if (one.length > 0 && !one.includes("\ufffd")) table.set(one, [high]);
    if (high < 0x81 || !/gb|big5|jis|euc/.test(encoding)) continue;
    for (let low = 0x40; low < 256; low++) {
      const two = decoder.decode(Uint8Array.of(high, low));
      if ([...two].length === 1 && two !== "\ufffd" && !table.has(two)) {
        table.set(two, [high, low]);
      }
    }
  }
  return Uint8Array.from([...text].flatMap((char) => {
    const bytes = table.get(char);
    assert.ok(bytes !== undefined, `${char} is not in ${encoding}`);
    return bytes;
  }));
}

const FRENCH =
  "Le château était fermé depuis l'été dernier, mais la clé se trouvait encore là.";
const RUSSIAN =
  "Вчера вечером мы долго гуляли по городу и смотрели на реку, пока не стемнело.";
const CHINESE = "昨天晚上我们在城里散步，看着大海，直到太阳落山。";

Deno.test.each([
  { encoding: "windows-1252", text: FRENCH },
  {
    encoding: "windows-1252",
    text: "I don’t think so, “he said” and left the room with all the others.",
  },
  {
    encoding: "windows-1250",
    text:
      "Zażółć gęślą jaźń. Wczoraj wieczorem słońce zachodziło późno nad jeziorem, a dzieci śpiewały głośno.",
  },
  { encoding: "windows-1251", text: RUSSIAN },
  { encoding: "koi8-r", text: RUSSIAN },
  { encoding: "gb18030", text: CHINESE },
  {
    encoding: "shift_jis",
    text: "昨日の夜、私たちは町を歩いて海を見ました。太陽が沈むまで。",
  },
  {
    encoding: "euc-jp",
    text: "昨日の夜、私たちは町を歩いて海を見ました。太陽が沈むまで。",
  },
  {
    encoding: "euc-kr",
    text: "어제 저녁에 우리는 도시를 걸으며 바다를 보았다.",
  },
  {
    encoding: "big5",
    text: "昨天晚上我們在城裡散步，看著大海，直到太陽落山。",
  },
])(
  "recognise() decodes $encoding by its words, and says so",
  async ({ encoding, text }) => {
    const found = await recognise(encode(text, encoding), "a.txt");
    assert.ok(found.kind === "text", JSON.stringify(found));
    assert.equal(found.text, text);
    assert.deepEqual(found.warnings, [`Decoded as ${encoding}, guessed.`]);
  },
);

Deno.test.each([
  { rule: "a few bytes", bytes: [0x63, 0x61, 0x66, 0xe9, 0x20, 0x78] },
  {
    rule: "Russian of a code page that is none of the web's",
    bytes: Array.from(encode(RUSSIAN, "ibm866")),
  },
  {
    rule: "UTF-8 that is broken in the middle",
    bytes: [
      ...new TextEncoder().encode(RUSSIAN),
      0xd0,
      ...new TextEncoder().encode(RUSSIAN),
    ],
  },
])("recognise() says not_text of $rule", async ({ bytes }) => {
  const found = await recognise(Uint8Array.from(bytes), "a.txt");
  assert.ok(found.kind === "rejected", JSON.stringify(found));
  assert.equal(found.state, "not_text");
});

function utf16(text: string, order: "le" | "be"): Uint8Array {
  const bytes = new Uint8Array(text.length * 2);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) {
    view.setUint16(i * 2, text.charCodeAt(i), order === "le");
  }
  return bytes;
}

Deno.test.each(["le", "be"] as const)(
  "recognise() decodes UTF-16%s without a mark where zeros tell it",
  async (order) => {
    const text = "Plain words in a file, and a café.\r\n";
    const found = await recognise(utf16(text, order), "a.txt");
    assert.ok(found.kind === "text");
    assert.equal(found.text, text);
    assert.deepEqual(found.warnings, [`Decoded as utf-16${order}, guessed.`]);
  },
);

Deno.test("recognise() never gives a text with controls or replaced characters for random bytes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 24, maxLength: 400 }),
      async (bytes) => {
        const found = await recognise(bytes, "a.txt");
        if (found.kind !== "text" || found.encoding === "utf-8") return;
        assert.doesNotMatch(found.text, /[\x80-\x9f\ufffd]/);
      },
    ),
  );
});
