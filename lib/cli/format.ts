import { relative, sep } from "node:path";

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
