import { relative, sep } from "node:path";
import type { TextSink } from "./io.ts";

const NUMBER = new Intl.NumberFormat("en-US");

/** Writes a whole number with separators. */
export function formatCount(count: number): string {
  return NUMBER.format(count);
}

/** Writes a count with its word: `1 file`, `2 files`. */
export function formatItems(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`;
}

/** Writes a size in the unit that fits. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${(bytes / 1e3).toFixed(1)} kB`;
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(2)} GB`;
}

/** Writes a time span: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
}

/** Shortens a path below the working directory. */
export function formatPath(path: string, cwd: string): string {
  return path.startsWith(cwd.endsWith(sep) ? cwd : cwd + sep)
    ? relative(cwd, path)
    : path;
}

/** Takes control characters out of text that goes to a terminal, so that no file can steer it. */
export function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");
}

/** Styles for a terminal; plain text elsewhere. */
export interface Style {
  /** Stands out. */
  readonly bold: (text: string) => string;
  /** Steps back. */
  readonly dim: (text: string) => string;
}

/** Styles that suit a sink; none if `NO_COLOR` is set. */
export function styleFor(
  sink: TextSink,
  env: Readonly<Record<string, string | undefined>>,
): Style {
  const on = sink.isTTY === true && (env["NO_COLOR"] ?? "") === "";
  const wrap = (code: number) => (text: string) =>
    on ? `\x1b[${code}m${text}\x1b[0m` : text;
  return { bold: wrap(1), dim: wrap(2) };
}

/** Lays out rows in columns, two spaces apart; the last column is not padded. */
export function formatTable(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    }
  }
  return rows.map((row) =>
    row.map((cell, column) =>
      column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)
    )
      .join("  ").trimEnd()
  );
}
