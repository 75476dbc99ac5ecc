import { resolve } from "node:path";
import { exportBase, type ImportItem } from "../../kb/mod.ts";
import { getBaseDir } from "../base_dir.ts";
import { EXIT_ALL_FAILED } from "../exit_codes.ts";
import { formatItems, formatPath, toPrintable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { refuseRemote } from "../remote.ts";
import { openForWriting } from "../session.ts";
import { describeEmbedding, embedWithProgress } from "./embedding.ts";

/** Options of `kbdb export`. */
export interface ExportCommandOptions extends GlobalOptions {
  /** Collection of the documents. */
  readonly collection?: string;
  /** Type of the documents. */
  readonly type?: string;
}

/** Options of `kbdb import`. */
export interface ImportCommandOptions extends GlobalOptions {
  /** Collection of files that are not of an export. */
  readonly collection?: string;
  /** Replaces documents that changed later in the base. */
  readonly overwrite?: true;
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

/** Items that are named one by one; more are only counted. */
const NAMED_ITEMS = 20;
/** States of items that are in the base as the import has them. */
const TAKEN: ReadonlySet<string> = new Set([
  "added",
  "updated",
  "unchanged",
  "indexed",
]);

/** Writes the base in an open form. */
export async function exportTo(
  io: CliIo,
  target: string,
  options: ExportCommandOptions,
): Promise<number> {
  await refuseRemote(io, options, "export");
  const { collection, type } = options;
  const report = await exportBase(
    getBaseDir(io, options.db),
    resolve(io.cwd, target),
    {
      signal: io.signal,
      ...(collection === undefined ? {} : { collection }),
      ...(type === undefined ? {} : { docType: type }),
    },
  );
  if (options.format === "json") {
    writeJson(io, report);
    return 0;
  }
  const { documents, skills, sections, originals, originalsLeftOut } = report;
  writeLines(io.out, [
    `Wrote ${formatItems(documents, "document")}, ${
      formatItems(skills, "skill")
    }, ${formatItems(sections, "single section")} and ${
      formatItems(originals, "original")
    } to ${formatPath(report.path, io.cwd)}`,
  ]);
  if (originalsLeftOut > 0) {
    writeLines(io.err, [
      `note: ${
        formatItems(originalsLeftOut, "original")
      } left out, as JSONL holds none; export to a folder, or use kbdb backup`,
    ]);
  }
  return 0;
}

/** Takes in an export or a folder from elsewhere, then makes the vectors. */
export async function importFrom(
  io: CliIo,
  source: string,
  options: ImportCommandOptions,
): Promise<number> {
  const { collection, overwrite = false } = options;
  await using kb = await openForWriting(io, options, {
    model: options.embed,
  });
  const report = await kb.importFrom(resolve(io.cwd, source), {
    overwrite,
    signal: io.signal,
    ...(collection === undefined ? {} : { collection }),
  });
  const stored = performance.now();
  if (options.format === "text") {
    const counts = Object.entries(report.counts).map(([state, count]) =>
      `${count} ${state.replaceAll("_", " ")}`
    ).join(", ");
    writeLines(io.out, [
      `${formatPath(report.path, io.cwd)}: ${
        counts === "" ? "there is nothing in it" : counts
      }`,
      ...describeOdd(report.items),
    ]);
  }
  const embedding = options.embed ? await embedWithProgress(io, kb) : undefined;
  if (options.format === "json") writeJson(io, { ...report, embedding });
  else if (embedding !== undefined) {
    const seconds = (performance.now() - stored) / 1000;
    writeLines(io.out, describeEmbedding(embedding, seconds));
  }
  const isAnyIn = report.items.some(({ state }) => TAKEN.has(state)) ||
    report.items.every(({ state }) => state === "kept");
  return isAnyIn ? 0 : EXIT_ALL_FAILED;
}

/** Names what was not taken in as it is. */
function describeOdd(items: readonly ImportItem[]): string[] {
  const odd = items.filter(({ state }) => !TAKEN.has(state));
  const lines = odd.slice(0, NAMED_ITEMS).map(({ item, state, reason }) =>
    `  ${state.replaceAll("_", " ")}  ${toPrintable(item)}${
      reason === undefined ? "" : `: ${toPrintable(reason)}`
    }`
  );
  if (odd.length > NAMED_ITEMS) {
    lines.push(`  … and ${odd.length - NAMED_ITEMS} more; see --format json`);
  }
  return lines;
}
