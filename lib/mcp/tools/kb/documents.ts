import { z } from "zod";
import { type JsonObject, KbError, LIMITS } from "../../../core/mod.ts";
import { listModels } from "../../../kb/mod.ts";
import type { McpBase } from "../../base.ts";
import { defineTool, type JsonAnswer, type Tool } from "../../tool.ts";
import { countFitting, jsonLength } from "../../window.ts";
import {
  jobSchema,
  presentChunk,
  presentDocument,
  presentJob,
  presentStatus,
} from "./present.ts";

/** Room for what stands around the entries in an answer, in UTF-16 units. */
const ENVELOPE_CHARS = 500;
/** Longest metadata or warnings that are shown, as JSON in UTF-16 units. */
const FACTS_CHARS = 3_000;
/** Most documents of one path. */
const SAME_PATH_MAX = 50;
const JOBS_DEFAULT = 20;
const STATUSES = [
  "queued",
  "processing",
  "done",
  "failed",
  "skipped",
  "cancelled",
] as const;

/** Schema of the number of a document. */
export const documentIdSchema: z.ZodInt = z.int().min(1).describe(
  "Number of the document, as document_id in results",
);

/** Names a document by its number only, never by a docid or path that looks like one. */
export function documentRef(kb: McpBase, id: number): string {
  const ref = String(id);
  try {
    if (kb.summary(ref).id === id) return ref;
  } catch (error) {
    if (!(error instanceof KbError && error.code === "not_found")) throw error;
  }
  throw new KbError(
    "not_found",
    `There is no document ${id}: kb_search and kb_jobs show the document_id of those there are`,
  );
}

/** The `kb_get` tool. */
export const kbGetTool: Tool = defineTool({
  name: "kb_get",
  title: "Get document",
  description:
    "Get a document with the text of its chunks by document_id, or list the documents of a " +
    "source_path. A long document is cut: go on with next_chunk_offset as chunk_offset.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    document_id: documentIdSchema.optional(),
    source_path: z.string().optional().describe(
      "Exact path the document came from, as source_path in results",
    ),
    chunk_offset: z.int().min(0).default(0).describe("Chunks to pass over"),
  }),
  run(
    { document_id: id, source_path: path, chunk_offset },
    { kb },
  ): JsonAnswer {
    if (id !== undefined && path === undefined) {
      return { json: toDetail(kb, documentRef(kb, id), chunk_offset) };
    }
    if (path !== undefined && id === undefined) {
      return { json: listByPath(kb, path) };
    }
    throw new KbError(
      "invalid_input",
      "Give either document_id or source_path",
    );
  },
});

/** The `kb_status` tool. */
export const kbStatusTool: Tool = defineTool({
  name: "kb_status",
  title: "Engine status",
  description:
    "Say what the knowledge base holds: version, model, documents by type and collection, chunks " +
    "that wait for a vector, jobs that wait.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({}),
  output: z.looseObject({
    version: z.string(),
    model_name: z.string(),
    embedding_dim: z.int(),
    device: z.string(),
    documents: z.looseObject({ total: z.int() }),
    chunks: z.looseObject({ total: z.int(), pending: z.int() }),
    queue: z.looseObject({ queued: z.int(), processing: z.int() }),
  }),
  run(_, { kb, version }): JsonAnswer {
    const status = kb.status();
    const dims = listModels().find(({ id }) => id === status.vectors.model)
      ?.dims ?? 0;
    return { json: presentStatus(status, { version, dims }) };
  },
});

/** The `kb_jobs` tool. */
export const kbJobsTool: Tool = defineTool({
  name: "kb_jobs",
  title: "List jobs",
  description:
    "List what was queued by kb_addnote and kb_upload_finish, newest first, and what became of it: " +
    "done with a document_id, failed or skipped with the reason in error.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    status: z.enum(STATUSES).optional().describe("Only jobs of this status"),
    limit: z.int().min(1).max(LIMITS.hits).default(JOBS_DEFAULT).describe(
      "Most jobs",
    ),
    offset: z.int().min(0).default(0).describe("Jobs to pass over"),
  }),
  output: z.looseObject({ jobs: z.array(jobSchema), total: z.int() }),
  run({ status, limit, offset }, { kb }): JsonAnswer {
    const page = kb.jobs.list({
      limit,
      offset,
      ...(status === undefined ? {} : { status }),
    });
    const all = page.jobs.map(presentJob);
    const count = countFitting(all, LIMITS.answerChars - ENVELOPE_CHARS);
    const end = offset + count;
    return {
      json: {
        jobs: all.slice(0, count),
        total: page.total,
        ...(end < page.total && count > 0 ? { next_offset: end } : {}),
      },
    };
  },
});

function toDetail(kb: McpBase, ref: string, from: number): object {
  const info = kb.info(ref);
  const head = {
    ...presentDocument(info),
    content_hash: info.contentHash,
    metadata: toShown(info.metadata),
    warnings: info.warnings.slice(
      0,
      countFitting(info.warnings, FACTS_CHARS),
    ),
    has_file: kb.original(ref) !== undefined,
  };
  const chunks = kb.chunks(ref).slice(from).map(presentChunk);
  const count = countFitting(
    chunks,
    LIMITS.answerChars - ENVELOPE_CHARS - jsonLength(head, 2),
  );
  return {
    ...head,
    chunks: chunks.slice(0, count),
    ...(count < chunks.length ? { next_chunk_offset: from + count } : {}),
  };
}

function toShown(metadata: JsonObject): JsonObject {
  return jsonLength(metadata, 2) > FACTS_CHARS
    ? { note: "too long to show" }
    : metadata;
}

function listByPath(kb: McpBase, sourcePath: string): object {
  const { documents, total } = kb.list({ sourcePath, limit: SAME_PATH_MAX });
  if (total === 0) {
    throw new KbError(
      "not_found",
      `There is no document of the path "${
        sourcePath.slice(0, LIMITS.titleChars)
      }": give the whole path, as kb_search shows it`,
    );
  }
  const all = documents.map(presentDocument);
  return {
    documents: all.slice(
      0,
      countFitting(all, LIMITS.answerChars - ENVELOPE_CHARS),
    ),
    total,
  };
}
