import { z } from "zod";
import { JOB_STATUSES } from "../wire/mod.ts";
import { LIMITS } from "../core/mod.ts";

const tag = z.string().min(1).max(LIMITS.tagChars);

/** One or more values, repeated or separated by commas. */
export const listParam = z.union([z.string(), z.array(z.string())])
  .transform((value) =>
    [value].flat().flatMap((part) => part.split(",")).map((part) => part.trim())
      .filter((part) => part !== "")
  ).describe("Repeated, or separated by commas");

/** A whole number of a query string, in a range. */
export function countParam(
  { min, max }: { readonly min: number; readonly max: number },
): z.ZodType<number, string> {
  return z.string().regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .describe(`Whole number, ${rangeText(min, max)}`);
}

/** Same as {@linkcode countParam}, for one that may be left out. */
export function countParamOr(
  fallback: number,
  range: { readonly min: number; readonly max: number },
): z.ZodType<number, string | undefined> {
  return countParam(range).default(fallback).describe(
    `Whole number, ${rangeText(range.min, range.max)}; default ${fallback}`,
  );
}

function rangeText(min: number, max: number): string {
  return max >= 1e9 ? `${min} or more` : `${min} to ${max}`;
}

/** A day, or a time that is brought to UTC, as the base keeps it. */
export const dateParam: z.ZodType<string, string> = z.union([
  z.iso.date(),
  z.iso.datetime({ offset: true }).transform((text) =>
    new Date(text).toISOString()
  ),
], { error: "must be a date such as 2026-01-31, or a time with its zone" });

/** The id of a path. */
export const idParams = z.strictObject({
  id: z.string().regex(/^\d{1,15}$/, "must be a whole number").describe(
    "Integer id",
  ),
});

/** Body of a search. */
export const searchBody = z.strictObject({
  query: z.string().max(LIMITS.queryChars).describe(
    'Words, "phrase", -word, prefix*, tag:, type:, in:, after:, before:',
  ),
  top: z.int().min(1).max(LIMITS.hits).default(10).describe("Most hits"),
  offset: z.int().min(0).max(LIMITS.hitOffset).default(0),
  tags: z.array(tag).max(LIMITS.documentTags).optional().describe(
    "All of which a document has; `collection:NAME` too",
  ),
  doc_type: z.string().optional(),
  collection: z.string().optional(),
  after: dateParam.optional().describe("Changed at or after this date"),
  before: dateParam.optional().describe("Changed before this date"),
  fts_only: z.boolean().default(false).describe("By word only"),
  vec_only: z.boolean().default(false).describe("By meaning only"),
  threshold: z.number().min(0).max(1).optional().describe("Least score"),
  explain: z.boolean().default(false),
}).refine(({ fts_only, vec_only }) => !(fts_only && vec_only), {
  message: "fts_only and vec_only exclude each other",
});

/** One search result. */
export const hitSchema = z.object({
  rank: z.int(),
  score: z.number().describe("0 to 1, comparable within one answer only"),
  chunk_id: z.int(),
  kbid: z.string().describe("Name of the section"),
  document_id: z.int().nullable(),
  docid: z.string().nullable(),
  title: z.string().nullable().describe("Title of the document"),
  heading: z.string().nullable(),
  heading_path: z.array(z.string()),
  doc_type: z.string().nullable(),
  section_type: z.string(),
  source_path: z.string().nullable(),
  line_start: z.int(),
  line_end: z.int(),
  page: z.int().nullable().describe(
    "Page, slide or sheet, where there are any",
  ),
  text: z.string(),
  snippet: z.string(),
  matched_terms: z.array(z.string()),
  tags: z.array(z.string()).describe("With `collection:NAME`"),
  collection: z.string().nullable(),
  also_in: z.array(z.object({
    document_id: z.int(),
    docid: z.string(),
    source_path: z.string().nullable(),
    line_start: z.int(),
    page: z.int().nullable(),
  })),
  explanation: z.record(z.string(), z.number()).optional(),
});

/** Answer of a search. */
export const searchAnswer = z.object({
  results: z.array(hitSchema),
  total: z.int().describe("Distinct sections found, at most 1,000"),
  degraded: z.array(z.string()).describe("What the answer lacks"),
  notes: z.array(z.string()),
  timings: z.record(z.string(), z.number()).optional(),
});

/** A job. */
export const jobSchema = z.object({
  id: z.int(),
  job_id: z.int().describe("Same as `id`"),
  kind: z.enum(["file", "note"]),
  name: z.string(),
  status: z.enum(JOB_STATUSES),
  state: z.string().nullable().describe(
    "State of the file, e.g. `indexed`, `binary`",
  ),
  error: z.string().nullable(),
  document_id: z.int().nullable(),
  attempts: z.int(),
  created_at: z.string(),
  started_at: z.string().nullable(),
  finished_at: z.string().nullable(),
});

/** Form of a job. */
export const jobForm = z.strictObject({
  file: z.string().optional().describe("File part with a filename"),
  note: z.string().optional().describe("Text of a note, instead of `file`"),
  title: z.string().optional(),
  tags: listParam.optional(),
  collection: z.string().optional(),
  source_path: z.string().optional().describe(
    "Relative path to store the file under; a known one is updated",
  ),
  docid: z.string().optional().describe("Text id of a note"),
});

/** A document in a list. */
export const documentSchema = z.object({
  id: z.int(),
  docid: z.string(),
  title: z.string(),
  doc_type: z.string(),
  mime: z.string(),
  source_path: z.string().nullable(),
  tags: z.array(z.string()).describe("With `collection:NAME`"),
  collection: z.string(),
  chunk_count: z.int(),
  created_at: z.string(),
  updated_at: z.string().nullable().describe("NULL until the document changes"),
});

/** A document with its chunks. */
export const documentDetail = documentSchema.extend({
  content_hash: z.string(),
  metadata: z.record(z.string(), z.unknown()),
  warnings: z.array(z.string()),
  has_file: z.boolean(),
  chunks: z.array(z.object({
    chunk_id: z.int(),
    chunk_index: z.int(),
    kbid: z.string(),
    text: z.string(),
    heading_path: z.array(z.string()),
    line_start: z.int(),
    line_end: z.int(),
    page: z.int().nullable(),
    token_count: z.int(),
  })),
});

/** State of the engine. */
export const statusSchema = z.object({
  version: z.string(),
  model_name: z.string(),
  model_available: z.boolean(),
  model_problem: z.string().nullable(),
  embedding_dim: z.int(),
  device: z.string(),
  gpu: z.string().nullable(),
  documents: z.object({
    total: z.int(),
    by_type: z.record(z.string(), z.int()),
    by_collection: z.record(z.string(), z.int()),
  }),
  sections: z.int(),
  chunks: z.object({ total: z.int(), embedded: z.int(), pending: z.int() }),
  db_size_bytes: z.int(),
  queue: z.object({ queued: z.int(), processing: z.int() }),
  jobs: z.record(z.string(), z.int()),
  schema_version: z.int(),
  sqlite_version: z.string(),
});

/** Where a reindex stands. */
export const reindexSchema = z.object({
  status: z.enum(["idle", "running", "done", "failed"]),
  done: z.int(),
  total: z.int(),
  error: z.string().optional(),
});
