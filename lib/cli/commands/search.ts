import type {
  Hit,
  SearchAnswer,
  SearchOptions,
  SearchStats,
} from "../../kb/mod.ts";
import { formatItems, formatPath, toPrintable } from "../format.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import type { Column } from "../output/columns.ts";
import type { Style, View } from "../output/view.ts";
import { layOut, writeListing } from "../output/write.ts";
import { type FilterOptions, readFilter } from "../filter.ts";
import { openForReading, readSettings } from "../session.ts";
import { SEARCH_THRESHOLD } from "../settings/table.ts";

/** Options of `kbdb search`. */
export interface SearchCommandOptions extends GlobalOptions, FilterOptions {
  /** Most hits. */
  readonly limit: number;
  /** Hits to pass over. */
  readonly offset: number;
  /** Words only. */
  readonly ftsOnly?: true;
  /** Meaning only. */
  readonly vecOnly?: true;
  /** Least score. */
  readonly threshold?: number;
  /** One hit a document. */
  readonly documents?: true;
  /** Counts instead of hits. */
  readonly stats?: true;
  /** Ranks, scores and times. */
  readonly explain?: true;
}

/** Searches the base. */
export async function search(
  io: CliIo,
  words: readonly string[],
  options: SearchCommandOptions,
): Promise<number> {
  await using kb = await openForReading(io, options, {
    model: options.ftsOnly !== true && options.stats !== true,
  });
  const query = words.join(" ");
  if (options.stats === true) {
    await writeStats(
      io,
      options,
      await kb.searchStats(query, await readFilter(io, kb, options)),
    );
    return 0;
  }
  const threshold = (await readSettings(io, options))
    .get(SEARCH_THRESHOLD, options.threshold).value;
  const answer = await kb.search(query, {
    ...await readFilter(io, kb, options),
    ...toSearchOptions(options, threshold),
    signal: io.signal,
  });
  await writeListing(io, options, {
    json: answer,
    rows: answer.hits,
    columns: COLUMNS,
    text: (view) => describeHits(io, answer, view),
    notes: options.format === "json" ? [] : toNotes(answer, options),
  });
  return 0;
}

const COLUMNS: readonly Column<Hit>[] = [
  { name: "rank", value: ({ rank }) => rank, align: "right" },
  { name: "score", value: ({ score }) => score, align: "right" },
  { name: "document", value: ({ documentId }) => documentId, align: "right" },
  { name: "type", value: ({ docType }) => docType },
  { name: "kbid", value: ({ kbid }) => kbid },
  { name: "path", value: ({ path }) => path },
  { name: "line", value: ({ lineStart }) => lineStart, align: "right" },
  { name: "page", value: ({ page }) => page, align: "right" },
  {
    name: "title",
    value: ({ documentTitle, title }) => documentTitle ?? title,
  },
  { name: "heading", value: ({ headingPath }) => headingPath.join(" > ") },
  { name: "snippet", value: ({ snippet }) => snippet.text },
];

function describeHits(
  io: CliIo,
  { hits, total, timings }: SearchAnswer,
  view: View,
): string[] {
  if (hits.length === 0) return [];
  const shown = hits.length < total
    ? `${formatItems(hits.length, "hit")} of ${total}${
      total >= 1000 ? " or more" : ""
    }`
    : formatItems(total, "hit");
  const times = Object.entries(timings ?? {}).map(([name, ms]) =>
    `${name.replace(/Ms$/, "")} ${ms.toFixed(1)} ms`
  );
  return [
    ...hits.flatMap((hit) => [...describeHit(io, hit, view), ""]),
    view.style.dim(shown),
    ...(times.length === 0 ? [] : [times.join(", ")]),
  ];
}

/** What people should know of an answer, and what to try if it is empty. */
function toNotes(
  { hits, notes }: SearchAnswer,
  { offset, threshold }: SearchCommandOptions,
): string[] {
  const said = notes.map((note) => `note: ${toPrintable(note)}`);
  if (hits.length > 0) return said;
  const hint = offset > 0
    ? "; there are no hits after --offset"
    : threshold !== undefined && threshold > 0
    ? "; a lower --threshold shows more"
    : "";
  return [`Nothing was found${hint}`, ...said];
}

