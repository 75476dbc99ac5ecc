import { normalizeText } from "../preprocess.ts";
import type { TextSection } from "../types.ts";
import { ExtractError } from "./types.ts";
import type { Extracted, ExtractInput } from "./types.ts";

/** Length a section aims at, in UTF-16 units: about one chunk, so that each has the header. */
const SECTION_CHARS = 1_200;
/** Rows that are longer on average, or have more columns, are written line by line. */
const ROW_CHARS = 160;
const TABLE_COLUMNS = 12;
/** Rows that tell how a table looks. */
const SAMPLE_ROWS = 100;
/** Most columns. */
const COLUMNS = 10_000;

/** A row and the lines it stands on, from 1. */
interface Row {
  readonly cells: readonly string[];
  readonly lineStart: number;
  readonly lineEnd: number;
}

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
  const sample: Row[] = [];
  for (const row of rowsOf(normal, delimiter)) {
    sample.push(row);
    if (sample.length > SAMPLE_ROWS) break;
  }
  const [first] = sample;
  const hasHeader = first !== undefined && isHeader(first, sample[1]);
  const columns = hasHeader ? first.cells : [];
  const warnings = hasHeader || first === undefined
    ? []
    : ["The table has no header; its columns are numbered."];
  const sections = [...toSections(rowsOf(normal, delimiter), {
    columns,
    hasHeader,
    isTable: isNarrow(sample),
  })];
  return Promise.resolve({
    title: null,
    docType: "sheet",
    tags: [],
    metadata: hasHeader ? { columns: [...columns] } : {},
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
      if (cells.length > COLUMNS) {
        throw new ExtractError(
          "too_large",
          `Line ${line} has more than ${COLUMNS} columns.`,
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

/** A header names every column once, and no name is a number. */
function isHeader({ cells }: Row, second: Row | undefined): boolean {
  return second !== undefined &&
    new Set(cells).size === cells.length &&
    cells.every((cell) => cell !== "" && !/^[-+]?[\d.,\s%€$]+$/.test(cell));
}

function isNarrow(rows: readonly Row[]): boolean {
  const chars = rows.reduce(
    (sum, { cells }) => sum + cells.reduce((all, cell) => all + cell.length, 0),
    0,
  );
  return rows.every(({ cells }) => cells.length <= TABLE_COLUMNS) &&
    chars <= rows.length * ROW_CHARS;
}

interface Layout {
  readonly columns: readonly string[];
  readonly hasHeader: boolean;
  readonly isTable: boolean;
}

/** Joins rows to sections. */
function* toSections(
  rows: Iterable<Row>,
  { columns, hasHeader, isTable }: Layout,
): Generator<TextSection> {
  let texts: string[] = [];
  let chars = 0;
  let lines = { lineStart: 1, lineEnd: 1 };
  let isFirst = hasHeader;
  let width = columns.length;
  function section(): TextSection {
    const content = isTable
      ? [toTableHead(columns, width), ...texts].join("\n")
      : texts.join("\n\n");
    return {
      title: null,
      headingPath: [],
      level: 0,
      content,
      mime: "text/markdown",
      ...lines,
      links: [],
    };
  }
  for (const { cells, lineStart, lineEnd } of rows) {
    if (isFirst) {
      isFirst = false;
      continue;
    }
    const text = isTable ? toTableRow(cells) : toRecord(cells, columns);
    if (texts.length > 0 && chars + text.length > SECTION_CHARS) {
      yield section();
      texts = [];
      chars = 0;
    }
    if (texts.length === 0) {
      lines = { lineStart, lineEnd };
      width = columns.length;
    }
    width = Math.max(width, cells.length);
    texts.push(text);
    chars += text.length;
    lines = { ...lines, lineEnd };
  }
  if (texts.length > 0) yield section();
}

function columnName(columns: readonly string[], index: number): string {
  return columns[index] ?? `column ${index + 1}`;
}

function toTableRow(cells: readonly string[]): string {
  return `| ${
    cells.map((cell) => cell.replace(/\s+/g, " ").replaceAll("|", "\\|")).join(
      " | ",
    )
  } |`;
}

function toTableHead(columns: readonly string[], width: number): string {
  const names = Array.from(
    { length: width },
    (_, index) => columnName(columns, index),
  );
  return `${toTableRow(names)}\n|${" --- |".repeat(width)}`;
}

/** A row as lines of `column: value`; empty cells are left out. */
function toRecord(
  cells: readonly string[],
  columns: readonly string[],
): string {
  return cells.flatMap((cell, index) =>
    cell === "" ? [] : [`${columnName(columns, index)}: ${cell}`]
  ).join("\n");
}
