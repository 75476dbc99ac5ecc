import type { TextSection } from "../types.ts";

/** Most columns of a table. */
export const TABLE_COLUMNS = 10_000;
/** Length a section aims at, in UTF-16 units: about one chunk, so that each has the header. */
const SECTION_CHARS = 1_200;
/** Rows that are longer on average, or have more columns, are written line by line. */
const ROW_CHARS = 160;
const NARROW_COLUMNS = 12;
/** Rows that tell how a table looks. */
const SAMPLE_ROWS = 100;

/** A row and the lines it stands on, from 1. */
export interface Row {
  readonly cells: readonly string[];
  readonly lineStart: number;
  readonly lineEnd: number;
}

/** A table that was cut. */
export interface TableSections {
  /** Names of its columns; `undefined` if it has no header. */
  readonly columns?: readonly string[];
  readonly sections: readonly TextSection[];
}

/**
 * Cuts a table between its rows: as a Markdown table that repeats its header in each section, or as
 * `column: value` where rows are wide.
 */
export function tableToSections(rows: Iterable<Row>): TableSections {
  const source = rows[Symbol.iterator]();
  const sample: Row[] = [];
  for (let step = source.next(); !step.done; step = source.next()) {
    sample.push(step.value);
    if (sample.length > SAMPLE_ROWS) break;
  }
  const [first] = sample;
  const hasHeader = first !== undefined && isHeader(first, sample[1]);
  const columns = hasHeader ? first.cells : [];
  const sections = [...toSections(chain(sample, source), {
    columns,
    hasHeader,
    isTable: isNarrow(sample),
  })];
  return { sections, ...(hasHeader ? { columns } : {}) };
}

/** Rows that were taken already, then the rest. */
function* chain(
  sample: readonly Row[],
  source: Iterator<Row>,
): Generator<Row> {
  yield* sample;
  for (let step = source.next(); !step.done; step = source.next()) {
    yield step.value;
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
  return rows.every(({ cells }) => cells.length <= NARROW_COLUMNS) &&
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
