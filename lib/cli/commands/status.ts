import { formatBytes, formatCount, formatTable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { openForReading } from "../session.ts";
import { describeEmbedding, embedWithProgress } from "./embedding.ts";
import { EXIT_CODES } from "../exit_codes.ts";

/** Says what the base holds. */
export async function status(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const state = await kb.status();
  if (options.format === "json") {
    writeJson(io, state);
    return 0;
  }
  const { vectors } = state;
  const by = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, count]) =>
      `${name} ${formatCount(count)}`
    ).join(", ");
  const rows: string[][] = [
    ["base", state.dir],
    [
      "documents",
      `${formatCount(state.documents)}${
        state.documents > 0 ? `  (${by(state.documentsByType)})` : ""
      }`,
    ],
    ["collections", by(state.documentsByCollection)],
    ["sections", formatCount(state.sections)],
    ["chunks", formatCount(state.chunks)],
    [
      "vectors",
      `${formatCount(vectors.vectors)}  (${vectors.model}${
        vectors.available ? "" : ", not available"
      })`,
    ],
    [
      "database",
      `${
        formatBytes(state.databaseBytes)
      }, schema ${state.schemaVersion}, SQLite ${state.sqliteVersion}`,
    ],
  ];
  writeLines(io.out, formatTable(rows));
  const notes: string[] = [];
  if (vectors.problem !== undefined) notes.push(vectors.problem);
  if (vectors.pendingChunks > 0) {
    notes.push(
      `${
        formatCount(vectors.pendingChunks)
      } chunks wait for a vector; run: kbdb embed`,
    );
  }
  if (vectors.otherVectors > 0) {
    notes.push(
      `${
        formatCount(vectors.otherVectors)
      } vectors are of another model and are not used`,
    );
  }
  writeLines(io.out, notes.map((note) => `note: ${note}`));
  return 0;
}

/** Makes the vectors that are missing. */
export async function embed(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options, { model: true });
  const started = performance.now();
  const outcome = await embedWithProgress(io, kb);
  if (options.format === "json") writeJson(io, outcome);
  else {
    const lines = describeEmbedding(
      outcome,
      (performance.now() - started) / 1000,
    );
    writeLines(
      io.out,
      lines.length === 0 ? ["Every chunk has a vector"] : lines,
    );
  }
  return "problem" in outcome ? EXIT_CODES.model_unavailable : 0;
}
