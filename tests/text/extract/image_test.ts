import assert from "node:assert/strict";
import { LIMITS } from "../../../lib/core/mod.ts";
import {
  extractBytes,
  listFixtures,
  testFixtures,
} from "../../helpers/extract_fixtures.ts";

testFixtures("images");

Deno.test("extract() keeps the bytes of an image as they are", async () => {
  for (const { name, bytes } of listFixtures("images")) {
    if (name.startsWith("cut_off")) continue;
    const { sections: [section] } = await extractBytes(bytes, name);
    assert.deepEqual(section?.image, bytes, name);
  }
});

Deno.test("extract() says too_large of an image above the limit of images", async () => {
  const [png] = listFixtures("images").filter(({ name }) =>
    name === "titled.png"
  );
  assert.ok(png !== undefined);
  const bytes = new Uint8Array(LIMITS.imageBytes + 1);
  bytes.set(png.bytes);
  await assert.rejects(extractBytes(bytes, "a.png"), { state: "too_large" });
});
