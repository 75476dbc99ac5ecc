import type { View } from "./view.ts";

/** What a cell holds for other programs. */
export type Value = string | number | boolean | null | readonly string[];

/** One column of a listing. */
export interface Column<T> {
  /** Its name in every format. */
  readonly name: string;
  /** What other programs get. */
  readonly value: (row: T) => Value;
  /** What people read; the value otherwise. */
  readonly text?: (row: T, view: View) => string;
  /** Styles what people read; must not change its width. */
  readonly paint?: (text: string, row: T, view: View) => string;
  /** Numbers stand to the right. */
  readonly align?: "right";
  /** Left out of what people read. */
  readonly isForPrograms?: true;
}

/** Writes a value as one text. */
export function toText(value: Value): string {
  if (value === null) return "";
  return typeof value === "object" ? value.join(", ") : String(value);
}

/** Writes a table as CSV (RFC 4180), with its header; lines end in LF. */
export function toCsv<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
): string[] {
  const cell = (text: string) =>
    /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  return [
    columns.map(({ name }) => cell(name)).join(","),
    ...rows.map((row) =>
      columns.map(({ value }) => cell(toText(value(row)))).join(",")
    ),
  ];
}

/** Writes a table as Markdown. */
export function toMarkdown<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
): string[] {
  const cell = (text: string) =>
    text.replaceAll("\\", "\\\\").replaceAll("|", "\\|").replace(
      /\s*[\r\n]+\s*/g,
      " ",
    );
  const line = (texts: readonly string[]) => `| ${texts.join(" | ")} |`;
  return [
    line(columns.map(({ name }) => cell(name))),
    line(columns.map(({ align }) => align === "right" ? "---:" : "---")),
    ...rows.map((row) =>
      line(columns.map(({ value }) => cell(toText(value(row)))))
    ),
  ];
}
