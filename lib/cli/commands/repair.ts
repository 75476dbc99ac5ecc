import type { CheckErrorType, UpkeepOptions } from "../../kb/mod.ts";
import { confirm } from "../confirm.ts";
import { EXIT_CODES, stopped } from "../exit_codes.ts";
import {
  formatBytes,
  formatCount,
  formatItems,
  toPrintable,
} from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { writeListing } from "../output/write.ts";
import { ProgressLine } from "../progress.ts";
import { openForReading } from "../session.ts";
import { describeEmbedding, embedWithProgress } from "./embedding.ts";
import type { AskingOptions } from "./rm.ts";

/** Options of `kbdb gc`. */
export interface GcOptions extends AskingOptions {
  /** Only shows what would go. */
  readonly dryRun?: true;
}

/** Options of `kbdb rebuild`. */
export interface RebuildOptions extends GlobalOptions {
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

const UPKEEP_KEPT = {
  check: "nothing was changed",
  rebuild:
    "what is rebuilt is kept, nothing is lost; begin again with: kbdb rebuild",
} as const;
/** What is odd in what people wrote and keep, and no damage to the base; damage is listed before it. */
const OF_CONTENT: ReadonlySet<CheckErrorType> = new Set([
  "broken_reference",
  "circular_reference",
  "orphan_section",
  "orphan_document",
]);
/** Sections named one by one before a question; more are only counted. */
const NAMED = 20;

/** Verifies the base. */
export async function check(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const report = await withUpkeepProgress(
    io,
    "check",
    (upkeep) => kb.check(upkeep),
  );
  const { ok, errors, omitted } = report;
  const looked = `${formatItems(report.documentsChecked, "document")}, ${
    formatItems(report.sectionsChecked, "section")
  } and ${formatItems(report.referencesChecked, "reference")} looked at`;
  const faults = omitted > 0
    ? `${formatItems(errors.length, "fault")} and ${formatCount(omitted)} more`
    : formatItems(errors.length, "fault");
  await writeListing(io, options, {
    json: report,
    rows: errors,
    columns: [
      { name: "type", value: ({ type }) => type },
      { name: "entity", value: ({ entity }) => entity },
      { name: "detail", value: ({ detail }) => detail },
    ],
    text: ({ style }) => [
      ...errors.map(({ type, entity, detail }) =>
        `${style.bad(type)}  ${toPrintable(entity)}: ${toPrintable(detail)}`
      ),
      ok ? `All is well: ${looked}` : `${faults}: ${looked}`,
    ],
  });
  return errors.every(({ type }) => OF_CONTENT.has(type))
    ? 0
    : EXIT_CODES.corrupt;
}

/** Removes the sections that no document has, after a question. */
export async function gc(io: CliIo, options: GcOptions): Promise<number> {
  await using kb = await openForReading(io, options);
  const found = await kb.gc({ dryRun: true });
  const isDry = options.dryRun === true;
  const count = formatItems(found.removedSections, "section");
  const size = formatBytes(found.removedBytes);
  if (!isDry && found.removedSections > 0) {
    if (options.yes !== true) {
      const named = found.sections.slice(0, NAMED).map(({ kbid, heading }) =>
        `  ${kbid}  ${toPrintable(heading ?? "")}`.trimEnd()
      );
      const more = found.removedSections - named.length;
      writeLines(io.err, named);
      if (more > 0) writeLines(io.err, [`  … and ${formatCount(more)} more`]);
    }
    await confirm(
      io,
      `Remove ${count} that no document has (${size})?`,
      options.yes,
    );
  }
  const report = isDry ? found : await kb.gc();
  const done = formatItems(report.removedSections, "section");
  await writeListing(io, options, {
    json: { ...report, dryRun: isDry },
    rows: report.sections,
    columns: [
      { name: "kbid", value: ({ kbid }) => kbid },
      { name: "type", value: ({ type }) => type },
      { name: "heading", value: ({ heading }) => heading },
    ],
    text: () =>
      report.sections.map(({ kbid, heading }) =>
        `${isDry ? "Would remove" : "Removed"} ${kbid}  ${
          toPrintable(heading ?? "")
        }`.trimEnd()
      ),
    notes: options.format === "json" ? [] : [
      report.removedSections === 0
        ? "Every section belongs to a document"
        : `${done}, ${formatBytes(report.removedBytes)}${
          isDry ? "; nothing was removed" : ""
        }`,
    ],
  });
  return 0;
}

/** Makes all that can be derived anew. */
export async function rebuild(
  io: CliIo,
  options: RebuildOptions,
): Promise<number> {
  await using kb = await openForReading(io, options, {
    model: options.embed,
  });
  const report = await withUpkeepProgress(
    io,
    "rebuild",
    (upkeep) => kb.rebuild(upkeep),
  );
  const started = performance.now();
  const embedding = options.embed ? await embedWithProgress(io, kb) : undefined;
  if (options.format === "json") {
    writeJson(io, { ...report, embedding });
    return 0;
  }
  const { sectionsReindexed, termsIndexed, pendingChunks } = report;
  writeLines(io.out, [
    `Rebuilt ${formatItems(sectionsReindexed, "section")}, ${
      formatCount(termsIndexed)
    } distinct words`,
    ...(embedding === undefined
      ? pendingChunks === 0 ? [] : [
        `${
          formatItems(pendingChunks, "chunk")
        } without a vector; run: kbdb embed`,
      ]
      : describeEmbedding(embedding, (performance.now() - started) / 1000)),
  ]);
  return 0;
}

async function withUpkeepProgress<R>(
  io: CliIo,
  phase: "check" | "rebuild",
  work: (options: UpkeepOptions) => R | Promise<R>,
): Promise<R> {
  const line = new ProgressLine(io.err);
  try {
    return await work({
      signal: io.signal,
      onProgress: ({ done, total }) =>
        line.update({
          phase,
          done,
          total,
          doneSize: done,
          totalSize: total,
        }),
    });
  } catch (error) {
    throw io.signal.aborted ? stopped(UPKEEP_KEPT[phase]) : error;
  } finally {
    line.clear();
  }
}
