import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import fc from "fast-check";
import { unzipSync, type Zippable, zipSync } from "fflate";

/** Changes of bytes: overwritten, taken out, doubled or cut off. */
type Changes = readonly (readonly [kind: number, at: number, value: number])[];

const CHANGES: fc.Arbitrary<Changes> = fc.array(
  fc.tuple(fc.nat(3), fc.nat(100_000), fc.nat(255)),
  { minLength: 1, maxLength: 6 },
);

/** Bytes with some of them changed. */
export function spoiled(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return CHANGES.map((changes) => {
    let now = Buffer.from(bytes);
    for (const [kind, at, value] of changes) {
      const index = at % Math.max(1, now.length);
      if (kind === 0) now[index] = value;
      else if (kind === 3) now = now.subarray(0, index + 1);
      else {
        const more = kind === 1 ? index + value : index;
        const again = kind === 1 ? [] : [now.subarray(0, value)];
        now = Buffer.concat([
          now.subarray(0, index),
          ...again,
          now.subarray(more),
        ]);
      }
    }
    return new Uint8Array(now);
  });
}

/** Bytes of any kind. */
export const NOISE: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 2_000 }),
  fc.string({ unit: "binary", maxLength: 300 }).map((text) =>
    new TextEncoder().encode(text)
  ),
);

/** XML of the elements and attributes that a text has, put together anew. */
function shuffled(text: string): fc.Arbitrary<Uint8Array> {
  const tags = text.match(/<[^>]{1,200}>/g) ?? ["<a>"];
  const values = [...text.matchAll(/"([^"]{0,40})"/g)].map(([, it = ""]) => it);
  const value = fc.oneof(
    fc.constantFrom("", "0", "-1", "1e9", "99999999999999999999", ...values),
    fc.string({ unit: "grapheme", maxLength: 8 }).map((it) =>
      it.replace(/[<&"]/g, "")
    ),
  );
  const [head = ""] = /^(?:<\?[^>]*>)?\s*<[^>]*>/.exec(text) ?? [];
  const tail = /<\/[^>]*>\s*$/.exec(text)?.[0] ?? "";
  return fc.array(fc.tuple(fc.constantFrom(...tags), value, fc.boolean()), {
    maxLength: 60,
  }).map((parts) => {
    const open: string[] = [];
    const inner = parts.map(([tag, word, isNew]) => {
      const name = /^<([\w:.-]+)/.exec(tag)?.[1];
      const own = isNew ? tag.replace(/"[^"]*"/, `"${word}"`) : tag;
      if (name !== undefined && !own.endsWith("/>")) {
        open.push(name);
        return own + word;
      }
      const last = tag.startsWith("</") ? open.pop() : undefined;
      return last === undefined ? word : `</${last}>${word}`;
    });
    const ends = open.toReversed().map((name) => `</${name}>`);
    return new TextEncoder().encode([head, ...inner, ...ends, tail].join(""));
  });
}

/** A ZIP file with one of its parts spoiled, replaced or put together anew, and packed as it should be. */
export function spoiledPart(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  const parts = unzipSync(bytes);
  const names = Object.keys(parts).filter((name) =>
    /(?:xml|rels|opf|ncx|html?)$/.test(name)
  );
  const isMain = (name: string) =>
    /document\.xml$|sheet\d+\.xml$|slide\d+\.xml$|content\.xml$|\.xhtml$|workbook|sharedStr|\.opf$|numbering|styles\.xml$/
      .test(name);
  const main = names.filter(isMain);
  return fc.constantFrom(...main, ...main, ...names).chain((name) => {
    const part = parts[name] ?? new Uint8Array();
    return fc.oneof(
      NOISE,
      spoiled(part),
      shuffled(new TextDecoder().decode(part)),
      shuffled(new TextDecoder().decode(part)),
    ).map((changed) => {
      const whole: Zippable = { ...parts, [name]: changed };
      return zipSync(whole, { level: 1 });
    });
  });
}

const OPERATORS =
  "q Q cm BT ET Tf Td TD Tm T* Tj TJ ' \" Tc Tw Tz TL Ts Do gs BI ID EI re W n sh BDC EMC BX EX d0 d1"
    .split(" ");
const OPERANDS =
  "0 1 -1 1e9 99999999999 /F1 /Im1 /None (text) (\\) <48> <zz [ ] [(a)-500(b)] << >> /P<</MCID 0>> true null"
    .split(" ");

/** What draws a page. */
const DRAWING = fc.oneof(
  NOISE,
  fc.array(fc.constantFrom(...OPERATORS, ...OPERANDS), { maxLength: 120 })
    .map((words) => new TextEncoder().encode(words.join(" "))),
);

/** A PDF whose page is drawn by such bytes, between a head and an end that are right. */
export const PDF: fc.Arbitrary<Uint8Array> = fc.tuple(
  DRAWING,
  fc.constantFrom("", "/FlateDecode", "/LZWDecode", "/ASCII85Decode", "/RL"),
  fc.constantFrom(
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    "<</Type/Font/Subtype/Type0/BaseFont/X/Encoding/Identity-H/DescendantFonts[5 0 R]>>",
    "<</Type/Font/Subtype/Type3/FontMatrix[0 0 0 0 0 0]/CharProcs 4 0 R/FontBBox[0 0 1 1]>>",
    "null",
  ),
  fc.boolean(),
).map(([drawing, filter, font, isPacked]) => {
  const data = filter === "/FlateDecode" && isPacked
    ? deflateSync(drawing)
    : Buffer.from(drawing);
  const entry = filter === "" ? "" : `/Filter${filter}`;
  return toPdf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Count 1/Kids[3 0 R]>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>/XObject<</Im1 4 0 R>>>>>>",
    Buffer.concat([
      Buffer.from(`<</Length ${data.length}${entry}>>stream\n`),
      data,
      Buffer.from("\nendstream"),
    ]),
    font,
  ]);
});

/** A PDF of these objects; the first is the catalogue, the second the pages. */
export function toPdf(objects: readonly (string | Buffer)[]): Uint8Array {
  const parts = [Buffer.from("%PDF-1.7\n")];
  objects.forEach((object, index) => {
    parts.push(
      Buffer.from(`${index + 1} 0 obj\n`),
      Buffer.from(object),
      Buffer.from("\nendobj\n"),
    );
  });
  parts.push(Buffer.from("trailer<</Root 1 0 R>>\n%%EOF"));
  return new Uint8Array(Buffer.concat(parts));
}
