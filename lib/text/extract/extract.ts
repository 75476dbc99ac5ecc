import { LIMITS } from "../../core/mod.ts";
import { cutLongSections, toSections } from "../sections.ts";
import type { DetectedDocument, DetectedText, TextSection } from "../types.ts";
import { findExtractor } from "./registry.ts";
import {
  type Extracted,
  ExtractError,
  type ExtractLimits,
  type Extractor,
} from "./types.ts";

/** What to extract from, and within which bounds. */
export interface ExtractOptions {
  /** Path or name, for titles and hints. */
  readonly path: string;
  /** What `detect()` said of the bytes. */
  readonly detected: DetectedText | DetectedDocument;
  /** Bounds; default {@linkcode EXTRACT_LIMITS}. */
  readonly limits?: ExtractLimits;
}

/** The bounds of an extraction unless others are given. */
export const EXTRACT_LIMITS: ExtractLimits = {
  inflatedBytes: LIMITS.inflatedBytes,
  pages: LIMITS.documentPages,
  entries: LIMITS.archiveEntries,
  depth: LIMITS.nestingDepth,
  textChars: LIMITS.extractedChars,
};

/**
 * Says whether a format must be read where it can be ended, as hostile bytes may make it run on.
 *
 * @param mime Media type as `detect()` gives it.
 */
export function needsThread(mime: string): boolean {
  const entry = findExtractor(mime);
  return entry !== undefined && entry.isLight !== true;
}

/**
 * Turns the bytes of a file into a document, by the extractor of its format; a text without one is
 * cut as it stands.
 *
 * @param bytes Whole file.
 * @returns The document; sections are preprocessed, never blank and no longer than
 * `LIMITS.sectionChars`. `[]` for a text with nothing to index.
 * @throws {ExtractError} If the file is damaged, locked, without text, past a limit, or of a format
 * that is not read. Nothing else is thrown for any bytes.
 *
 * @example A text is cut as it stands
 * ```ts
 * import assert from "node:assert/strict";
 *
 * import { detect } from "../detect.ts";
 *
 * const bytes = new TextEncoder().encode("# One\n");
 * const detected = detect(bytes, "a.md");
 * assert.ok(detected.kind === "text");
 * const { docType, sections } = await extract(bytes, { path: "a.md", detected });
 * assert.equal(docType, "markdown");
 * assert.equal(sections[0]?.title, "One");
 * ```
 */
export async function extract(
  bytes: Uint8Array,
  { path, detected, limits = EXTRACT_LIMITS }: ExtractOptions,
): Promise<Extracted> {
  const { kind, mime, docType } = detected;
  const entry = findExtractor(mime);
  if (entry === undefined) {
    if (kind === "text") {
      return { ...toSections(detected.text, { mime }), docType };
    }
    throw new ExtractError(
      "unsupported",
      docType === "archive"
        ? `The file is ${detected.name}; kbdb add --archives takes the files in it.`
        : mime === "application/x-ole-storage"
        ? `The file is ${detected.name}; save it as .docx, .xlsx or .pptx and add that.`
        : `The file is ${detected.name}; that format is not read.`,
    );
  }
  const extractor = await entry.load();
  const extracted = await run(extractor, {
    bytes,
    path,
    mime,
    ...(kind === "text" ? { text: detected.text } : {}),
    limits,
  });
  const sections = finishSections(extracted.sections, limits);
  if (sections.length === 0 && kind === "document") {
    throw new ExtractError(
      "no_text",
      `The file is ${detected.name} that holds no text.`,
    );
  }
  return { ...extracted, sections };
}

/** Runs an extractor; whatever a library throws over bytes it cannot read is about those bytes. */
async function run(
  extractor: Extractor,
  input: Parameters<Extractor>[0],
): Promise<Extracted> {
  try {
    return await extractor(input);
  } catch (error) {
    if (error instanceof ExtractError) throw error;
    const isDeep = error instanceof RangeError &&
      /call stack/.test(error.message);
    throw isDeep
      ? new ExtractError("too_large", "The file is nested too deep.", error)
      : new ExtractError(
        "corrupted",
        "The file is damaged, or not written as its format asks; make it anew.",
        error,
      );
  }
}

/** Checks the length of what came out, and cuts what is too long to be one section. */
function finishSections(
  sections: readonly TextSection[],
  { textChars }: ExtractLimits,
): TextSection[] {
  const chars = sections.reduce((sum, { content }) => sum + content.length, 0);
  if (chars > textChars) {
    throw new ExtractError(
      "too_large",
      `The file holds ${chars} characters of text, the limit is ${textChars}.`,
    );
  }
  return cutLongSections(sections, LIMITS.sectionChars);
}
