import { z } from "zod";
import type {
  ChunkSummary,
  DocumentSummary,
  Hit,
  Job,
  Status,
} from "../../../kb/mod.ts";

// The fields are those of the REST API, but that a collection is no tag here.

/** A document as answers show it. */
export function presentDocument(
  document: DocumentSummary,
): Record<string, unknown> {
  return {
    id: document.id,
    docid: document.docid,
    title: document.title,
    doc_type: document.docType,
    mime: document.mime,
    source_path: document.path,
    tags: document.tags,
    collection: document.collection,
    chunk_count: document.chunkCount,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
  };
}

/** Schema of {@linkcode presentDocument}. */
export const documentSchema: z.ZodObject = z.looseObject({
  id: z.int(),
  docid: z.string(),
  title: z.string(),
  doc_type: z.string(),
  tags: z.array(z.string()),
  collection: z.string(),
  chunk_count: z.int(),
  created_at: z.string(),
  updated_at: z.nullable(z.string()),
});

/** A chunk as `kb_get` shows it. */
export function presentChunk(chunk: ChunkSummary): Record<string, unknown> {
  return {
    chunk_id: chunk.id,
    chunk_index: chunk.index,
    kbid: chunk.kbid,
    text: chunk.text,
    heading_path: chunk.headingPath,
    line_start: chunk.lineStart,
    line_end: chunk.lineEnd,
    token_count: chunk.tokenCount,
  };
}

/** A hit as `kb_search` shows it; its text stands for the snippet too. */
export function presentHit(hit: Hit): Record<string, unknown> {
  return {
    rank: hit.rank,
    score: hit.score,
    chunk_id: hit.chunkId,
    kbid: hit.kbid,
    document_id: hit.documentId,
    docid: hit.docid,
    title: hit.documentTitle,
    heading: hit.title,
    heading_path: hit.headingPath,
    doc_type: hit.docType,
    section_type: hit.sectionType,
    source_path: hit.path,
    line_start: hit.lineStart,
    line_end: hit.lineEnd,
    text: hit.text,
    matched_terms: hit.matchedTerms,
    tags: hit.tags,
    collection: hit.collection,
  };
}

/** A job as answers show it. */
export function presentJob(job: Job): Record<string, unknown> {
  return {
    id: job.id,
    job_id: job.id,
    kind: job.kind,
    name: job.name,
    status: job.status,
    state: job.state,
    error: job.error,
    document_id: job.documentId,
    attempts: job.attempts,
    created_at: job.createdAt,
    started_at: job.startedAt,
    finished_at: job.finishedAt,
  };
}

/** Schema of {@linkcode presentJob}. */
export const jobSchema: z.ZodObject = z.looseObject({
  job_id: z.int(),
  kind: z.string(),
  name: z.string(),
  status: z.string(),
  error: z.nullable(z.string()),
  document_id: z.nullable(z.int()),
});

/** State of the engine as `kb_status` shows it. */
export function presentStatus(
  status: Status,
  { version, dims }: { readonly version: string; readonly dims: number },
): Record<string, unknown> {
  const { vectors, jobsByStatus } = status;
  return {
    version,
    model_name: vectors.model,
    model_available: vectors.available,
    model_problem: vectors.problem ?? null,
    embedding_dim: dims,
    device: "cpu",
    gpu: null,
    documents: {
      total: status.documents,
      by_type: status.documentsByType,
      by_collection: status.documentsByCollection,
    },
    sections: status.sections,
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
    jobs: jobsByStatus,
    schema_version: status.schemaVersion,
    sqlite_version: status.sqliteVersion,
  };
}
