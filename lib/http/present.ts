import type {
  ChunkSummary,
  DocumentSummary,
  Hit,
  Job,
  SearchAnswer,
  Status,
} from "../kb/mod.ts";
import { toDocumentJson, toJobJson, toStatusJson } from "../wire/mod.ts";

/** A document as answers show it. */
export function presentDocument(
  document: DocumentSummary,
): Record<string, unknown> {
  const { tags, collection } = document;
  return {
    ...toDocumentJson(document),
    tags: withCollection(tags, collection),
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
    page: chunk.page,
    token_count: chunk.tokenCount,
  };
}

/** A job as answers show it. */
export function presentJob(job: Job): Record<string, unknown> {
  return {
    id: job.id,
    ...toJobJson(job),
    attempts: job.attempts,
    started_at: job.startedAt,
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
    page: hit.page,
    text: hit.text,
    snippet: hit.snippet.text,
    matched_terms: hit.matchedTerms,
    tags: hit.collection === null
      ? hit.tags
      : withCollection(hit.tags, hit.collection),
    collection: hit.collection,
    also_in: hit.alsoIn.map(({ documentId, docid, path, lineStart, page }) => ({
      document_id: documentId,
      docid,
      source_path: path,
      line_start: lineStart,
      page,
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
  version: string,
): Record<string, unknown> {
  const json = toStatusJson(status, version);
  return {
    ...json,
    embedding_dim: json["embedding_dim"] ?? 0,
    model_problem: status.vectors.problem ?? null,
    gpu: null,
    sections: status.sections,
    jobs: status.jobsByStatus,
    schema_version: status.schemaVersion,
    sqlite_version: status.sqliteVersion,
  };
}
