import { Buffer } from "node:buffer";
import { z } from "zod";
import { KbError, LIMITS } from "../../core/mod.ts";
import type { DocumentRecord, LearnReport, Section } from "../../kb/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../tool.ts";
import { countFitting, cutText } from "../window.ts";

/** Texts from here on are worth telling how far they are. */
const LONG_CHARS = 50_000;
/** Room for the fields around a content. */
const ENVELOPE_CHARS = 500;

/** Schema of a place in a text that was cut. */
export const offsetSchema: z.ZodDefault<z.ZodInt> = z.int().min(0).default(0);

const learnInput = z.strictObject({
  content: z.string().describe("Text, or base64 of an image"),
  type: z.string().default("text/markdown").describe(
    "text/*, application/json or image/*",
  ),
  title: z.string().optional().describe(
    "Section title; required for image/* types",
  ),
  description: z.string().optional().describe("What the section is about"),
  docid: z.string().optional().describe(
    "Group under this document ID, made if new",
  ),
  tags: z.array(z.string()).optional().describe(
    "Tags of the document; needs docid",
  ),
  collection: z.string().optional().describe(
    "Collection of the document; needs docid",
  ),
});

/** The `learn` tool. */
export const learnTool: Tool = defineTool({
  name: "learn",
  title: "Import Content",
  description:
    "Store a text, code, JSON or image as one section. Use it to remember decisions, facts and " +
    "results: one idea a section, with a title that says what it is about. Give docid to keep " +
    "related sections together, and collection (e.g. memory) or tags to find them apart. The same " +
    "content is stored once. To correct something: unlearn the old section, learn the new one.",
  readOnly: false,
  destructive: false,
  idempotent: true,
  input: learnInput,
  output: z.looseObject({
    kbid: z.string(),
    type: z.string(),
    indexed_terms_count: z.int(),
    elapsed_ms: z.number(),
    attached: z.boolean(),
  }),
  async run(args, call): Promise<JsonAnswer> {
    const started = performance.now();
    const { content, ...options } = args;
    const isLong = content.length >= LONG_CHARS;
    if (isLong) call.progress(0, content.length, "Storing the content");
    const report = await call.kb.learn(
      args.type.startsWith("image/") ? toBytes(content) : content,
      dropUndefined(options),
    );
    if (isLong) {
      call.progress(content.length, content.length, "Stored the content");
    }
    if (report.created || report.attached) call.wrote();
    call.log(
      "info",
      report.created
        ? `Indexed ${report.indexedTerms} terms for section ${report.kbid}`
        : `Section ${report.kbid} was there already`,
    );
    return { json: toLearned(report, started), isCompact: true };
  },
});

/** The fields every tool that stores a section answers. */
export function toLearned(report: LearnReport, started: number): object {
  return {
    kbid: report.kbid,
    type: report.sectionType,
    ...(report.title === undefined ? {} : { title: report.title }),
    ...(report.description === undefined
      ? {}
      : { description: report.description }),
    indexed_terms_count: report.indexedTerms,
    elapsed_ms: since(started),
    attached: report.attached,
    created: report.created,
  };
}

/** Milliseconds since a time of `performance.now()`, to a tenth. */
export function since(started: number): number {
  return Math.round((performance.now() - started) * 10) / 10;
}