function toSearchOptions(
  options: SearchCommandOptions,
  threshold: number | undefined,
): SearchOptions {
  const { limit, offset, ftsOnly, vecOnly, documents, explain } = options;
  return {
    limit,
    offset,
    retriever: ftsOnly === true
      ? "fts"
      : vecOnly === true
      ? "vector"
      : "hybrid",
    groupBy: documents === true ? "document" : "section",
    explain: explain === true,
    ...(threshold === undefined ? {} : { threshold }),
  };
}

/** Path and line, headings, and the text around the matches. */
function describeHit(io: CliIo, hit: Hit, view: View): string[] {
  const { style, link } = view;
  const {
    rank,
    score,
    path,
    docid,
    kbid,
    title,
    headingPath,
    documentTitle,
    alsoIn,
    explanation,
  } = hit;
  const place = path === null ? docid ?? kbid : formatPlace(io, path, hit);
  const shown = style.bold(toPrintable(place));
  const heading = headingPath.length > 0
    ? headingPath.join(" > ")
    : documentTitle ?? title ?? "";
  const lines = [
    `${rank}. ${path === null ? shown : link(shown, path)}  ${
      toPrintable(heading)
    }  ${style.dim(score.toFixed(3))}`,
    `   ${highlight(hit, style)}`,
  ];
  const others = alsoIn.slice(0, 3).map((other) =>
    other.path === null ? other.docid : formatPlace(io, other.path, other)
  );
  const more = alsoIn.length > others.length
    ? ` and ${alsoIn.length - others.length} more`
    : "";
  if (others.length > 0) {
    lines.push(
      style.dim(`   also in ${toPrintable(others.join(", "))}${more}`),
    );
  }
  if (explanation !== undefined) {
    const { lexicalRank, lexicalScore, vectorRank, cosine, vectorWeight } =
      explanation;
    lines.push(style.dim(
      `   words: rank ${lexicalRank ?? "-"}, bm25 ${
        lexicalScore?.toFixed(2) ?? "-"
      }; ` +
        `meaning: rank ${vectorRank ?? "-"}, cosine ${
          cosine?.toFixed(4) ?? "-"
        }, weight ${vectorWeight}`,
    ));
  }
  return lines;
}

/** Where a hit stands in its file: the page where there are pages, else the line. */
function formatPlace(
  { cwd }: CliIo,
  path: string,
  { lineStart, page }: Pick<Hit, "lineStart" | "page">,
): string {
  return page === null
    ? `${formatPath(path, cwd)}:${lineStart}`
    : `${formatPath(path, cwd)} p. ${page}`;
}

function highlight({ snippet }: Hit, style: Style): string {
  let text = "";
  let at = 0;
  for (const [start, end] of snippet.highlights) {
    text += toPrintable(snippet.text.slice(at, start)) +
      style.match(toPrintable(snippet.text.slice(start, end)));
    at = end;
  }
  return text + toPrintable(snippet.text.slice(at));
}

/** Writes what the words of a query stand for, as rows of kind, name and count. */
async function writeStats(
  io: CliIo,
  options: GlobalOptions,
  stats: SearchStats,
): Promise<void> {
  const { terms, byType, byCollection } = stats;
  const group = (kind: string, counts: Readonly<Record<string, number>>) =>
    Object.entries(counts).map(([name, count]) => ({ kind, name, count }));
  const groups = {
    "Chunks by term": terms.map(({ term, chunks }) => ({
      kind: "term",
      name: term,
      count: chunks,
    })),
    "Documents by type": group("type", byType),
    "Documents by collection": group("collection", byCollection),
  };
  const columns: readonly Column<
    { kind: string; name: string; count: number }
  >[] = [
    { name: "kind", value: ({ kind }) => kind, isForPrograms: true },
    {
      name: "name",
      value: ({ name }) => name,
      text: ({ name }) => `  ${name}`,
    },
    { name: "count", value: ({ count }) => count, align: "right" },
  ];
  await writeListing(io, options, {
    json: stats,
    rows: Object.values(groups).flat(),
    columns,
    text: async (view) => {
      const lines: string[] = [];
      for (const [title, rows] of Object.entries(groups)) {
        lines.push(
          title,
          ...await layOut(rows, columns, { ...view, isTerminal: false }),
        );
      }
      return lines;
    },
  });
}
