import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import {
  type Column,
  toCsv,
  toMarkdown,
  toText,
  type Value,
} from "./columns.ts";
import type { toTable } from "./table.ts";
import { type View, viewOf } from "./view.ts";

/** Rows that answer a command, in every format. */
export interface Listing<T> {
  /** The answer as one JSON document; the rows otherwise. */
  readonly json?: unknown;
  /** One record a row; as it is what `jsonl` writes. */
  readonly rows: readonly T[];
  /** How rows become tables. */
  readonly columns: readonly Column<T>[];
  /** What people read instead of the table. */
  readonly text?: (
    view: View,
  ) => readonly string[] | Promise<readonly string[]>;
  /** What people read, on standard error, if there are no rows. */
  readonly empty?: string;
  /** What people should know besides, on standard error. */
  readonly notes?: readonly string[];
}

/** Writes rows in the format that was asked for. */
export async function writeListing<T>(
  io: CliIo,
  { format }: GlobalOptions,
  listing: Listing<T>,
): Promise<void> {
  const { rows, columns, notes = [] } = listing;
  if (format === "json") return writeJson(io, listing.json ?? rows);
  if (format === "jsonl") writeJsonLines(io, rows);
  else if (format === "csv") writeLines(io.out, toCsv(rows, columns));
  else if (format === "md") writeLines(io.out, toMarkdown(rows, columns));
  else {
    const view = viewOf(io);
    writeLines(
      io.out,
      await (listing.text?.(view) ?? layOut(rows, columns, view)),
    );
    if (rows.length === 0 && listing.empty !== undefined) {
      writeLines(io.err, [listing.empty]);
    }
  }
  writeLines(io.err, notes);
}

/** Lays out a table by code that is loaded only here, as most of it is tables of Unicode. */
export async function layOut<T>(
  ...table: Parameters<typeof toTable<T>>
): Promise<string[]> {
  const { toTable } = await import("./table.ts");
  return toTable(...table);
}

function writeJsonLines(io: CliIo, rows: readonly unknown[]): void {
  writeLines(io.out, rows.map((row) => JSON.stringify(row)));
}

/** One thing known of what was asked for. */
export interface Fact {
  /** Its name in every format. */
  readonly name: string;
  /** What other programs get. */
  readonly value: Value;
  /** What people read; the value otherwise. People are not shown what is empty. */
  readonly text?: string;
}

/** Writes one record in the format that was asked for: by fact for people and Markdown, else as one row. */
export async function writeRecord(
  io: CliIo,
  options: GlobalOptions,
  record: {
    readonly json: object;
    readonly facts: readonly Fact[];
    readonly notes?: readonly string[];
  },
): Promise<void> {
  const { json, facts, notes = [] } = record;
  if (options.format === "csv" || options.format === "jsonl") {
    return await writeListing(io, options, {
      rows: [json],
      columns: facts.map(({ name, value }) => ({ name, value: () => value })),
      notes,
    });
  }
  await writeListing(io, options, {
    json,
    rows: facts,
    columns: [
      { name: "name", value: ({ name }) => name },
      { name: "value", value: ({ value }) => value },
    ],
    text: (view) =>
      layOut(
        facts.filter(({ value, text }) => (text ?? toText(value)) !== ""),
        [
          {
            name: "name",
            value: ({ name }) => name,
            paint: (text) => view.style.dim(text),
          },
          {
            name: "value",
            value: ({ value }) => value,
            text: ({ text, value }) => text ?? toText(value),
          },
        ],
        // A fact is read whole, however long, and needs no header.
        { ...view, isTerminal: false, columns: undefined },
      ),
    notes,
  });
}
