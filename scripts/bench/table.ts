/** One measurement. */
export interface Row {
  /** Part of the benchmark. */
  readonly part: string;
  /** What was measured. */
  readonly measure: string;
  /** Median, or the only value; a sentence where there is none. */
  readonly value: number | string;
  /** 95th percentile, where there is one. */
  readonly p95?: number;
  /** Unit of both. */
  readonly unit?: string;
  /** Ratio to a budget or to another row. */
  readonly note?: string;
}

/** Takes rows as they are measured. */
export type Report = (row: Row) => void;

const WIDTHS = { part: 9, measure: 46, value: 11, p95: 9, unit: 9 };

/** Writes a number with three or so digits that mean something. */
export function toText(value: number): string {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 1000) {
    return String(Math.round(value));
  }
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size > 1 ? 2 : 4);
}

/** Writes how many times `of` a value is. */
export function ratio(value: number, of: number, name: string): string {
  const times = value / of;
  return `${times.toFixed(times >= 10 ? 1 : 2)} x ${name}`;
}

/** The line above the rows. */
export function headerLine(): string {
  return toLine(["part", "measure", "median", "p95", "unit", "note"]);
}

/** A row as a line of the table. */
export function rowLine(
  { part, measure, value, p95, unit, note }: Row,
): string {
  if (typeof value === "string") {
    return `${part.padEnd(WIDTHS.part)} ${
      measure.padEnd(WIDTHS.measure)
    } ${value}`;
  }
  return toLine([
    part,
    measure,
    toText(value),
    p95 === undefined ? "" : toText(p95),
    unit ?? "",
    note ?? "",
  ]);
}

function toLine(
  [part = "", measure = "", value = "", p95 = "", unit = "", note = ""]:
    readonly string[],
): string {
  return [
    part.padEnd(WIDTHS.part),
    measure.padEnd(WIDTHS.measure),
    value.padStart(WIDTHS.value),
    p95.padStart(WIDTHS.p95),
    unit.padEnd(WIDTHS.unit),
    note,
  ].join(" ").trimEnd();
}
