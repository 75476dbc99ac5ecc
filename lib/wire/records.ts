import type { DocumentSummary, Job, Status } from "../kb/mod.ts";

/** Where a job can stand. */
export const JOB_STATUSES = [
  "queued",
  "processing",
  "done",
  "failed",
  "skipped",
  "cancelled",
] as const;

/** A document; its collection stands apart from its tags. */
export function toDocumentJson(
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

/** A job. */
export function toJobJson(job: Job): Record<string, unknown> {
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

/** What a base holds and what waits; `embedding_dim` is `null` for a model that is not known. */
export function toStatusJson(
  status: Status,
  version: string,
): Record<string, unknown> {
  const { vectors, jobsByStatus } = status;
  return {
    version,
    model_name: vectors.model,
    model_available: vectors.available,
    embedding_dim: vectors.dims === 0 ? null : vectors.dims,
    device: "cpu",
    documents: {
      total: status.documents,
      by_type: status.documentsByType,
      by_collection: status.documentsByCollection,
    },
    chunks: {
      total: status.chunks,
      embedded: vectors.vectors,
      pending: vectors.pendingChunks,
    },
    db_size_bytes: status.databaseBytes,
    queue: {
      queued: jobsByStatus["queued"] ?? 0,
      processing: jobsByStatus["processing"] ?? 0,
    },
  };
}
