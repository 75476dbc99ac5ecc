import {
  formatBytes,
  formatCount,
  formatItems,
  toPrintable,
} from "../format.ts";
import { confirm } from "../confirm.ts";
import { type CliIo, type GlobalOptions, writeJson } from "../io.ts";
import { formatAge } from "../output/age.ts";
import { writeListing } from "../output/write.ts";
import { openForReading } from "../session.ts";

/** Options of `kbdb collections rename`. */
export interface RenameOptions extends GlobalOptions {
  /** Joins a collection that has the new name already. */
  readonly merge?: true;
}

/** Options of `kbdb collections rm`. */
export interface RemoveOptions extends GlobalOptions {
  /** Asks nothing. */
  readonly yes?: true;
}

/** Lists the collections and what is in them. */
export async function list(
  io: CliIo,
  options: GlobalOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  await writeListing(io, options, {
    rows: await kb.listCollections(),
    columns: [
      { name: "name", value: ({ name }) => name },
      {
        name: "documents",
        value: ({ documents }) => documents,
        text: ({ documents }) => formatItems(documents, "document"),
      },
      {
        name: "bytes",
        value: ({ sizeBytes }) => sizeBytes,
        text: ({ sizeBytes }) => formatBytes(sizeBytes),
        align: "right",
      },
      {
        name: "changed",
        value: ({ updatedAt }) => updatedAt,
        text: ({ updatedAt }, { nowMs }) => formatAge(updatedAt, nowMs),
      },
    ],
    empty: "There are no collections yet",
  });
  return 0;
}

/** Gives a collection another name. */
export async function rename(
  io: CliIo,
  from: string,
  to: string,
  options: RenameOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const documents = await kb.renameCollection(from, to, {
    merge: options.merge === true,
  });
  if (options.format === "json") writeJson(io, { from, to, documents });
  else {
    io.out.write(
      `Moved ${formatItems(documents, "document")} to ${toPrintable(to)}\n`,
    );
  }
  return 0;
}

/** Removes a collection with its documents. */
export async function rm(
  io: CliIo,
  name: string,
  options: RemoveOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const found = (await kb.listCollections()).find((one) => one.name === name);
  if (found !== undefined) {
    await confirm(
      io,
      `Remove the collection "${toPrintable(name)}" with ${
        formatItems(found.documents, "document")
      } from the base? Files on disk stay.`,
      options.yes,
    );
  }
  const documents = await kb.removeCollection(name);
  if (options.format === "json") writeJson(io, { name, documents });
  else {
    io.out.write(
      `Removed ${formatCount(documents)} document${
        documents === 1 ? "" : "s"
      }\n`,
    );
  }
  return 0;
}
