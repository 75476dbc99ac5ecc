import { z } from "zod";
import { LIMITS } from "../../../core/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../../tool.ts";
import { collectionSchema, tagsSchema, toLabels } from "./arguments.ts";
import { documentIdSchema, documentRef } from "./documents.ts";
import {
  documentSchema,
  jobSchema,
  presentDocument,
  presentJob,
} from "./present.ts";

const titleSchema = z.string().min(1).max(LIMITS.titleChars).optional();

/** The `kb_addnote` tool. */
export const kbAddNoteTool: Tool = defineTool({
  name: "kb_addnote",
  title: "Add note",
  description:
    "Queue a text as a note: one idea a note. Use collection memory for what you were asked to " +
    "remember. The answer has a job_id; the note can be found when kb_jobs says done. A text that " +
    "a note has already is kept once, and the note gets the tags and the collection given.",
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    text: z.string().min(1).max(LIMITS.noteChars).describe("Markdown"),
    title: titleSchema.describe("Default: its first heading or line"),
    tags: tagsSchema.describe("Tags of the note"),
    collection: collectionSchema,
  }),
  output: jobSchema,
  run({ text, ...labels }, { kb }): JsonAnswer {
    return { json: presentJob(kb.jobs.submitNote(text, toLabels(labels))) };
  },
});

/** The `kb_update_note` tool. */
export const kbUpdateNoteTool: Tool = defineTool({
  name: "kb_update_note",
  title: "Update note",
  description:
    "Replace the text of a note, which is found by its new text at once. Its id, tags, collection " +
    "and creation time stay. Only notes can be updated: a file is uploaded again instead.",
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    document_id: documentIdSchema,
    text: z.string().min(1).max(LIMITS.noteChars).describe("Markdown"),
    title: titleSchema.describe("Default: as before, or from the text"),
  }),
  output: documentSchema.extend({
    changed: z.boolean(),
    degraded: z.array(z.string()),
  }),
  async run({ document_id, text, title }, call): Promise<JsonAnswer> {
    const ref = documentRef(call.kb, document_id);
    const { document, changed, degraded } = await call.kb.updateNote(
      ref,
      text,
      { signal: call.signal, ...(title === undefined ? {} : { title }) },
    );
    if (changed) call.wrote();
    return { json: { ...presentDocument(document), changed, degraded } };
  },
});
