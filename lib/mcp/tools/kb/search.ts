import { z } from "zod";
import { LIMITS } from "../../../core/mod.ts";
import type { SearchAnswer } from "../../../kb/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../../tool.ts";
import { countFitting } from "../../window.ts";
import { presentHit } from "./present.ts";

const TOP = 10;
/** Room for what stands around the results in an answer, in UTF-16 units. */
const ENVELOPE_CHARS = 1_000;

const input = z.strictObject({
  query: z.string().max(LIMITS.queryChars).describe(
    'Words, "phrase", -word, prefix*, tag:, type:, in:, after:, before:',
  ),
  top: z.int().min(1).max(LIMITS.hits).default(TOP).describe("Most results"),
  offset: z.int().min(0).max(LIMITS.hitOffset).default(0).describe(
    "Results to pass over",
  ),
  tags: z.array(z.string()).max(LIMITS.documentTags).optional().describe(
    "Only documents that have all of these tags",
  ),
  doc_type: z.string().optional().describe(
    "Only this type: note, markdown, text, code, json",
  ),
  collection: z.string().optional().describe(
    "Only this collection: documents, memory, workspace or another name",
  ),
  fts_only: z.boolean().default(false).describe("By word only"),
  vec_only: z.boolean().default(false).describe("By meaning only"),
  threshold: z.number().min(0).max(1).optional().describe("Least score"),
}).refine(({ fts_only, vec_only }) => !(fts_only && vec_only), {
  path: ["vec_only"],
  message: "and fts_only exclude each other, give one of them",
});

/** The `kb_search` tool. */
export const kbSearchTool: Tool = defineTool({
  name: "kb_search",
  title: "Search documents",
  description:
    "Find passages by word and by meaning, best first, with their text, document, tags and " +
    "collection. For complex queries, consider expanding into 2-3 variant phrasings and calling " +
    "this tool multiple times, then deduplicating results by chunk_id. For precision, rerank the " +
    "returned results using your own judgement based on relevance to the original question. " +
    "Read more of a document with kb_get.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input,
  output: z.looseObject({
    results: z.array(z.looseObject({
      rank: z.int(),
      score: z.number(),
      chunk_id: z.int(),
      document_id: z.nullable(z.int()),
      title: z.nullable(z.string()),
      text: z.string(),
      tags: z.array(z.string()),
      collection: z.nullable(z.string()),
    })),
    total: z.int(),
    degraded: z.array(z.string()),
    notes: z.array(z.string()),
  }),
  async run(args, { kb, signal, threshold }): Promise<JsonAnswer> {
    const { query, top, offset, tags, doc_type, collection } = args;
    const least = args.threshold ?? threshold;
    const answer = await kb.search(query, {
      limit: top,
      offset,
      retriever: args.fts_only ? "fts" : args.vec_only ? "vector" : "hybrid",
      ...(tags === undefined ? {} : { tags }),
      ...(doc_type === undefined ? {} : { docType: doc_type }),
      ...(collection === undefined ? {} : { collection }),
      ...(least === undefined ? {} : { threshold: least }),
      signal,
    });
    return { json: toPage(answer, offset) };
  },
});

/** The results, fewer where all would be too long. */
function toPage(answer: SearchAnswer, offset: number): object {
  const { total, degraded, notes } = answer;
  const all = answer.hits.map(presentHit);
  const count = countFitting(all, LIMITS.answerChars - ENVELOPE_CHARS);
  const cut = count < all.length
    ? [
      `Shortened to ${count} results to keep the answer small; go on with offset ${
        offset + count
      }.`,
    ]
    : [];
  return {
    results: all.slice(0, count),
    total,
    degraded,
    notes: [...notes, ...cut],
  };
}
