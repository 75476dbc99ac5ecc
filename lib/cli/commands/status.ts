import type { Status } from "../../kb/mod.ts";
import { formatBytes, formatCount } from "../format.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { writeRecord } from "../output/write.ts";
import { openForReading } from "../session.ts";

/** Says what the base holds. */
export async function status(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const state = await kb.status();
  const { vectors } = state;
  const by = (counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, count]) =>
      `${name} ${formatCount(count)}`
    ).join(", ");
  const list = (name: string, counts: Readonly<Record<string, number>>) => ({
    name,
    value: JSON.stringify(counts),
    text: by(counts),
  });
  const count = (name: string, number: number, more = "") => ({
    name,
    value: number,
    text: `${formatCount(number)}${more}`,
  });
  const lacking = vectors.available ? "" : ", not available";
  await writeRecord(io, options, {
    json: state,
    facts: [
      { name: "base", value: state.dir },
      count("documents", state.documents),
      list("types", state.documentsByType),
      list("collections", state.documentsByCollection),
      list("jobs", state.jobsByStatus),
      count("sections", state.sections),
      count("chunks", state.chunks),
      count("vectors", vectors.vectors, `  (${vectors.model}${lacking})`),
      {
        name: "database",
        value: state.databaseBytes,
        text: `${
          formatBytes(state.databaseBytes)
        }, schema ${state.schemaVersion}, SQLite ${state.sqliteVersion}`,
      },
    ],
    notes: options.format === "json" ? [] : toNotes(state),
  });
  return 0;
}

/** What is not as it should be, and what to do. */
function toNotes({ vectors }: Status): string[] {
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
  return notes.map((note) => `note: ${note}`);
}
