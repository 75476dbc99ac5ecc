import { pathToFileURL } from "node:url";
import type { CliIo, TextSink } from "../io.ts";

/** Styles for a terminal; plain text elsewhere. */
export interface Style {
  /** Stands out. */
  readonly bold: (text: string) => string;
  /** Steps back. */
  readonly dim: (text: string) => string;
  /** A term that was found. */
  readonly match: (text: string) => string;
  /** Something is wrong. */
  readonly bad: (text: string) => string;
}

/** How answers are shown to whoever reads them. */
export interface View {
  /** Styles of the stream. */
  readonly style: Style;
  /** Whether a person watches. */
  readonly isTerminal: boolean;
  /** Width of the terminal in columns; `undefined` if lines may be of any length. */
  readonly columns: number | undefined;
  /** Current time in milliseconds. */
  readonly nowMs: number;
  /** Makes a text lead to a file on terminals that can follow it. */
  readonly link: (text: string, path: string) => string;
}

type Environment = CliIo["env"];

/** Styles that suit a sink: on terminals unless `NO_COLOR` is set, and wherever `FORCE_COLOR` asks for them. */
export function styleFor(sink: TextSink, env: Environment): Style {
  const on = hasColour(sink, env);
  const wrap = (code: string) => (text: string) =>
    on && text !== "" ? `\x1b[${code}m${text}\x1b[0m` : text;
  return {
    bold: wrap("1"),
    dim: wrap("2"),
    match: wrap("1;33"),
    bad: wrap("31"),
  };
}

function hasColour(sink: TextSink, env: Environment): boolean {
  const forced = env["FORCE_COLOR"] ?? "";
  if (forced !== "") return forced !== "0" && forced !== "false";
  return isTerminal(sink, env) && (env["NO_COLOR"] ?? "") === "";
}

function isTerminal(sink: TextSink, env: Environment): boolean {
  return sink.isTTY === true && env["TERM"] !== "dumb";
}

/** How answers of a command are shown. */
export function viewOf(io: CliIo): View {
  const watched = isTerminal(io.out, io.env);
  return {
    style: styleFor(io.out, io.env),
    isTerminal: io.out.isTTY === true,
    columns: io.out.isTTY === true ? io.out.columns : undefined,
    nowMs: io.now?.() ?? Date.now(),
    link: (text, path) =>
      watched
        ? `\x1b]8;;${pathToFileURL(path).href}\x1b\\${text}\x1b]8;;\x1b\\`
        : text,
  };
}
