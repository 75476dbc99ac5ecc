import type { HeadingMark } from "../text/mod.ts";

/** Deepest level a heading can have. */
const LEVEL_MAX = 6;

/** Brings a heading level into 1 to 6. */
export function clampLevel(level: number): number {
  return Math.min(Math.max(level, 1), LEVEL_MAX);
}

/** Writes a heading on one line. */
export function toHeading(level: number, title: string): string {
  const line = title.replace(/\s+/g, " ").trim();
  return `${"#".repeat(clampLevel(level))} ${line}`.trimEnd();
}

/** Writes a heading of a text at another level; one that keeps its level stays as written. */
export function shiftHeading(
  written: string,
  heading: HeadingMark,
  shift: number,
): string {
  const level = clampLevel(heading.level + shift);
  return level === heading.level ? written : toHeading(level, heading.source);
}

/** Languages of fences whose names differ from those of their media types. */
const LANGUAGES: Readonly<Record<string, string>> = {
  "c++": "cpp",
  shellscript: "sh",
  "tab-separated-values": "tsv",
  ndjson: "json",
  protobuf: "proto",
};

/**
 * The language of a fence for a media type.
 *
 * @returns E.g. `python` for `text/x-python`; `undefined` for prose, which needs no fence.
 */
export function toLanguage(mime: string): string | undefined {
  const [essence = ""] = mime.split(";", 1);
  const kind = essence.trim().toLowerCase();
  if (kind === "text/markdown" || kind === "text/plain") return undefined;
  const subtype = kind.slice(kind.indexOf("/") + 1).replace(/^x-/, "");
  const suffix = /\+([a-z0-9]+)$/.exec(subtype)?.[1];
  return LANGUAGES[subtype] ?? suffix ?? subtype.replace(/[^\w#.-]/g, "");
}

/** Puts a text into a fence that is longer than any run of backticks in it. */
export function toFence(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) {
    longest = Math.max(longest, run.length);
  }
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Writes a text so that it can stand in the brackets of a link. */
export function toLabel(text: string): string {
  return text.replace(/\s+/g, " ").trim().replace(/[\\[\]]/g, "\\$&");
}
