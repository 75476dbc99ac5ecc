import { KbError } from "../../core/mod.ts";
import type { Engine } from "../../kb/mod.ts";
import { toPrintable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { formatAge } from "../output/age.ts";
import { type Style, viewOf } from "../output/view.ts";
import { writeListing } from "../output/write.ts";
import { openForReading } from "../session.ts";

/** Options of `kbdb history`. */
export interface HistoryOptions extends GlobalOptions {
  /** Versions to compare: `N` or `N..M`; `true` for the last one. */
  readonly diff?: string | true;
  /** Version to bring back. */
  readonly restore?: number;
}

/** Lists what a note said before, compares it, or brings it back. */
export async function history(
  io: CliIo,
  ref: string,
  options: HistoryOptions,
): Promise<number> {
  const rows = options.format !== "text" && options.format !== "json";
  if (rows && (options.diff ?? options.restore) !== undefined) {
    throw new KbError(
      "invalid_input",
      `A diff and a restored note come as text or json, not as ${options.format}`,
    );
  }
  await using kb = await openForReading(io, options, {
    model: options.restore !== undefined,
  });
  if (options.restore !== undefined) {
    return await restore(io, kb, ref, { ...options, restore: options.restore });
  }
  if (options.diff !== undefined) {
    return await diff(io, kb, ref, { ...options, diff: options.diff });
  }
  const versions = await kb.noteHistory(ref);
  const { id, docType } = await kb.summary(ref);
  if (docType !== "note") {
    throw new KbError(
      "invalid_input",
      `Document ${id} is of type ${docType}: only notes have a history`,
    );
  }
  await writeListing(io, options, {
    rows: versions,
    columns: [
      { name: "version", value: ({ version }) => version, align: "right" },
      {
        name: "written",
        value: ({ writtenAt }) => writtenAt,
        text: ({ writtenAt }, { nowMs }) => formatAge(writtenAt, nowMs),
      },
      {
        name: "replaced",
        value: ({ replacedAt }) => replacedAt,
        text: ({ replacedAt }, { nowMs }) =>
          `replaced ${formatAge(replacedAt, nowMs)}`,
      },
      { name: "title", value: ({ title }) => title },
      {
        name: "text",
        value: ({ content }) => content,
        text: ({ content }) => content.slice(0, 80),
      },
    ],
    empty: "It says what it always said; there are no versions before",
  });
  return 0;
}

async function restore(
  io: CliIo,
  kb: Engine,
  ref: string,
  options: GlobalOptions & { readonly restore: number },
): Promise<number> {
  const report = await kb.restoreNote(ref, options.restore, {
    signal: io.signal,
  });
  if (options.format === "json") writeJson(io, report);
  else {
    const { document, changed } = report;
    io.out.write(
      changed
        ? `Note ${document.id} says what version ${options.restore} said; what it said until now is kept as a version\n`
        : `Note ${document.id} says that already\n`,
    );
  }
  return 0;
}

async function diff(
  io: CliIo,
  kb: Engine,
  ref: string,
  options: GlobalOptions & { readonly diff: string | true },
): Promise<number> {
  const last = (await kb.noteHistory(ref)).at(-1)?.version;
  const range = options.diff === true ? { from: last } : toRange(options.diff);
  if (range.from === undefined) {
    throw new KbError(
      "not_found",
      `"${ref}" has no versions before to compare with`,
    );
  }
  const text = await kb.diffNote(ref, { ...range, from: range.from });
  if (options.format === "json") writeJson(io, { ...range, diff: text });
  else if (text === "") writeLines(io.err, ["Nothing differs"]);
  else {
    const { style } = viewOf(io);
    writeLines(
      io.out,
      text.trimEnd().split("\n").map((line) => paint(line, style)),
    );
  }
  return 0;
}

function toRange(text: string): { from: number; to?: number } {
  const [, from, to] = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(text) ?? [];
  if (from !== undefined) {
    return {
      from: Number(from),
      ...(to === undefined ? {} : { to: Number(to) }),
    };
  }
  throw new KbError(
    "invalid_input",
    `"${text}" names no versions; use --diff N, or --diff N..M`,
  );
}

function paint(line: string, style: Style): string {
  const text = toPrintable(line);
  if (/^(---|\+\+\+|@@)/.test(line)) return style.dim(text);
  if (line.startsWith("+")) return style.bold(text);
  return line.startsWith("-") ? style.bad(text) : text;
}
