import { z } from "zod";
import { LIMITS } from "../../../core/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../../tool.ts";
import { toDocumentJson, toJobJson } from "../../../wire/mod.ts";
import { dropUndefined } from "../sections.ts";
import {
  documentIdArgument,
  getSummary,
  newCollection,
  tagsArgument,
} from "./shared.ts";

const text = z.string().min(1).max(LIMITS.noteChars).describe(
  "The note, as Markdown",
);
const title = z.string().min(1).max(LIMITS.titleChars).optional().describe(
  "Title; otherwise the first heading or line",
);

/** The `kb_addnote` tool. */
export const kbAddNoteTool: Tool = defineTool({
  name: "kb_addnote",
  title: "Add Note",
  description:
    "Add a note. It is queued and found within seconds; kb_jobs says when. Use collection memory for " +
    "what should be remembered of the user and of work, one fact a note. To correct a note use " +
    "kb_update_note instead of adding another.",
  readOnly: false,
  destructive: false,
  idempotent: false,
  input: z.strictObject({
    text,
    tags: tagsArgument.optional(),
    collection: newCollection,
    title,
  }),
  output: z.looseObject({ job_id: z.int(), status: z.string() }),
  async run({ text, ...labels }, { kb }): Promise<JsonAnswer> {
    return {
      json: toJobJson(await kb.jobs.submitNote(text, dropUndefined(labels))),
    };
  },
});

/** The `kb_update_note` tool. */
export const kbUpdateNoteTool: Tool = defineTool({
  name: "kb_update_note",
  title: "Update Note",
  description:
    "Replace the text of a note; its id, tags, collection and creation time stay, and what it said " +
    "before is kept. The new text is found at once. Only notes can be updated.",
  readOnly: false,
  destructive: true,
  idempotent: true,
  input: z.strictObject({ document_id: documentIdArgument, text, title }),
  output: z.looseObject({ id: z.int(), changed: z.boolean() }),
  async run({ document_id, text, title }, call): Promise<JsonAnswer> {
    const { id } = await getSummary(call.kb, document_id);
    const { document, changed, degraded } = await call.kb.updateNote(
      String(id),
      text,
      { ...dropUndefined({ title }), signal: call.signal },
    );
    if (changed) call.wrote();
    return { json: { ...toDocumentJson(document), changed, degraded } };
  },
});
