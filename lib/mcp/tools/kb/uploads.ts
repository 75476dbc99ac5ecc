import { Buffer } from "node:buffer";
import { z } from "zod";
import { KbError, LIMITS } from "../../../core/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../../tool.ts";
import type { Uploads } from "../../uploads.ts";
import { toJobJson } from "../../../wire/mod.ts";
import { dropUndefined } from "../sections.ts";
import { newCollection, tagsArgument } from "./shared.ts";

const uploadId = z.string().max(100).describe("As kb_upload_start answered it");

/** The three tools that upload a file in parts. */
export function uploadTools(uploads: Uploads): Tool[] {
  return [startTool(uploads), chunkTool(uploads), finishTool(uploads)];
}

function startTool(uploads: Uploads): Tool {
  return defineTool({
    name: "kb_upload_start",
    title: "Start Upload",
    description:
      "Begin to upload a file in parts. Example for a file of 2.5 MB: kb_upload_start(filename, " +
      "total_size 2621440) answers upload_id; kb_upload_chunk(upload_id, data, chunk_index) for 0, 1 and " +
      "2 with 1 MB, 1 MB and 0.5 MB as base64; kb_upload_finish(upload_id) answers the job. An upload " +
      "that is not finished within 10 minutes, or is under way when the server stops, is given up: begin again.",
    readOnly: false,
    destructive: false,
    idempotent: false,
    input: z.strictObject({
      filename: z.string().min(1).max(LIMITS.titleChars).describe(
        "Name, or relative path: a file of a path that is known updates its document",
      ),
      total_size: z.int().min(1).describe("Bytes of the whole file"),
      tags: tagsArgument.optional(),
      collection: newCollection,
      title: z.string().min(1).max(LIMITS.titleChars).optional(),
    }),
    output: z.looseObject({ upload_id: z.string() }),
    async run(
      { filename, total_size, ...labels },
      { owner },
    ): Promise<JsonAnswer> {
      const id = await uploads.start(
        owner,
        filename,
        total_size,
        dropUndefined(labels),
      );
      return {
        json: {
          upload_id: id,
          chunk_size_max: LIMITS.uploadChunkBytes,
          next_chunk_index: 0,
        },
      };
    },
  });
}

function chunkTool(uploads: Uploads): Tool {
  return defineTool({
    name: "kb_upload_chunk",
    title: "Upload Chunk",
    description:
      "Send the next part of a file as base64, 1 MB before encoding by preference. Parts come in order, " +
      "chunk_index from 0; next_chunk_index says which comes next.",
    readOnly: false,
    destructive: false,
    idempotent: false,
    input: z.strictObject({
      upload_id: uploadId,
      data: z.string().min(1).describe("Base64"),
      chunk_index: z.int().min(0),
    }),
    output: z.looseObject({ next_chunk_index: z.int() }),
    async run(
      { upload_id, data, chunk_index },
      { owner },
    ): Promise<JsonAnswer> {
      const progress = await uploads.add(
        owner,
        upload_id,
        chunk_index,
        decode(data),
      );
      return {
        json: {
          upload_id,
          received_bytes: progress.receivedBytes,
          total_size: progress.totalBytes,
          next_chunk_index: progress.nextIndex,
        },
      };
    },
  });
}

function finishTool(uploads: Uploads): Tool {
  return defineTool({
    name: "kb_upload_finish",
    title: "Finish Upload",
    description:
      "End an upload when all parts were sent, and queue the file; kb_jobs says what becomes of it.",
    readOnly: false,
    destructive: false,
    idempotent: false,
    input: z.strictObject({ upload_id: uploadId }),
    output: z.looseObject({ job_id: z.int(), status: z.string() }),
    async run({ upload_id }, { owner }): Promise<JsonAnswer> {
      return { json: toJobJson(await uploads.finish(owner, upload_id)) };
    },
  });
}

/** Decodes base64 strictly, as what is not base64 would silently be left out. */
function decode(data: string): Uint8Array {
  const text = data.replace(/\s/g, "");
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw new KbError(
      "invalid_input",
      "Cannot take the chunk: data is no base64",
    );
  }
  const bytes = Buffer.from(text, "base64");
  if (bytes.length > LIMITS.uploadChunkBytes) {
    throw new KbError(
      "invalid_input",
      `Cannot take the chunk: it has ${bytes.length} bytes, the limit is ${LIMITS.uploadChunkBytes}`,
    );
  }
  return bytes;
}
