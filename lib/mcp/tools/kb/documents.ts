import { z } from "zod";
import { KbError, LIMITS } from "../../../core/mod.ts";
import {
  JOB_STATUSES,
  toDocumentJson,
  toJobJson,
  toStatusJson,
} from "../../../wire/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../../tool.ts";
import { countFitting } from "../../window.ts";
import { documentIdArgument, getSummary } from "./shared.ts";

/** Room for what stands around the chunks. */
const FRAME_CHARS = 3_000;
const DOCUMENTS_MAX = 20;
const JOBS = 20;

/** The `kb_get` tool. */
export const kbGetTool: Tool = defineTool({
  name: "kb_get",
  title: "Get Document",
  description:
    "Get a document with its chunks by document_id, or the documents that came from a source_path. " +
    "A long document comes in parts: go on with chunk_offset from next_chunk_offset.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    document_id: documentIdArgument.optional(),
    source_path: z.string().min(1).optional().describe(
      "Path the document came from, e.g. memory/feedback.md",
    ),
    chunk_offset: z.int().min(0).default(0).describe("Chunks to pass over"),
  }).refine(
    ({ document_id, source_path }) =>
      (document_id === undefined) !== (source_path === undefined),
    { message: "give either document_id or source_path" },
  ),
  async run(
    { document_id, source_path, chunk_offset },
    { kb },
  ): Promise<JsonAnswer> {
    if (document_id === undefined) {
      const { documents, total } = await kb.list({
        limit: DOCUMENTS_MAX,
        ...(source_path === undefined ? {} : { sourcePath: source_path }),
      });
      if (total === 0) {
        throw new KbError(
          "not_found",
          `No document came from "${source_path}"`,
        );
      }
      return { json: { documents: documents.map(toDocumentJson), total } };
    }
    const document = await getSummary(kb, document_id);
    const chunks = (await kb.chunks(String(document.id))).slice(chunk_offset)
      .map((
        { id, index, text, headingPath, lineStart, lineEnd, page },
      ) => ({
        chunk_id: id,
        chunk_index: index,
        text,
        heading_path: headingPath,
        lines: [lineStart, lineEnd],
        ...(page === null ? {} : { page }),
      }));
    const fitting = countFitting(chunks, LIMITS.answerChars - FRAME_CHARS);
    return {
      json: {
        ...toDocumentJson(document),
        has_file: (await kb.original(String(document.id))) !== undefined,
        chunks: chunks.slice(0, fitting),
        ...(fitting < chunks.length
          ? { next_chunk_offset: chunk_offset + fitting }
          : {}),
      },
    };
  },
});

/** The `kb_status` tool. */
export const kbStatusTool: Tool = defineTool({
  name: "kb_status",
  title: "Status",
  description:
    "Say what the knowledge base holds, by type and collection, which model it uses, and what waits " +
    "in the queue.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({}),
  output: z.looseObject({ version: z.string(), model_name: z.string() }),
  async run(_, { kb, version }): Promise<JsonAnswer> {
    const status = await kb.status();
    const { problem } = status.vectors;
    return {
      json: {
        ...toStatusJson(status, version),
        ...(problem === undefined ? {} : { model_problem: problem }),
      },
    };
  },
});

/** The `kb_jobs` tool. */
export const kbJobsTool: Tool = defineTool({
  name: "kb_jobs",
  title: "Jobs",
  description:
    "List what was added lately and what became of it, newest first; document_id names the document " +
    "of a job that is done, error says why one failed. Where there are more, go on with offset from " +
    "next_offset.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    status: z.enum(JOB_STATUSES).optional(),
    limit: z.int().min(1).max(100).default(JOBS),
    offset: z.int().min(0).default(0).describe(
      "Jobs to pass over",
    ),
  }),
  output: z.looseObject({
    jobs: z.array(z.looseObject({ job_id: z.int(), status: z.string() })),
    total: z.int(),
    next_offset: z.int().optional(),
  }),
  async run({ status, limit, offset }, { kb }): Promise<JsonAnswer> {
    const { jobs, total } = await kb.jobs.list({
      limit,
      offset,
      ...(status === undefined ? {} : { status }),
    });
    const entries = jobs.map(toJobJson);
    const fitting = countFitting(entries, LIMITS.answerChars - FRAME_CHARS);
    const next = offset + fitting;
    return {
      json: {
        jobs: entries.slice(0, fitting),
        total,
        ...(fitting > 0 && next < total ? { next_offset: next } : {}),
      },
    };
  },
});
