import { createReadStream } from "node:fs";
import { z } from "zod";
import { KbError, LIMITS } from "../../../core/mod.ts";
import type { Job } from "../../../kb/mod.ts";
import { readBase64 } from "../../base64.ts";
import type { McpBase } from "../../base.ts";
import { defineTool, type JsonAnswer, type Tool } from "../../tool.ts";
import type { StagedFile, UploadState } from "../../uploads.ts";
import { collectionSchema, tagsSchema, toLabels } from "./arguments.ts";
import { jobSchema, presentJob } from "./present.ts";

/** Bytes of a chunk that the description names: what most clients can send in one call. */
const CHUNK_MIB = 1;

const uploadId = z.string().describe("As kb_upload_start answered it");

const output = z.looseObject({
  upload_id: z.string(),
  received_bytes: z.int(),
  total_size: z.int(),
  next_chunk_index: z.int(),
  expires_at: z.string(),
});

/** The `kb_upload_start` tool. */
export const kbUploadStartTool: Tool = defineTool({
  name: "kb_upload_start",
  title: "Start upload",
  description:
    "Begin to upload a file. Then send its bytes in order by kb_upload_chunk, as base64, about " +
    `${CHUNK_MIB} MiB of the file a call, beginning with chunk_index 0, and end with kb_upload_finish, all within ` +
    "10 minutes. For example, a file of 1.5 MiB takes start, chunk 0, chunk 1, finish.",
  readOnly: false,
  destructive: false,
  idempotent: false,
  input: z.strictObject({
    filename: z.string().min(1).max(LIMITS.titleChars).describe(
      "Name, or relative path: a file of a path that is known updates its document",
    ),
    total_size: z.int().min(1).max(LIMITS.uploadBytes).describe(
      "Bytes of the whole file",
    ),
    tags: tagsSchema.describe("Tags of the document"),
    collection: collectionSchema,
  }),
  output,
  async run(args, { kb, uploads, caller }): Promise<JsonAnswer> {
    const { filename, total_size, tags = [], collection } = args;
    const labels = toLabels({ tags, collection });
    // What would be refused at the end is refused before the bytes are sent.
    kb.jobs.checkFile(filename, labels);
    const state = await uploads.start(caller, {
      filename,
      totalBytes: total_size,
      ...labels,
      tags,
    });
    return { json: presentUpload(state) };
  },
});

/** The `kb_upload_chunk` tool. */
export const kbUploadChunkTool: Tool = defineTool({
  name: "kb_upload_chunk",
  title: "Upload chunk",
  description:
    "Send the next bytes of an upload as base64. Chunks come in order; one that is refused changes " +
    "nothing, and next_chunk_index says which is awaited.",
  readOnly: false,
  destructive: false,
  idempotent: false,
  input: z.strictObject({
    upload_id: uploadId,
    data: z.string().describe(
      `Base64 of at most ${LIMITS.uploadChunkBytes} bytes`,
    ),
    chunk_index: z.int().min(0).describe("Place of the chunk, from 0"),
  }),
  output,
  async run(args, { uploads, caller }): Promise<JsonAnswer> {
    const { upload_id, data, chunk_index: index } = args;
    const bytes = readBase64(data);
    if (bytes === undefined) {
      throw new KbError(
        "invalid_input",
        `Cannot take chunk ${index}: "data" must be bytes in base64 with its padding, without "data:" before them`,
      );
    }
    if (bytes.length > LIMITS.uploadChunkBytes) {
      throw new KbError(
        "invalid_input",
        `Cannot take chunk ${index}: it has ${bytes.length} bytes, the limit is ${LIMITS.uploadChunkBytes}; send it as several chunks`,
      );
    }
    const state = await uploads.append(caller, upload_id, { index, bytes });
    return { json: presentUpload(state) };
  },
});

/** The `kb_upload_finish` tool. */
export const kbUploadFinishTool: Tool = defineTool({
  name: "kb_upload_finish",
  title: "Finish upload",
  description:
    "End an upload whose bytes are all sent and queue the file. The answer has a job_id; the " +
    "document can be found when kb_jobs says done.",
  readOnly: false,
  destructive: false,
  idempotent: false,
  input: z.strictObject({ upload_id: uploadId }),
  output: jobSchema,
  async run({ upload_id }, { kb, uploads, caller }): Promise<JsonAnswer> {
    const job = await uploads.finish(
      caller,
      upload_id,
      (file) => submit(kb, file),
    );
    return { json: presentJob(job) };
  },
});

async function submit(
  { jobs }: McpBase,
  { path, filename, totalBytes, tags, collection }: StagedFile,
): Promise<Job> {
  const received = await jobs.receive(createReadStream(path), totalBytes);
  try {
    return jobs.submitReceived(
      filename,
      received,
      toLabels({ tags, collection }),
    );
  } catch (error) {
    jobs.release([received.sha256]);
    throw error;
  }
}

function presentUpload(state: UploadState): Record<string, unknown> {
  return {
    upload_id: state.id,
    received_bytes: state.receivedBytes,
    total_size: state.totalBytes,
    next_chunk_index: state.nextIndex,
    expires_at: state.expiresAt,
  };
}
