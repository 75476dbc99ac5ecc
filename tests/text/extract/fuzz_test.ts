import assert from "node:assert/strict";
import fc from "fast-check";
import { ExtractError } from "../../../lib/text/mod.ts";
import {
  extractBytes,
  type Fixture,
  listFixtures,
  listTypes,
} from "../../helpers/extract_fixtures.ts";

const RUNS = 25;

const TYPES = listTypes();

/** Extracts and checks what every document keeps to. */
async function tryExtract(bytes: Uint8Array, name: string): Promise<void> {
  try {
    const { sections } = await extractBytes(bytes, name);
    for (
      const { content, image, lineStart, lineEnd, headingPath } of sections
    ) {
      assert.ok(
        image !== undefined || content.trim() !== "",
        "a blank section",
      );
      assert.ok(content.isWellFormed());
      assert.ok(headingPath.every((title) => title !== ""));
      assert.ok(
        lineStart >= 1 && lineEnd >= lineStart,
        `${lineStart}-${lineEnd}`,
      );
    }
  } catch (error) {
    if (!(error instanceof ExtractError)) throw error;
    assert.ok(error.message !== "");
  }
}

/** Bytes of a fixture with some overwritten, taken out, doubled or cut off. */
function spoil(
  { bytes }: Fixture,
  changes: readonly (readonly [kind: number, at: number, value: number])[],
): Uint8Array {
  let spoiled = [...bytes];
  for (const [kind, at, value] of changes) {
    const index = at % Math.max(1, spoiled.length);
    if (kind === 0) spoiled[index] = value;
    else if (kind === 1) spoiled.splice(index, value);
    else if (kind === 2) spoiled.splice(index, 0, ...spoiled.slice(0, value));
    else spoiled = spoiled.slice(0, index + 1);
  }
  return Uint8Array.from(spoiled);
}

const CHANGES = fc.array(
  fc.tuple(fc.nat(3), fc.nat(100_000), fc.nat(255)),
  { minLength: 1, maxLength: 6 },
);

for (const type of TYPES) {
  const fixtures = listFixtures(type).filter(({ bytes }) =>
    bytes.length <= 100_000
  );
  Deno.test(`extract() throws nothing but ExtractError for spoiled files of ${type}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fixtures),
        CHANGES,
        (fixture, changes) => tryExtract(spoil(fixture, changes), fixture.name),
      ),
      { numRuns: RUNS },
    );
  });

  Deno.test(`extract() throws nothing but ExtractError for random bytes named as ${type}`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...fixtures),
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.string({ unit: "binary", maxLength: 300 }).map((text) =>
            new TextEncoder().encode(text)
          ),
        ),
        ({ name }, bytes) => tryExtract(bytes, name),
      ),
      { numRuns: RUNS },
    );
  });
}
