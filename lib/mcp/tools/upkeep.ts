import { z } from "zod";
import { LIMITS } from "../../core/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../tool.ts";
import { countFitting } from "../window.ts";
import { since } from "./sections.ts";

const nothing = z.strictObject({});

/** The `status` tool. */
export const statusTool: Tool = defineTool({
  name: "status",
  title: "DB Status",
  description:
    "Say what the knowledge base holds and whether all of it can be found by meaning yet " +
    "(pending_vectors is 0). Use it to learn what there is before the first search.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: nothing,
  output: z.looseObject({
    initialized: z.boolean(),
    contextPath: z.string(),
    cacheStats: z.looseObject({ contentCount: z.int(), indexCount: z.int() }),
  }),
  async run(_, { kb, version }): Promise<JsonAnswer> {
    const status = await kb.status();
    const { vectors } = status;
    return {
      json: {
        initialized: true,
        contextPath: status.dir,
        cacheStats: {
          contentCount: status.sections,
          indexCount: vectors.vectors,
        },
        version,
        documents: status.documents,
        sections: status.sections,
        chunks: status.chunks,
        documents_by_type: status.documentsByType,
        documents_by_collection: status.documentsByCollection,
        model: {
          id: vectors.model,
          available: vectors.available,
          ...(vectors.problem === undefined
            ? {}
            : { problem: vectors.problem }),
        },
        vectors: vectors.vectors,
        pending_vectors: vectors.pendingChunks,
        database_bytes: status.databaseBytes,
        schema_version: status.schemaVersion,
        sqlite_version: status.sqliteVersion,
      },
    };
  },
});

/** The `check` tool. */
export const checkTool: Tool = defineTool({
  name: "check",
  title: "Integrity Check",
  description:
    "Verify the integrity of the knowledge base: checksums, orphans, broken and circular " +
    "references, index and vectors. Use it when results look wrong; each error says what to do.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: nothing,
  output: z.looseObject({
    ok: z.boolean(),
    errors: z.array(
      z.looseObject({
        type: z.string(),
        entity: z.string(),
        detail: z.string(),
      }),
    ),
    sections_checked: z.int(),
    documents_checked: z.int(),
    references_checked: z.int(),
    elapsed_ms: z.number(),
  }),
  async run(_, { kb, signal, log }): Promise<JsonAnswer> {
    const started = performance.now();
    const report = await kb.check({ signal });
    const errors = report.errors.slice(
      0,
      countFitting(report.errors, LIMITS.answerChars - 500),
    );
    const omitted = report.omitted + report.errors.length - errors.length;
    log(
      report.ok ? "info" : "warning",
      report.ok
        ? "The base is intact"
        : `The check found ${errors.length + omitted} faults`,
    );
    return {
      json: {
        ok: report.ok,
        errors,
        ...(omitted === 0 ? {} : { errors_omitted: omitted }),
        sections_checked: report.sectionsChecked,
        documents_checked: report.documentsChecked,
        references_checked: report.referencesChecked,
        elapsed_ms: since(started),
      },
    };
  },
});

/** The `gc` tool. */
export const gcTool: Tool = defineTool({
  name: "gc",
  title: "Garbage Collect",
  description:
    "Remove every section that no document has, for good; skills stay. That includes sections " +
    "learned without docid: look with dry_run first, and call it only when the user wants it.",
  readOnly: false,
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    dry_run: z.boolean().default(false).describe(
      "Only list what would be removed",
    ),
  }),
  output: z.looseObject({
    removed_sections: z.int(),
    removed_bytes: z.int(),
    elapsed_ms: z.number(),
  }),
  async run(args, call): Promise<JsonAnswer> {
    const started = performance.now();
    call.progress(0, 1, "Looking for sections without a document");
    const report = await call.kb.gc({ dryRun: args.dry_run });
    call.progress(1, 1, "Done");
    if (!args.dry_run && report.removedSections > 0) call.wrote();
    call.log(
      "notice",
      `${
        args.dry_run ? "Would remove" : "Removed"
      } ${report.removedSections} sections`,
    );
    const shown = report.sections.slice(
      0,
      countFitting(report.sections, LIMITS.answerChars - 500),
    );
    return {
      json: {
        removed_sections: report.removedSections,
        removed_bytes: report.removedBytes,
        elapsed_ms: since(started),
        ...(args.dry_run
          ? {
            dry_run: true,
            sections: shown,
            ...(shown.length < report.sections.length
              ? { sections_omitted: report.sections.length - shown.length }
              : {}),
          }
          : {}),
      },
    };
  },
});

/** The `rebuild` tool. */
export const rebuildTool: Tool = defineTool({
  name: "rebuild",
  title: "Rebuild Indexes",
  description:
    "Make every index anew from the stored sections. Use it when check reports index errors; " +
    "search by meaning is complete again once pending_vectors in status is 0.",
  readOnly: false,
  destructive: false,
  idempotent: false,
  input: nothing,
  output: z.looseObject({
    sections_reindexed: z.int(),
    terms_indexed: z.int(),
    elapsed_ms: z.number(),
  }),
  async run(_, call): Promise<JsonAnswer> {
    const started = performance.now();
    call.progress(0, 1, "Rebuilding the indexes");
    const report = await call.kb.rebuild({
      signal: call.signal,
      onProgress: ({ done, total }) =>
        call.progress(done, Math.max(done, total), "Rebuilding the indexes"),
    });
    call.wrote();
    call.log("notice", `Reindexed ${report.sectionsReindexed} sections`);
    return {
      json: {
        sections_reindexed: report.sectionsReindexed,
        terms_indexed: report.termsIndexed,
        elapsed_ms: since(started),
        pending_vectors: report.pendingChunks,
      },
    };
  },
});
