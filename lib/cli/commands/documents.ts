import type {
  DocumentInfo,
  DocumentSummary,
  ListOptions,
  SectionSummary,
} from "../../kb/mod.ts";
import { formatItems, formatPath } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { type FilterOptions, readFilter } from "../filter.ts";
import { formatAge } from "../output/age.ts";
import type { Column } from "../output/columns.ts";
import { viewOf } from "../output/view.ts";
import {
  type Fact,
  layOut,
  writeListing,
  writeRecord,
} from "../output/write.ts";
import { openForReading } from "../session.ts";

/** Options of `kbdb list`. */
export interface ListCommandOptions extends GlobalOptions, FilterOptions {
  /** Most documents. */
  readonly limit: number;
  /** Documents to pass over. */
  readonly offset: number;
  /** Order. */
  readonly sort: Required<ListOptions>["sort"];
}

/** How documents become tables. */
export function documentColumns({ cwd }: CliIo): Column<DocumentSummary>[] {
  return [
    {
      name: "id",
      value: ({ id }) => id,
      align: "right",
    },
    { name: "docid", value: ({ docid }) => docid, isForPrograms: true },
    { name: "type", value: ({ docType }) => docType },
    { name: "collection", value: ({ collection }) => collection },
    { name: "tags", value: ({ tags }) => tags, isForPrograms: true },
    { name: "title", value: ({ title }) => title },
    {
      name: "changed",
      value: ({ updatedAt, createdAt }) => updatedAt ?? createdAt,
      text: ({ updatedAt, createdAt }, { nowMs }) =>
        formatAge(updatedAt ?? createdAt, nowMs),
    },
    {
      name: "created",
      value: ({ createdAt }) => createdAt,
      isForPrograms: true,
    },
    {
      name: "chunks",
      value: ({ chunkCount }) => chunkCount,
      isForPrograms: true,
    },
    {
      name: "path",
      value: ({ path }) => path,
      text: ({ path }) => path === null ? "" : formatPath(path, cwd),
      paint: (text, { path }, { link }) =>
        path === null ? text : link(text, path),
    },
  ];
}

/** Lists documents. */
export async function list(
  io: CliIo,
  options: ListCommandOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const { limit, offset, sort } = options;
  const page = await kb.list({
    limit,
    offset,
    sort,
    ...await readFilter(io, kb, options),
  });
  await writeListing(io, options, {
    json: page,
    rows: page.documents,
    columns: documentColumns(io),
    notes: [describePage(page.documents.length, page.total, offset)],
  });
  return 0;
}

/** How much of a list was shown, and how to go on. */
export function describePage(
  shown: number,
  total: number,
  offset: number,
  word = "document",
): string {
  const items = formatItems(total, word);
  if (shown === total) return items;
  return offset + shown < total
    ? `${shown} of ${items}; go on with --offset ${offset + shown}`
    : `${shown} of ${items}`;
}

/** Lists tags and how many documents have each. */
export async function tags(io: CliIo, options: GlobalOptions): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeListing(io, options, {
    rows: await kb.listTags(),
    columns: [
      { name: "tag", value: ({ name }) => name },
      {
        name: "documents",
        value: ({ documents }) => documents,
        align: "right",
      },
    ],
    empty: "There are no tags yet; give some with: kbdb tag REF --add TAG",
  });
  return 0;
}

/** Shows what is known of a document. */
export async function info(
  io: CliIo,
  ref: string,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const document = await kb.info(ref);
  const view = viewOf(io);
  const { sections, warnings } = document;
  await writeRecord(io, options, {
    json: document,
    facts: toFacts(document, view.nowMs),
    notes: options.format === "json"
      ? []
      : warnings.map((warning) => `warning: ${warning}`),
  });
  if (options.format !== "text") return 0;
  writeLines(io.out, [`sections: ${sections.length}`]);
  writeLines(
    io.out,
    await layOut(sections, SECTION_COLUMNS, {
      ...view,
      isTerminal: false,
    }),
  );
  return 0;
}

const SECTION_COLUMNS: readonly Column<SectionSummary>[] = [
  { name: "kbid", value: ({ kbid }) => `  ${kbid}` },
  {
    name: "place",
    value: ({ page, lineStart, lineEnd }) =>
      page === null ? `lines ${lineStart}-${lineEnd}` : `p. ${page}`,
  },
  { name: "heading", value: ({ headingPath }) => headingPath.join(" > ") },
];

function toFacts(
  { sections: _, warnings: __, metadata, ...facts }: DocumentInfo,
  nowMs: number,
): Fact[] {
  const all = {
    ...facts,
    metadata: Object.keys(metadata).length === 0
      ? null
      : JSON.stringify(metadata),
  };
  return Object.entries(all).map(([name, value]) => ({
    name,
    value,
    ...(/At$/.test(name) && typeof value === "string"
      ? { text: `${value}  (${formatAge(value, nowMs)})` }
      : {}),
  }));
}

/** Prints the text of a document or section. */
export async function get(
  io: CliIo,
  ref: string,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const content = await kb.get(ref);
  if (options.format === "json") writeJson(io, content);
  else io.out.write(content.text + "\n");
  return 0;
}
