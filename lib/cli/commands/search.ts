import type { Hit, SearchOptions, SearchStats } from "../../kb/mod.ts";
import {
  formatItems,
  formatPath,
  formatTable,
  type Style,
  styleFor,
  toPrintable,
} from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { type FilterOptions, toFilter } from "../filter.ts";
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
    const stats = await kb.searchStats(query, toFilter(options));
    if (options.format === "json") writeJson(io, stats);
    else writeLines(io.out, describeStats(stats));
    return 0;
  }
  const threshold = (await readSettings(io, options))
    .get(SEARCH_THRESHOLD, options.threshold).value;
  const answer = await kb.search(query, {
    ...toSearchOptions(options, threshold),
    signal: io.signal,
  });
  if (options.format === "json") {
    writeJson(io, answer);
    return 0;
  }
  const style = styleFor(io.out, io.env);
  const { hits, total, notes, timings } = answer;
  for (const hit of hits) {
    writeLines(io.out, [...describeHit(io, hit, style), ""]);
  }
  if (hits.length === 0) io.out.write("Nothing was found\n");
  const shown = hits.length < total
    ? `${formatItems(hits.length, "hit")} of ${total}${
      total >= 1000 ? " or more" : ""
    }`
    : formatItems(total, "hit");
  if (hits.length > 0) io.out.write(`${style.dim(shown)}\n`);
  if (timings !== undefined) {
    const parts = Object.entries(timings).map(([name, ms]) =>
      `${name.replace(/Ms$/, "")} ${ms.toFixed(1)} ms`
    );
    io.out.write(`${parts.join(", ")}\n`);
  }
  writeLines(io.err, notes.map((note) => `note: ${toPrintable(note)}`));
  return 0;
}

function toSearchOptions(
  options: SearchCommandOptions,
  threshold: number | undefined,
): SearchOptions {
  const { limit, offset, ftsOnly, vecOnly, documents, explain } = options;
  return {
    ...toFilter(options),
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
function describeHit(io: CliIo, hit: Hit, style: Style): string[] {
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
  const heading = headingPath.length > 0
    ? headingPath.join(" > ")
    : documentTitle ?? title ?? "";
  const lines = [
    `${rank}. ${style.bold(toPrintable(place))}  ${toPrintable(heading)}  ${
      style.dim(score.toFixed(3))
    }`,
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
      style.bold(toPrintable(snippet.text.slice(start, end)));
    at = end;
  }
  return text + toPrintable(snippet.text.slice(at));
}

function describeStats({ terms, byType, byCollection }: SearchStats): string[] {
  const counts = (title: string, by: Readonly<Record<string, number>>) => [
    title,
    ...formatTable(
      Object.entries(by).map(([name, count]) => [`  ${name}`, String(count)]),
    ),
  ];
  return [
    ...counts(
      "Chunks by term",
      Object.fromEntries(terms.map(({ term, chunks }) => [term, chunks])),
    ),
    ...counts("Documents by type", byType),
    ...counts("Documents by collection", byCollection),
  ];
}