/** Leaves out the properties that are `undefined`. */
export function dropUndefined<T extends object>(
  value: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value).filter(([, part]) => part !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** The `unlearn` tool. */
export const unlearnTool: Tool = defineTool({
  name: "unlearn",
  title: "Remove Section",
  description:
    "Remove a section for good, from the index and from every document. Use it for content that " +
    "is wrong or outdated, or when the user asks to forget something.",
  readOnly: false,
  destructive: true,
  idempotent: true,
  input: z.strictObject({
    kbid: z.string().describe("KB ID of the section to remove"),
  }),
  output: z.looseObject({ removed: z.boolean(), elapsed_ms: z.number() }),
  async run({ kbid }, call): Promise<JsonAnswer> {
    const started = performance.now();
    const removed = await call.kb.unlearn(kbid);
    if (removed) call.wrote();
    call.log(
      "info",
      removed ? `Removed section ${kbid}` : `There was no section ${kbid}`,
    );
    return { json: { removed, elapsed_ms: since(started) }, isCompact: true };
  },
});

/** The `retrieve` tool. */
export const retrieveTool: Tool = defineTool({
  name: "retrieve",
  title: "Fetch Content",
  description:
    "Fetch one section by kbid, or the record of a document (facts and list of sections) by docid. " +
    "Low-level: to read what search found, use recall.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    kbid: z.string().optional().describe("KB ID of a section"),
    docid: z.string().optional().describe("Document ID"),
    offset: offsetSchema.describe(
      "Go on here: characters of the section, or sections of the document",
    ),
  }),
  async run({ kbid, docid, offset }, call): Promise<JsonAnswer> {
    if (kbid !== undefined) {
      return toSectionAnswer(await call.kb.getSection(kbid), offset);
    }
    if (docid === undefined) {
      throw new KbError("invalid_input", "Provide kbid or docid");
    }
    return toDocumentAnswer(await call.kb.getDocument(docid), offset);
  },
});

function toSectionAnswer(
  { kbid, sectionType, content, size }: Section,
  offset: number,
): JsonAnswer {
  const all = toText(content);
  const budget = LIMITS.answerChars - ENVELOPE_CHARS;
  const { text, nextOffset } = cutText(all, offset, budget);
  const isCut = offset > 0 || nextOffset !== undefined;
  return {
    json: [{
      kbid,
      sectionType,
      content: text,
      size,
      ...(isCut ? { offset, total: all.length } : {}),
      ...(nextOffset === undefined ? {} : { next_offset: nextOffset }),
    }],
    ...(nextOffset === undefined ? {} : {
      note:
        `Cut at ${nextOffset} of ${all.length} characters; go on with retrieve, ` +
        `kbid "${kbid}" and offset ${nextOffset}.`,
    }),
  };
}

function toDocumentAnswer(
  document: DocumentRecord,
  offset: number,
): JsonAnswer {
  const facts = toFacts(document);
  const { sections } = document;
  const rest = sections.slice(offset);
  const budget = LIMITS.answerChars - ENVELOPE_CHARS -
    JSON.stringify(facts, null, 2).length;
  const shown = rest.slice(0, countFitting(rest, budget));
  const next = offset + shown.length;
  const hasMore = next < sections.length;
  return {
    json: {
      ...facts,
      sections: shown,
      ...(hasMore || offset > 0 ? { offset, total: sections.length } : {}),
      ...(hasMore ? { next_offset: next } : {}),
    },
    ...(hasMore
      ? {
        note: `Shows ${shown.length} of ${sections.length} sections; go on ` +
          `with retrieve, docid "${document.docid}" and offset ${next}.`,
      }
      : {}),
  };
}

/** What a document is, with metadata too long for an answer left out. */
function toFacts(document: DocumentRecord): object {
  const { metadata } = document;
  const isLong = JSON.stringify(metadata).length > LIMITS.answerChars / 2;
  return {
    docid: document.docid,
    title: document.title,
    type: document.docType,
    path: document.path,
    collection: document.collection,
    tags: document.tags,
    metadata: isLong ? { note: "too long to show" } : metadata,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
  };
}

/** A content as text: base64 of an image. */
export function toText(content: string | Uint8Array): string {
  return typeof content === "string"
    ? content
    : Buffer.from(content).toString("base64");
}

/** Reads strict base64; white space between lines is let pass. */
function toBytes(content: string): Uint8Array {
  const base64 = content.replaceAll(/[\r\n\t ]/g, "");
  const isBase64 = base64.length > 0 && base64.length % 4 === 0 &&
    /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  if (!isBase64) {
    throw new KbError(
      "invalid_input",
      'Cannot learn an image: "content" must be its bytes in base64, without "data:" before them',
    );
  }
  return new Uint8Array(Buffer.from(base64, "base64"));
}
