import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  extract,
  type Extracted,
  ExtractError,
  type ExtractLimits,
  recognise,
} from "../../lib/text/mod.ts";

const FIXTURES = new URL("../fixtures/", import.meta.url);

/** A file that came with the tests. */
export interface Fixture {
  /** Its name, without folders. */
  readonly name: string;
  /** Its bytes. */
  readonly bytes: Uint8Array;
}

/** Types that have fixtures. */
export function listTypes(): string[] {
  return readdirSync(FIXTURES, { withFileTypes: true })
    // The texts of the embedding model's tests are no files of a format.
    .filter((entry) => entry.isDirectory() && entry.name !== "embed")
    .map(({ name }) => name).toSorted();
}

/** Files of a type, in the order of their names. */
export function listFixtures(type: string): Fixture[] {
  const folder = new URL(`${type}/`, FIXTURES);
  return readdirSync(folder).toSorted().map((name) => ({
    name,
    bytes: new Uint8Array(readFileSync(fileURLToPath(new URL(name, folder)))),
  }));
}

/**
 * Recognises and extracts bytes as ingestion does.
 *
 * @throws {ExtractError} As `extract()` does; with the state of a rejection as well.
 */
export async function extractBytes(
  bytes: Uint8Array,
  path: string,
  limits?: ExtractLimits,
): Promise<Extracted> {
  const detected = await recognise(bytes, path);
  if (detected.kind === "rejected") {
    throw new ExtractError("unsupported", detected.reason);
  }
  const extracted = await extract(bytes, {
    path,
    detected,
    ...(limits === undefined ? {} : { limits }),
  });
  return {
    ...extracted,
    warnings: [...detected.warnings, ...extracted.warnings],
  };
}

/** Extracts a text as a file of a name. */
export function extractText(text: string, path: string): Promise<Extracted> {
  return extractBytes(new TextEncoder().encode(text), path);
}

/** Writes a document out so that it can be read in a snapshot. */
export function showExtracted(document: Extracted): string {
  const { sections, ...facts } = document;
  const lines = [JSON.stringify(facts, undefined, 1)];
  for (const section of sections) {
    const { headingPath, lineStart, lineEnd, page, mime, content } = section;
    const place = page === undefined ? "" : ` p. ${page}`;
    lines.push(
      `===== ${lineStart}-${lineEnd}${place} ${mime} ${
        JSON.stringify(headingPath)
      }`,
    );
    const { title, description, image } = section;
    if (image !== undefined) {
      lines.push(`[${image.length} bytes] ${title}: ${description ?? ""}`);
    } else lines.push(content);
    for (const link of section.links) {
      lines.push(`-> ${link.type} ${link.target} (line ${link.line})`);
    }
  }
  return lines.join("\n");
}

/** Makes one test a fixture of a type that compares what comes out with its snapshot. */
export function testFixtures(type: string): void {
  for (const { name, bytes } of listFixtures(type)) {
    Deno.test(`extract() reads the sections of ${type}/${name}`, async (t) => {
      const shown = await extractBytes(bytes, name).then(
        showExtracted,
        (error: unknown) => {
          if (!(error instanceof ExtractError)) throw error;
          return `${error.state}: ${error.message}`;
        },
      );
      await t.assertSnapshot?.(shown);
    });
  }
}
