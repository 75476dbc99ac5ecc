import { z } from "zod";
import { type DocumentId, KbError, LIMITS } from "../../../core/mod.ts";
import type { DocumentSummary } from "../../../kb/mod.ts";
import type { McpBase } from "../../base.ts";

/** Tags a tool takes. */
export const tagsArgument = z.array(z.string().min(1).max(LIMITS.tagChars))
  .max(LIMITS.documentTags);

/** Collection of what is stored. */
export const newCollection = z.string().min(1).max(LIMITS.tagChars)
  .optional().describe(
    "Where it belongs: documents (the user's, the default), memory (what agents remember), workspace (work at hand)",
  );

/** Id of a document. */
export const documentIdArgument = z.int().min(1).describe(
  "Integer id of the document",
);

/**
 * Gets a document by its integer id, never by a docid or path that looks like one.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export async function getSummary(
  kb: McpBase,
  id: number,
): Promise<DocumentSummary> {
  try {
    const document = await kb.summary(String(id));
    if (document.id === id as DocumentId) return document;
  } catch (error) {
    if (!(error instanceof KbError && error.code === "not_found")) throw error;
  }
  throw new KbError(
    "not_found",
    `There is no document ${id}: kb_search and kb_jobs show the document_id of those there are`,
  );
}
