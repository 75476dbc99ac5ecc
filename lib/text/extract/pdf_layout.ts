/** A run of text on a page; y grows upwards, in points. */
export interface PdfRun {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  /** Height of its letters. */
  readonly size: number;
}

/** Most runs of a page that are put in order by their columns; more keep the order of the file. */
const ORDERED_RUNS = 5_000;
/** Narrowest space between two columns, in points. */
const GUTTER = 10;
/** A side of a gutter with fewer or shorter lines is a part of a table, not a column. */
const COLUMN_LINES = 4;
const COLUMN_CHARS = 18;
const CUT_DEPTH = 40;

/** Joins items that follow each other on one line to runs. */
export function joinRuns(items: readonly PdfRun[]): PdfRun[] {
  const runs: PdfRun[] = [];
  for (const item of items) {
    const last = runs.at(-1);
    const gap = last === undefined ? 0 : item.x - last.x - last.width;
    const isNext = last !== undefined &&
      Math.abs(item.y - last.y) < 0.5 * Math.max(item.size, last.size) &&
      gap > -0.5 * item.size && gap < item.size;
    if (!isNext) {
      if (item.text.trim() !== "") runs.push(item);
      continue;
    }
    const space = gap > 0.15 * item.size && !last.text.endsWith(" ") ? " " : "";
    runs[runs.length - 1] = {
      ...last,
      text: last.text + space + item.text,
      width: item.x + item.width - last.x,
      size: Math.max(last.size, item.size),
    };
  }
  return runs;
}

/** Puts the runs of a page into the order in which they are read: by columns, from the top. */
export function orderRuns(runs: readonly PdfRun[]): PdfRun[] {
  return runs.length > ORDERED_RUNS ? [...runs] : cut(runs, 0);
}

function cut(runs: readonly PdfRun[], depth: number): PdfRun[] {
  if (runs.length < 2 || depth > CUT_DEPTH) return byLine(runs);
  const columns = splitColumns(runs);
  if (columns !== undefined) {
    return columns.flatMap((part) => cut(part, depth + 1));
  }
  const parts = splitRows(runs);
  return parts === undefined
    ? byLine(runs)
    : parts.flatMap((part) => cut(part, depth + 1));
}

/** Parts runs at a space that reaches from the top to the bottom of them. */
function splitColumns(
  runs: readonly PdfRun[],
): [PdfRun[], PdfRun[]] | undefined {
  const sorted = runs.toSorted((a, b) => a.x - b.x);
  let end = -Infinity;
  for (const [index, run] of sorted.entries()) {
    if (index > 0 && run.x - end >= GUTTER) {
      const left = sorted.slice(0, index);
      const right = sorted.slice(index);
      if (isColumn(left) && isColumn(right)) return [left, right];
    }
    end = Math.max(end, run.x + run.width);
  }
  return undefined;
}

function isColumn(runs: readonly PdfRun[]): boolean {
  const chars = runs.reduce((sum, { text }) => sum + text.length, 0);
  return runs.length >= COLUMN_LINES && chars >= runs.length * COLUMN_CHARS;
}

/** Parts runs at the largest space that reaches from side to side. */
function splitRows(runs: readonly PdfRun[]): [PdfRun[], PdfRun[]] | undefined {
  const sorted = byLine(runs);
  let best = 0;
  let at = 0;
  for (let index = 1; index < sorted.length; index++) {
    const above = sorted[index - 1];
    const below = sorted[index];
    if (above === undefined || below === undefined) continue;
    const gap = above.y - below.y - below.size;
    if (gap > 0.7 * below.size && gap > best) {
      best = gap;
      at = index;
    }
  }
  return at === 0 ? undefined : [sorted.slice(0, at), sorted.slice(at)];
}

/** Sorts by line from the top, then from the left. */
function byLine(runs: readonly PdfRun[]): PdfRun[] {
  const sorted = runs.toSorted((a, b) => b.y - a.y);
  const lines: PdfRun[][] = [];
  for (const run of sorted) {
    const line = lines.at(-1);
    const first = line?.[0];
    if (line !== undefined && first !== undefined && isSameLine(first, run)) {
      line.push(run);
    } else lines.push([run]);
  }
  return lines.flatMap((line) => line.toSorted((a, b) => a.x - b.x));
}

/** Says whether two runs stand beside each other. */
export function isSameLine(a: PdfRun, b: PdfRun): boolean {
  return Math.abs(a.y - b.y) < 0.4 * Math.min(a.size, b.size);
}

/** A line of a page. */
export interface PdfLine {
  readonly text: string;
  /** Whether a space parts it from the line above. */
  readonly isApart: boolean;
  readonly y: number;
}

/** Joins runs in reading order to lines. */
export function toLines(runs: readonly PdfRun[]): PdfLine[] {
  const lines: { text: string; isApart: boolean; y: number }[] = [];
  let before: PdfRun | undefined;
  for (const run of runs) {
    const text = run.text.replace(/\s+/g, " ").trim();
    const line = lines.at(-1);
    if (line !== undefined && before !== undefined && isSameLine(before, run)) {
      line.text += `  ${text}`;
    } else {
      const step = before === undefined ? 0 : before.y - run.y;
      const isApart = step < 0 ||
        step > 1.7 * Math.max(run.size, before?.size ?? 0) ||
        Math.abs(run.size - (before?.size ?? run.size)) > 1;
      lines.push({ text, isApart, y: run.y });
    }
    before = run;
  }
  return lines;
}

/** A word that is parted at the end of a line. */
const PARTED = /(\p{L}+)[-\u00ad\u2010]\n(\p{Ll}+)/gu;

/**
 * Joins words that are parted at line ends; one that is written with its hyphen elsewhere in the
 * document keeps it.
 *
 * @param compounds Words with hyphens in the document, lower case.
 */
export function joinWords(
  text: string,
  compounds: ReadonlySet<string>,
): string {
  return text.replace(PARTED, (_, head: string, tail: string) => {
    const compound = `${head}-${tail}`;
    return compounds.has(compound.toLowerCase())
      ? `${compound}`
      : `${head}${tail}`;
  });
}
