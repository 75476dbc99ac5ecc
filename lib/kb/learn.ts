import { KbError, LIMITS } from "../core/mod.ts";
import { learn, type Measure } from "../ingest/mod.ts";
import { countWords } from "../search/mod.ts";
import type { Store } from "../store/mod.ts";
import type { LearnOptions, LearnReport } from "./section_types.ts";

/**
 * Learns a content and reports it.
 *
 * @throws {KbError} `invalid_input`, `unsupported_type` or `conflict`, see `learn()`.
 */
export function learnSection(
  store: Store,
  measure: Measure,
  content: string | Uint8Array,
  options: LearnOptions,
): LearnReport {
  const { type = "text/markdown", docid, tags, collection } = options;
  checkDocid(docid);
  if (docid === undefined && (tags !== undefined || collection !== undefined)) {
    throw new KbError(
      "invalid_input",
      "Tags and collections belong to documents: give a docid too",
    );
  }
  const { kbid, section, indexedTexts, created, attached } = learn(
    store,
    { ...options, content, type },
    measure,
  );
  return {
    kbid,
    sectionType: section.sectionType,
    ...(section.title === null ? {} : { title: section.title }),
    ...(typeof section.description === "string"
      ? { description: section.description }
      : {}),
    indexedTerms: countWords(indexedTexts),
    created,
    attached,
  };
}

/** Refuses docids that could not be named again. */
function checkDocid(docid: string | undefined): void {
  if (docid === undefined) return;
  if (
    docid.trim() === "" || docid.length > LIMITS.docidChars ||
    /\p{Cc}/u.test(docid)
  ) {
    throw new KbError(
      "invalid_input",
      `Cannot use "${
        docid.slice(0, 80).toWellFormed()
      }" as a docid: must be 1 to ${LIMITS.docidChars} characters on one line`,
    );
  }
}
