import { z } from "zod";
import { LIMITS } from "../../core/mod.ts";
import type { Hit, SearchAnswer, SearchStats } from "../../kb/mod.ts";
import {
  defineTool,
  type JsonAnswer,
  type Tool,
  type ToolCall,
} from "../tool.ts";
import { countFitting, cutText } from "../window.ts";

const LIMIT = 20;

const input = z.strictObject({
  query: z.string().max(LIMITS.queryChars).describe("Search query text"),
  mode: z.enum(["sections", "documents", "stats"]).default("sections")
    .describe(
      "sections: ranked sections; documents: one hit a document; stats: counts only",
    ),
  limit: z.int().min(1).max(LIMITS.hits).default(LIMIT)
    .describe("Max results"),
  offset: z.int().min(0).max(LIMITS.hitOffset).default(0)
    .describe("Zero-based result offset"),
  content: z.boolean().default(false)
    .describe("Include the full section text in each result"),
  tags: z.array(z.string()).max(20).optional()
    .describe("Only documents that have all of these tags"),
  collection: z.string().optional().describe("Only this collection"),
  type: z.string().optional()
    .describe("Only this document type: note, markdown, html, code, image, …"),
});

const output = z.looseObject({
  items: z.array(z.looseObject({
    kbid: z.string(),
    heading: z.nullable(z.string()),
    type: z.string(),
    docids: z.array(z.string()),
    snippet: z.string(),
    matched_terms: z.array(z.string()),
  })).optional(),
  total: z.int().optional(),
  has_more: z.boolean().optional(),
});

type SearchArgs = z.output<typeof input>;

/** One result as the tool answers it. */
interface Item {
  readonly kbid: string;
  readonly heading: string | null;
  readonly type: string;
  readonly docids: readonly string[];
  readonly snippet: string;
  readonly matched_terms: readonly string[];
  readonly page?: number;
  readonly title?: string | null;
  readonly content?: string;
  readonly content_next_offset?: number;
}

/** The `search` tool. */
export const searchTool: Tool = defineTool({
  name: "search",
  title: "Search KB",
  description:
    "Find sections by word and by meaning, best first. Use it before answering anything the " +
    "knowledge base may know, and again in other words if the first results miss. Judge by " +
    "heading and snippet, then read the best ones with recall. The query may hold words, " +
    '"a phrase", -without, prefix*, tag:NAME, type:TYPE, in:COLLECTION, after:DATE, before:DATE.',
  readOnly: true,
  destructive: false,
  idempotent: true,
  input,
  output,
  async run(args, call): Promise<JsonAnswer> {
    const filter = {
      ...(args.tags === undefined ? {} : { tags: args.tags }),
      ...(args.collection === undefined ? {} : { collection: args.collection }),
      ...(args.type === undefined ? {} : { docType: args.type }),
    };
    if (args.mode === "stats") {
      return {
        json: await toStats(
          await call.kb.searchStats(args.query, filter),
          call,
        ),
      };
    }
    const answer = await call.kb.search(args.query, {
      ...filter,
      groupBy: args.mode === "documents" ? "document" : "section",
      limit: args.limit,
      offset: args.offset,
      signal: call.signal,
    });
    return { json: await toPage(answer, args, call) };
  },
});

async function toStats(
  stats: SearchStats,
  { kb }: ToolCall,
): Promise<object> {
  const { documents, sections, chunks } = await kb.status();
  return {
    terms: stats.terms,
    by_type: stats.byType,
    by_collection: stats.byCollection,
    documents,
    sections,
    chunks,
  };
}

/** The page, shortened where it would be too long; `limit` is then how many there are. */
async function toPage(
  answer: SearchAnswer,
  args: SearchArgs,
  call: ToolCall,
): Promise<object> {
  const { total, degraded } = answer;
  const all = await Promise.all(
    answer.hits.map((hit) => toItem(hit, args, call)),
  );
  const count = countFitting(all, LIMITS.answerChars - 500);
  const items = all.slice(0, count);
  const end = args.offset + count;
  const notes = [...answer.notes];
  if (count < all.length) {
    notes.push(
      `Shortened to ${count} results to keep the answer small; go on with offset ${end}.`,
    );
  }
  if (items.some((item) => item.content_next_offset !== undefined)) {
    notes.push(
      "A content is cut; go on with recall, its kbid and content_next_offset as offset.",
    );
  }
  return {
    items,
    total,
    offset: args.offset,
    limit: count < all.length ? count : args.limit,
    has_more: end < total && count > 0,
    degraded,
    ...(notes.length === 0 ? {} : { notes }),
  };
}

async function toItem(
  hit: Hit,
  { mode, content }: SearchArgs,
  call: ToolCall,
): Promise<Item> {
  const isImage = hit.sectionType.startsWith("image/");
  return {
    kbid: hit.kbid,
    heading: hit.title,
    type: hit.sectionType,
    docids: mode === "documents" && hit.docid !== null
      ? [hit.docid]
      : await call.kb.listDocidsOf(hit.sectionId),
    snippet: isImage ? "" : hit.snippet.text,
    matched_terms: hit.matchedTerms,
    ...(hit.page === null ? {} : { page: hit.page }),
    ...(mode === "documents" ? { title: hit.documentTitle } : {}),
    ...(content ? toContent((await call.kb.getSection(hit.kbid)).content) : {}),
  };
}

function toContent(
  content: string | Uint8Array,
): { content: string; content_next_offset?: number } {
  if (typeof content !== "string") return { content: "" };
  // One long section must leave room for the envelope and its own fields.
  const { text, nextOffset } = cutText(content, 0, LIMITS.answerChars - 2_000);
  return {
    content: text,
    ...(nextOffset === undefined ? {} : { content_next_offset: nextOffset }),
  };
}
