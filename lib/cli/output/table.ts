import stringWidth from "string-width";
import { toPrintable } from "../format.ts";
import { type Column, toText } from "./columns.ts";
import type { View } from "./view.ts";

/** Two spaces between columns. */
const GAP = "  ";
/** A column is not made narrower than this on a small terminal. */
const NARROWEST = 12;

/** Lays out a table for people: as wide as it needs to be, and no wider than their terminal. */
export function toTable<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  view: View,
): string[] {
  const shown = columns.filter((column) => column.isForPrograms !== true);
  const cells = rows.map((row) =>
    shown.map(({ text, value }) =>
      toPrintable(text === undefined ? toText(value(row)) : text(row, view))
    )
  );
  const heads = view.isTerminal && rows.length > 0
    ? [shown.map(({ name }) => name.toUpperCase())]
    : [];
  const widths = fitWidths([...heads, ...cells], view.columns);
  const line = (texts: readonly string[], row: T | undefined) =>
    shown.map((column, index) => {
      const width = widths[index] ?? 0;
      const text = cutTo(texts[index] ?? "", width);
      const painted = row === undefined
        ? view.style.dim(text)
        : column.paint?.(text, row, view) ?? text;
      const room = " ".repeat(width - stringWidth(text));
      if (column.align === "right") return room + painted;
      return index === shown.length - 1 ? painted : painted + room;
    }).join(GAP).trimEnd();
  return [
    ...heads.map((texts) => line(texts, undefined)),
    ...rows.map((row, index) => line(cells[index] ?? [], row)),
  ];
}

/** Widths of columns; the widest give way until a line fits. */
function fitWidths(
  lines: readonly (readonly string[])[],
  room: number | undefined,
): number[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [index, text] of line.entries()) {
      widths[index] = Math.max(widths[index] ?? 0, stringWidth(text));
    }
  }
  if (room === undefined) return widths;
  let over = widths.reduce((sum, width) => sum + width, 0) +
    GAP.length * (widths.length - 1) - room;
  while (over > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= NARROWEST) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    over--;
  }
  return widths;
}

/** Cuts a text to a display width and marks the cut. */
function cutTo(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const next = used + stringWidth(segment);
    if (next > width - 1) break;
    kept += segment;
    used = next;
  }
  return `${kept}…`;
}
