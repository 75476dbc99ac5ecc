import { realpathSync } from "node:fs";
import { resolve, sep } from "node:path";
import { toSentPath } from "../../client/mod.ts";
import { KbError } from "../../core/mod.ts";
import type { DocumentSummary, Engine } from "../../kb/mod.ts";
import { confirm } from "../confirm.ts";
import { formatItems, formatPath, toPrintable } from "../format.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { writeListing } from "../output/write.ts";
import { openForReading } from "../session.ts";
import { documentColumns } from "./documents.ts";

/** Options of commands that ask first. */
export interface AskingOptions extends GlobalOptions {
  /** Asks nothing. */
  readonly yes?: true;
}

/** Documents looked at in one call, to find those of a folder. */
const PAGE = 10_000;

/** Removes documents: one at once, more, or a folder, after a question. */
export async function rm(
  io: CliIo,
  refs: readonly string[],
  options: AskingOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const { found, hasFolder } = await findAll(io, kb, refs);
  if (found.size > 1 || hasFolder) {
    await confirm(
      io,
      `Remove ${
        formatItems(found.size, "document")
      } from the base? Files on disk stay.`,
      options.yes,
    );
  }
  const removed: DocumentSummary[] = [];
  for (const id of found.keys()) removed.push(...await kb.remove(String(id)));
  await writeListing(io, options, {
    json: { removed },
    rows: removed,
    columns: documentColumns(io),
    text: () =>
      removed.map(({ id, title, path }) =>
        `Removed ${id}  ${
          toPrintable(path === null ? title : formatPath(path, io.cwd))
        }`
      ),
  });
  return 0;
}

/** What references name, each once; nothing is removed if one of them names nothing. */
async function findAll(
  io: CliIo,
  kb: Engine,
  refs: readonly string[],
): Promise<{ found: Map<number, DocumentSummary>; hasFolder: boolean }> {
  const found = new Map<number, DocumentSummary>();
  let hasFolder = false;
  for (const ref of refs) {
    const { documents, isFolder } = await find(io, kb, ref);
    for (const document of documents) found.set(document.id, document);
    hasFolder ||= isFolder;
  }
  return { found, hasFolder };
}

async function find(
  io: CliIo,
  kb: Engine,
  ref: string,
): Promise<{ documents: DocumentSummary[]; isFolder: boolean }> {
  try {
    return { documents: [await kb.summary(ref)], isFolder: false };
  } catch (error) {
    if (!(error instanceof KbError) || error.code !== "not_found") throw error;
    const here = await listUnder(kb, toFolders(io, ref));
    // What was uploaded or piped in has its path as it was written.
    const under = here.length === 0 && ref.trim() !== ""
      ? await listUnder(kb, [ref, toSentPath(ref, io.cwd)])
      : here;
    if (under.length === 0) throw error;
    return { documents: under, isFolder: true };
  }
}

/** A folder as it is written and as it is stored, behind symbolic links. */
function toFolders({ cwd }: CliIo, ref: string): string[] {
  const path = resolve(cwd, ref);
  try {
    return [path, realpathSync(path)];
  } catch {
    return [path];
  }
}

async function listUnder(
  kb: Engine,
  folders: readonly string[],
): Promise<DocumentSummary[]> {
  const starts = folders.flatMap((folder) =>
    [sep, "/"].map((end) => folder.endsWith(end) ? folder : folder + end)
  );
  const under: DocumentSummary[] = [];
  for (let offset = 0;; offset += PAGE) {
    const { documents, total } = await kb.list({
      limit: PAGE,
      offset,
      sort: "path",
    });
    under.push(
      ...documents.filter(({ path }) =>
        path !== null && starts.some((start) => path.startsWith(start))
      ),
    );
    if (offset + documents.length >= total || documents.length === 0) {
      return under;
    }
  }
}
