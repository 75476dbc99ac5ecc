import { ExtractError } from "../../lib/text/mod.ts";
import {
  extractBytes,
  type Fixture,
  listFixtures,
  listTypes,
} from "../../tests/helpers/extract_fixtures.ts";
import type { Report } from "./table.ts";

/** How long each type is read again and again, in ms. */
const TYPE_MS = 500;

/** What reading some files once came to. */
interface Round {
  readonly bytes: number;
  readonly pages: number;
}

async function readOnce(fixtures: readonly Fixture[]): Promise<Round> {
  let bytes = 0;
  let pages = 0;
  for (const fixture of fixtures) {
    try {
      const { sections } = await extractBytes(fixture.bytes, fixture.name);
      bytes += fixture.bytes.length;
      pages += new Set(sections.flatMap(({ page }) => page ?? [])).size;
    } catch (error) {
      if (!(error instanceof ExtractError)) throw error;
    }
  }
  return { bytes, pages };
}

/**
 * Measures how fast each type of the test's fixtures is extracted, detection included. The files are
 * small, so that what a file costs by itself counts more than in a large one.
 *
 * @param scale Share of the time for each type.
 */
export async function benchExtract(
  report: Report,
  scale: number,
): Promise<void> {
  for (const type of listTypes()) {
    const fixtures = listFixtures(type);
    await readOnce(fixtures);
    let bytes = 0;
    let pages = 0;
    let rounds = 0;
    const start = performance.now();
    let seconds = 0;
    while (seconds * 1000 < TYPE_MS * scale) {
      const round = await readOnce(fixtures);
      bytes += round.bytes;
      pages += round.pages;
      rounds++;
      seconds = (performance.now() - start) / 1000;
    }
    const perSecond = Math.round(rounds * fixtures.length / seconds);
    report({
      part: "extract",
      measure: type,
      value: bytes / 1e6 / seconds,
      unit: "MB/s",
      note: pages > 0
        ? `${Math.round(pages / seconds)} pages/s`
        : `${perSecond} files/s`,
    });
  }
}
