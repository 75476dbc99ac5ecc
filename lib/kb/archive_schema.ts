import { z } from "zod";
import type { JsonObject } from "../core/mod.ts";
import { LIMITS } from "../core/mod.ts";
import type { ArchiveRecord } from "../ingest/mod.ts";

const TIME = z.iso.datetime();
const LINE = z.int().min(0);
const LABEL = z.string().trim().min(1).max(LIMITS.tagChars);

const LINK = z.object({
  type: z.enum(["link", "wikilink", "image", "embed"]),
  target: z.string(),
  target_path: z.string().nullable().default(null),
  label: z.string().default(""),
  context_snippet: z.string().default(""),
  line: LINE.default(1),
});

/** A section as an export may have it; what a person left out is filled in. */
const SECTION = z.object({
  kbid: z.string().optional(),
  type: z.string().min(1).default("text/markdown"),
  title: z.string().max(LIMITS.titleChars).nullable().default(null),
  description: z.string().max(LIMITS.descriptionChars).nullable().default(null),
  context: z.string().default(""),
  heading_path: z.array(z.string()).default([]),
  line_start: LINE.default(1),
  line_end: LINE.default(1),
  page: z.int().min(1).nullable().default(null),
  exact_lines: z.boolean().default(true),
  standalone: z.boolean().default(false),
  content: z.string().min(1).optional(),
  content_base64: z.base64().optional(),
  links: z.array(LINK).default([]),
}).refine(
  ({ content, content_base64 }) =>
    (content === undefined) !== (content_base64 === undefined),
  "a section has content, or content_base64 for an image",
);

const DOCUMENT = z.object({
  kind: z.literal("document"),
  docid: z.string().trim().min(1).max(LIMITS.docidChars),
  title: z.string().trim().min(1).max(LIMITS.titleChars),
  doc_type: z.string().min(1),
  mime: z.string().min(1).default("text/markdown"),
  collection: LABEL.default("documents"),
  tags: z.array(LABEL).max(LIMITS.documentTags).default([]),
  created_at: TIME,
  updated_at: TIME.nullable().default(null),
  source_path: z.string().min(1).nullable().default(null),
  content_hash: z.string().regex(/^[0-9a-f]{64}$/),
  metadata: z.record(z.string(), z.json()).default({}),
  warnings: z.array(z.string()).default([]),
  sections: z.array(SECTION).default([]),
  history: z.array(z.object({
    version: z.int().min(1),
    title: z.string(),
    content: z.string(),
    written_at: TIME,
    replaced_at: TIME,
  })).max(LIMITS.noteVersions).default([]),
}).transform((document) => ({
  ...document,
  metadata: document.metadata as JsonObject,
  tags: document.tags.filter((tag) => !tag.startsWith("collection:")),
}));

const LOOSE = z.object({ kind: z.literal("section"), section: SECTION });

const SKILL = z.object({
  kind: z.literal("skill"),
  name: z.string(),
  description: z.string().default(""),
  arguments: z.array(z.object({
    name: z.string(),
    description: z.string().optional(),
    required: z.boolean().optional(),
  })).default([]),
  body: z.string(),
});

const RECORD: z.ZodType<ArchiveRecord> = z.discriminatedUnion("kind", [
  DOCUMENT,
  LOOSE,
  SKILL,
]);

/** What a record is read as: the record, or what is wrong with it. */
export type ReadRecord =
  | { readonly record: ArchiveRecord }
  | { readonly problem: string };

/** Reads a record of an export. */
export function readRecord(value: unknown): ReadRecord {
  const result = RECORD.safeParse(value);
  return result.success
    ? { record: result.data }
    : { problem: describe(result.error) };
}

function describe({ issues }: z.ZodError): string {
  const [issue] = issues;
  const at = issue?.path.join(".") ?? "";
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : "";
  return `${at === "" ? "it" : at}: ${issue?.message ?? "wrong"}${more}`;
}
