import { z } from "zod";
import { KbError, LIMITS } from "../../core/mod.ts";
import type { Answer, Engine, UpdateNoteReport } from "../../kb/mod.ts";
import { errorResponse } from "../errors.ts";
import { presentDocument } from "../present.ts";
import { type Route, route } from "../route.ts";
import { countParam, documentSchema, idParams } from "../schemas.ts";

const VERSIONS_MAX = 1e9;

const versionSchema = z.object({
  version: z.int(),
  title: z.string(),
  content: z.string(),
  written_at: z.string(),
  replaced_at: z.string(),
});

const updatedSchema = documentSchema.extend({
  changed: z.boolean(),
  degraded: z.array(z.string()),
});

/** Notes: updates in place, what they said before. */
export const noteRoutes: readonly Route[] = [
  route({
    method: "PATCH",
    path: "/api/v1/notes/{id}",
    scope: "write",
    tag: "Notes",
    summary: "Replace the text of a note; its ids, tags and creation time stay",
    params: idParams,
    body: z.strictObject({
      text: z.string().max(LIMITS.noteChars),
      title: z.string().min(1).max(LIMITS.titleChars).optional(),
    }),
    answer: { status: 200, schema: updatedSchema },
    handle: ({ kb, params, body: { text, title }, raw }) =>
      answerUpdate(kb, params.id, () =>
        kb.updateNote(params.id, text, {
          signal: raw.signal,
          ...(title === undefined ? {} : { title }),
        })),
  }),
  route({
    method: "GET",
    path: "/api/v1/notes/{id}/history",
    scope: "read",
    tag: "Notes",
    summary: "List what a note said before, oldest first",
    params: idParams,
    answer: { status: 200, schema: z.array(versionSchema) },
    handle: async ({ kb, params }) =>
      Response.json(
        (await kb.noteHistory(await noteRef(kb, params.id))).map((entry) => ({
          version: entry.version,
          title: entry.title,
          content: entry.content,
          written_at: entry.writtenAt,
          replaced_at: entry.replacedAt,
        })),
      ),
  }),
  route({
    method: "GET",
    path: "/api/v1/notes/{id}/diff",
    scope: "read",
    tag: "Notes",
    summary: "Compare two versions of a note, or one with the note as it is",
    params: idParams,
    query: z.strictObject({
      from: countParam({ min: 1, max: VERSIONS_MAX }),
      to: countParam({ min: 1, max: VERSIONS_MAX }).optional(),
    }),
    answer: { status: 200, schema: z.object({ diff: z.string() }) },
    handle: async ({ kb, params, query: { from, to } }) =>
      Response.json({
        diff: await kb.diffNote(
          await noteRef(kb, params.id),
          to === undefined ? { from } : { from, to },
        ),
      }),
  }),
  route({
    method: "POST",
    path: "/api/v1/notes/{id}/restore",
    scope: "write",
    tag: "Notes",
    summary: "Give a note a text it had before",
    params: idParams,
    body: z.strictObject({ version: z.int().min(1) }),
    answer: { status: 200, schema: updatedSchema },
    handle: ({ kb, params, body: { version }, raw }) =>
      answerUpdate(
        kb,
        params.id,
        () => kb.restoreNote(params.id, version, { signal: raw.signal }),
      ),
  }),
];

/**
 * The note a path names, by integer id only.
 *
 * @throws {KbError} `not_found` if there is no such document; `invalid_input` if it is no note.
 */
async function noteRef(kb: Engine, id: string): Promise<string> {
  const { id: found, docType } = await kb.summary(id);
  if (found !== Number(id)) {
    throw new KbError("not_found", `There is no document ${id}`);
  }
  if (docType === "note") return String(found);
  throw new KbError(
    "invalid_input",
    `Document ${id} is of type ${docType}: only notes can be updated and have a history`,
    { details: { reason: "not_a_note", docType } },
  );
}

/** Answers an update: 500 if its vectors could not be made, in which case the note is as it was. */
async function answerUpdate(
  kb: Engine,
  id: string,
  update: () => Answer<UpdateNoteReport>,
): Promise<Response> {
  await noteRef(kb, id);
  try {
    const { document, changed, degraded } = await update();
    return Response.json({ ...presentDocument(document), changed, degraded });
  } catch (error) {
    const isModel = error instanceof KbError &&
      error.code === "model_unavailable";
    if (isModel) return errorResponse(500, error);
    throw error;
  }
}
