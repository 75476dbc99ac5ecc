import type { DocumentSummary, ListOptions } from "../../kb/mod.ts";
import {
  formatItems,
  formatPath,
  formatTable,
  toPrintable,
} from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { type FilterOptions, toFilter } from "../filter.ts";
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
    ...toFilter(options),
  });
  if (options.format === "json") {
    writeJson(io, page);
    return 0;
  }
  writeLines(
    io.out,
    formatTable(page.documents.map((document) => toRow(io, document))),
  );
  const { total } = page;
  const shown = page.documents.length;
  const items = formatItems(total, "document");
  const rest = offset + shown < total
    ? `; go on with --offset ${offset + shown}`
    : "";
  io.out.write(
    shown === total ? `${items}\n` : `${shown} of ${items}${rest}\n`,
  );
  return 0;
}

function toRow(
  io: CliIo,
  { id, docType, collection, title, path }: DocumentSummary,
): string[] {
  return [
    String(id),
    docType,
    toPrintable(collection),
    toPrintable(title),
    path === null ? "" : toPrintable(formatPath(path, io.cwd)),
  ];
}

/** Shows what is known of a document. */
export async function info(
  io: CliIo,
  ref: string,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const document = await kb.info(ref);
  if (options.format === "json") {
    writeJson(io, document);
    return 0;
  }
  const { sections, metadata, warnings, tags, ...facts } = document;
  const rows = Object.entries({
    ...facts,
    tags: tags.join(", "),
    metadata: Object.keys(metadata).length === 0
      ? ""
      : JSON.stringify(metadata),
  }).filter(([, value]) => value !== null && value !== "");
  writeLines(
    io.out,
    formatTable(
      rows.map(([name, value]) => [name, toPrintable(String(value))]),
    ),
  );
  writeLines(
    io.out,
    warnings.map((warning) => `warning: ${toPrintable(warning)}`),
  );
  writeLines(io.out, [`sections: ${sections.length}`]);
  writeLines(
    io.out,
    formatTable(
      sections.map(({ kbid, lineStart, lineEnd, page, headingPath }) => [
        `  ${kbid}`,
        page === null ? `lines ${lineStart}-${lineEnd}` : `p. ${page}`,
        toPrintable(headingPath.join(" > ")),
      ]),
    ),
  );
  return 0;
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

/** Removes documents. */
export async function rm(
  io: CliIo,
  refs: readonly string[],
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const removed: DocumentSummary[] = [];
  for (const ref of refs) removed.push(...await kb.remove(ref));
  if (options.format === "json") writeJson(io, { removed });
  else {
    writeLines(
      io.out,
      removed.map(({ id, title, path }) =>
        `Removed ${id}  ${
          toPrintable(path === null ? title : formatPath(path, io.cwd))
        }`
      ),
    );
  }
  return 0;
}

/** Lists tags and how many documents have each. */
export async function tags(io: CliIo, options: GlobalOptions): Promise<number> {
  await using kb = await openForReading(io, options);
  const rows = await kb.listTags();
  if (options.format === "json") writeJson(io, rows);
  else {writeLines(
      io.out,
      formatTable(
        rows.map((
          { name, documents },
        ) => [toPrintable(name), String(documents)]),
      ),
    );}
  return 0;
}
