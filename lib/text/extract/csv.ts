import { normalizeText } from "../preprocess.ts";
import { type Row, TABLE_COLUMNS, tableToSections } from "./table.ts";
import { ExtractError } from "./types.ts";
import type { Extracted, ExtractInput } from "./types.ts";

/**
 * Extracts a table of comma- or tab-separated values: rows as a Markdown table with its header in each
 * section, or as `column: value` where rows are wide. No row is cut.
 */
export function extractCsv(
  { text = "", mime }: ExtractInput,
): Promise<Extracted> {
  const normal = normalizeText(text);
  const delimiter = mime === "text/tab-separated-values"
    ? "\t"
    : findDelimiter(normal);
  const { columns, sections } = tableToSections(rowsOf(normal, delimiter));
  const warnings = columns !== undefined || sections.length === 0
    ? []
    : ["The table has no header; its columns are numbered."];
  return Promise.resolve({
    title: null,
    docType: "sheet",
    tags: [],
    metadata: columns === undefined ? {} : { columns: [...columns] },
    sections,
    warnings,
  });
}

/** Takes the delimiter that parts the first line into most cells. */
function findDelimiter(text: string): string {
  const line = text.slice(0, text.indexOf("\n") >>> 0).slice(0, 10_000)
    .replace(/"[^"]*"/g, "");
  const counts = [",", ";", "\t", "|"].map((delimiter) =>
    [delimiter, line.split(delimiter).length] as const
  );
  const [best] = counts.toSorted((a, b) => b[1] - a[1]);
  return best?.[0] ?? ",";
}

/** Reads rows as RFC 4180 has them; a quote that is never closed reaches to the end of its line. */
function* rowsOf(text: string, delimiter: string): Generator<Row> {
  let line = 1;
  for (let at = 0; at < text.length;) {
    const lineStart = line;
    const cells: string[] = [];
    let isLast = false;
    while (!isLast) {
      const cell = readCell(text, at, delimiter);
      cells.push(cell.value);
      if (cells.length > TABLE_COLUMNS) {
        throw new ExtractError(
          "too_large",
          `Line ${line} has more than ${TABLE_COLUMNS} columns.`,
        );
      }
      line += cell.lines;
      isLast = text[cell.end] !== delimiter;
      at = cell.end + 1;
    }
    if (cells.some((cell) => cell.trim() !== "")) {
      yield { cells, lineStart, lineEnd: line };
    }
    line++;
  }
}

/** Reads one cell; `end` is where its delimiter, its line feed or the end of the text stands. */
function readCell(
  text: string,
  start: number,
  delimiter: string,
): { value: string; end: number; lines: number } {
  const quoted = text[start] === '"'
    ? readQuoted(text, start, delimiter)
    : undefined;
  if (quoted !== undefined) return quoted;
  const lineEnd = text.indexOf("\n", start) >>> 0;
  const limit = Math.min(lineEnd, text.length);
  const found = text.indexOf(delimiter, start);
  const end = found === -1 || found > limit ? limit : found;
  return { value: text.slice(start, end).trim(), end, lines: 0 };
}

/** Longest quoted cell; one that is longer was never closed, in UTF-16 units. */
const QUOTED_CHARS = 100_000;

function readQuoted(
  text: string,
  start: number,
  delimiter: string,
): { value: string; end: number; lines: number } | undefined {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote === -1 || quote - start > QUOTED_CHARS) return undefined;
    if (text[quote + 1] === '"') {
      at = quote + 2;
      continue;
    }
    const next = text[quote + 1];
    if (next !== undefined && next !== delimiter && next !== "\n") {
      return undefined;
    }
    const raw = text.slice(start + 1, quote);
    return {
      value: raw.replaceAll('""', '"').trim(),
      end: quote + 1,
      lines: raw.split("\n").length - 1,
    };
  }
}
