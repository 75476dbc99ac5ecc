import { Buffer } from "node:buffer";
import { z } from "zod";
import { presentStatus } from "../present.ts";
import { type Route, route } from "../route.ts";
import { reindexSchema, statusSchema } from "../schemas.ts";

/** The engine itself, and sections by name. */
export const engineRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/health",
    scope: "none",
    tag: "Engine",
    summary: "Say that the server lives",
    answer: { status: 200, schema: z.object({ status: z.string() }) },
    handle: () => Response.json({ status: "ok" }),
  }),
  route({
    method: "GET",
    path: "/api/v1/auth/check",
    scope: "read",
    tag: "Engine",
    summary: "Say that the key is right",
    answer: { status: 200, schema: z.object({ ok: z.boolean() }) },
    handle: () => Response.json({ ok: true }),
  }),
  route({
    method: "GET",
    path: "/api/v1/status",
    scope: "read",
    tag: "Engine",
    summary: "Say what the base holds, which model is used, and what waits",
    answer: { status: 200, schema: statusSchema },
    async handle({ kb, state }): Promise<Response> {
      return Response.json(
        presentStatus(await kb.status(), state.settings.version),
      );
    },
  }),
  route({
    method: "POST",
    path: "/api/v1/reindex",
    scope: "admin",
    tag: "Engine",
    summary: "Make all vectors anew in the background; search goes on",
    answer: { status: 202, schema: reindexSchema },
    handle: ({ state }) => Response.json(state.startReindex(), { status: 202 }),
  }),
  route({
    method: "GET",
    path: "/api/v1/reindex",
    scope: "read",
    tag: "Engine",
    summary: "Say where the reindex stands",
    answer: { status: 200, schema: reindexSchema },
    handle: ({ state }) => Response.json(state.reindex),
  }),
  route({
    method: "GET",
    path: "/api/v1/sections/{kbid}",
    scope: "read",
    tag: "Documents",
    summary: "Get a section by its kbid; bytes of an image as base64",
    params: z.strictObject({ kbid: z.string() }),
    answer: {
      status: 200,
      schema: z.object({
        kbid: z.string(),
        type: z.string(),
        title: z.string().nullable(),
        description: z.string().nullable(),
        content: z.string(),
        encoding: z.enum(["utf-8", "base64"]),
        size: z.int(),
        docids: z.array(z.string()),
      }),
    },
    async handle({ kb, params }): Promise<Response> {
      const { sectionType, content, ...section } = await kb.getSection(
        params.kbid,
      );
      const isText = typeof content === "string";
      return Response.json({
        ...section,
        type: sectionType,
        content: isText ? content : Buffer.from(content).toString("base64"),
        encoding: isText ? "utf-8" : "base64",
      });
    },
  }),
];
