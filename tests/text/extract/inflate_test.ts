import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { inflate, inflateCounted } from "../../../lib/text/extract/inflate.ts";

const PACK = { deflate: deflateRawSync, zlib: deflateSync, gzip: gzipSync };
const PACKINGS = ["deflate", "zlib", "gzip"] as const;
const ZEROS = new Uint8Array(40_000_000);

for (const [name, unpack] of Object.entries({ inflate, inflateCounted })) {
  for (const packing of PACKINGS) {
    Deno.test(`${name}() gives back what was packed by ${packing}`, () => {
      fc.assert(fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const whole = Buffer.concat(Array(200).fill(bytes));
        const out = unpack(PACK[packing](whole), packing, 1_000_000);
        assert.ok(typeof out !== "string");
        assert.ok(Buffer.from(out).equals(whole));
      }));
    });

    Deno.test(`${name}() stops at the bound for what was packed by ${packing}`, () => {
      const packed = PACK[packing](ZEROS);
      assert.equal(unpack(packed, packing, 1_000_000), "too_large");
      assert.equal(unpack(packed, packing, ZEROS.length - 1), "too_large");
      assert.equal(unpack(packed, packing, ZEROS.length).length, ZEROS.length);
    });

    Deno.test(`${name}() says damaged of what is cut off or no ${packing}`, () => {
      const packed = PACK[packing](Buffer.from("a relay clicks ".repeat(99)));
      for (const end of [0, 1, 5, packed.length - 9]) {
        assert.equal(
          unpack(packed.subarray(0, end), packing, 1_000_000),
          "damaged",
          `${end} bytes`,
        );
      }
      const noise = Uint8Array.of(0xff, 0xee, 0xdd, 0xcc, 0xbb);
      assert.equal(unpack(noise, packing, 1_000_000), "damaged");
    });
  }
}
