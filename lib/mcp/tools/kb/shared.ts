import { z } from "zod";
import { type DocumentId, KbError, LIMITS } from "../../../core/mod.ts";
import type { DocumentSummary, Job } from "../../../kb/mod.ts";
import type { McpBase } from "../../base.ts";

/** Tags a tool takes. */
export const tagsArgument = z.array(z.string().min(1).max(LIMITS.tagChars))
  .max(LIMITS.documentTags);

/** Collection of what is stored. */
export const newCollection = z.string().min(1).max(LIMITS.tagChars)
  .default("documents").describe(
    "Where it belongs: documents (the user's), memory (what agents remember), workspace (work at hand)",
  );

/** Id of a document. */
export const documentIdArgument = z.int().min(1).describe(
  "Integer id of the document",
);

/** A document as the tools answer it: its collection stands apart from its tags. */
export function toDocument(
  document: DocumentSummary,
): Record<string, unknown> {
  const { id, docid, title, docType, mime, path, tags, collection } = document;
  return {
    id,
    docid,
    title,
    doc_type: docType,
    mime,
    source_path: path,
    collection,
    tags,
    chunk_count: document.chunkCount,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
  };
}

/** A job as the tools answer it. */
export function toJob(job: Job): Record<string, unknown> {
  return {
    job_id: job.id,
    kind: job.kind,
    name: job.name,
    status: job.status,
    state: job.state,
    error: job.error,
    document_id: job.documentId,
    created_at: job.createdAt,
    finished_at: job.finishedAt,
  };
}

/**
 * Gets a document by its integer id, never by a docid or path that looks like one.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function getSummary(kb: McpBase, id: number): DocumentSummary {
  const document = kb.summary(String(id));
  if (document.id === id as DocumentId) return document;
  throw new KbError("not_found", `There is no document ${id}`);
}
