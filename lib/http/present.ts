import type {
  ChunkSummary,
  DocumentSummary,
  Hit,
  Job,
  SearchAnswer,
  Status,
} from "../kb/mod.ts";

/** A document as answers show it. */
export function presentDocument(
  {
    tags,
    collection,
    docType,
    path,
    chunkCount,
    createdAt,
    updatedAt,
    ...rest
  }: DocumentSummary,
): Record<string, unknown> {
  const { id, docid, title, mime } = rest;
  return {
    id,
    docid,
    title,
    doc_type: docType,
    mime,
    source_path: path,
    tags: withCollection(tags, collection),
    collection,
    chunk_count: chunkCount,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}

/** A chunk as details show it. */
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

/** What a search found, as answers show it. */
export function presentSearch(answer: SearchAnswer): Record<string, unknown> {
  const { hits, total, degraded, notes, timings } = answer;
  return {
    results: hits.map(presentHit),
    total,
    degraded,
    notes,
    ...(timings === undefined ? {} : { timings }),
  };
}

function presentHit(hit: Hit): Record<string, unknown> {
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
    snippet: hit.snippet.text,
    matched_terms: hit.matchedTerms,
    tags: hit.collection === null
      ? hit.tags
      : withCollection(hit.tags, hit.collection),
    collection: hit.collection,
    also_in: hit.alsoIn.map(({ documentId, docid, path, lineStart }) => ({
      document_id: documentId,
      docid,
      source_path: path,
      line_start: lineStart,
    })),
    ...(hit.explanation === undefined ? {} : { explanation: hit.explanation }),
  };
}

function withCollection(
  tags: readonly string[],
  collection: string,
): string[] {
  return [`collection:${collection}`, ...tags];
}

/** State of the engine, as answers show it. */
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
