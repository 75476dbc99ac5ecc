import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { z } from "zod";
import { KbError, LIMITS } from "../../core/mod.ts";
import type { Engine, ListOptions, OriginalFile } from "../../kb/mod.ts";
import { presentChunk, presentDocument } from "../present.ts";
import { type Route, route } from "../route.ts";
import {
  countParamOr,
  dateParam,
  documentDetail,
  documentSchema,
  idParams,
  listParam,
} from "../schemas.ts";

const PAGE_MAX = 10_000;

const listQuery = z.strictObject({
  type: z.string().optional(),
  tags: listParam.optional(),
  collection: z.string().optional(),
  source_path: z.string().optional(),
  after: dateParam.optional().describe("Changed at or after this date"),
  before: dateParam.optional().describe("Changed before this date"),
  metadata: z.union([z.string(), z.array(z.string())]).optional().describe(
    "`key:value`, repeated for several",
  ),
  sort: z.enum(["recent", "title", "path"]).default("recent"),
  limit: countParamOr(100, { min: 1, max: PAGE_MAX }),
  offset: countParamOr(0, { min: 0, max: 1e9 }),
});

/** Documents and their tags. */
export const documentRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/api/v1/documents",
    scope: "read",
    tag: "Documents",
    summary: "List documents; the header X-Total-Count says how many there are",
    query: listQuery,
    answer: { status: 200, schema: z.array(documentSchema) },
    async handle({ kb, query }): Promise<Response> {
      const { documents, total } = await kb.list(toListOptions(query));
      return Response.json(documents.map(presentDocument), {
        headers: { "X-Total-Count": String(total) },
      });
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/documents/{id}",
    scope: "read",
    tag: "Documents",
    summary: "Get a document with its chunks",
    params: idParams,
    query: z.strictObject({
      chunk_limit: countParamOr(1000, { min: 0, max: PAGE_MAX }),
      chunk_offset: countParamOr(0, { min: 0, max: 1e9 }),
    }),
    answer: { status: 200, schema: documentDetail },
    async handle({ kb, params, query }): Promise<Response> {
      const { chunk_offset: from, chunk_limit: count } = query;
      const info = await kb.info(await documentRef(kb, params.id));
      return Response.json({
        ...presentDocument(info),
        content_hash: info.contentHash,
        metadata: info.metadata,
        warnings: info.warnings,
        has_file: (await kb.original(String(info.id))) !== undefined,
        chunks: (await kb.chunks(String(info.id))).slice(from, from + count)
          .map(presentChunk),
      });
    },
  }),
  route({
    method: "GET",
    path: "/api/v1/documents/{id}/file",
    scope: "read",
    tag: "Documents",
    summary: "Download the original file",
    params: idParams,
    answer: { status: 200, media: "application/octet-stream" },
    async handle({ kb, params }): Promise<Response> {
      const file = await kb.original(await documentRef(kb, params.id));
      if (file !== undefined) return download(file);
      throw new KbError("not_found", `Document ${params.id} has no file`);
    },
  }),
  route({
    method: "DELETE",
    path: "/api/v1/documents/{id}",
    scope: "write",
    tag: "Documents",
    summary: "Remove a document with its chunks, vectors, tags and original",
    params: idParams,
    answer: {
      status: 200,
      schema: z.object({
        deleted: z.boolean(),
        id: z.int(),
        docid: z.string(),
      }),
    },
    async handle({ kb, params }): Promise<Response> {
      const [removed] = await kb.remove(await documentRef(kb, params.id));
      return Response.json({
        deleted: true,
        id: removed?.id,
        docid: removed?.docid,
      });
    },
  }),
  route({
    method: "PUT",
    path: "/api/v1/documents/{id}/tags",
    scope: "write",
    tag: "Documents",
    summary: "Add and remove tags; `collection:NAME` moves the document",
    params: idParams,
    body: z.strictObject({
      add: z.array(z.string()).max(LIMITS.documentTags).default([]),
      remove: z.array(z.string()).max(LIMITS.documentTags).default([]),
    }),
    answer: { status: 200, schema: documentSchema },
    handle: async ({ kb, params, body }) =>
      Response.json(
        presentDocument(await kb.tag(await documentRef(kb, params.id), body)),
      ),
  }),
  route({
    method: "GET",
    path: "/api/v1/tags",
    scope: "read",
    tag: "Documents",
    summary: "List tags and how many documents have each",
    answer: {
      status: 200,
      schema: z.array(z.object({ name: z.string(), documents: z.int() })),
    },
    handle: async ({ kb }) => Response.json(await kb.listTags()),
  }),
];

/** A path names documents by integer id only, never by a docid or path that looks like one. */
async function documentRef(kb: Engine, id: string): Promise<string> {
  if ((await kb.summary(id)).id === Number(id)) return String(Number(id));
  throw new KbError("not_found", `There is no document ${id}`);
}

function toListOptions(query: z.output<typeof listQuery>): ListOptions {
  const {
    type,
    tags = [],
    collection,
    source_path,
    after,
    before,
    sort,
    limit,
    offset,
  } = query;
  const named = collection === undefined
    ? tags.find((tag) => tag.startsWith("collection:"))
    : undefined;
  const inCollection = collection ?? named?.slice("collection:".length);
  const pairs = [query.metadata ?? []].flat().map((pair) => {
    const at = pair.indexOf(":");
    if (at < 1) {
      throw new KbError(
        "invalid_input",
        `metadata must be key:value, not "${pair}"`,
      );
    }
    return [pair.slice(0, at), pair.slice(at + 1)];
  });
  return {
    sort,
    limit,
    offset,
    tags: tags.filter((tag) => tag !== named),
    metadata: Object.fromEntries(pairs),
    ...(type === undefined ? {} : { docType: type }),
    ...(inCollection === undefined ? {} : { collection: inCollection }),
    ...(source_path === undefined ? {} : { sourcePath: source_path }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}

/** Sends a file as data: it is saved, never shown, whatever it is. */
function download({ path, name, mime, sizeBytes }: OriginalFile): Response {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const body = Readable.toWeb(createReadStream(path));
  return new Response(body as unknown as ReadableStream<Uint8Array>, {
    headers: {
      "Content-Type": mime,
      "Content-Length": String(sizeBytes),
      "Content-Disposition":
        `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`,
      "X-Content-Type-Options": "nosniff",
      "Content-Security-Policy": "sandbox",
    },
  });
}
