import { KbError } from "../../core/mod.ts";
import type { DocumentSummary } from "../../kb/mod.ts";
import { toPrintable } from "../format.ts";
import type { CliIo, GlobalOptions } from "../io.ts";
import { writeListing } from "../output/write.ts";
import { openForReading } from "../session.ts";
import { documentColumns } from "./documents.ts";

/** Options of `kbdb tag`. */
export interface TagCommandOptions extends GlobalOptions {
  /** Tags to add. */
  readonly add?: readonly string[];
  /** Tags to take off. */
  readonly remove?: readonly string[];
}

/** Adds and removes tags of documents. */
export async function tag(
  io: CliIo,
  refs: readonly string[],
  { add = [], remove = [], ...options }: TagCommandOptions,
): Promise<number> {
  if (add.length + remove.length === 0) {
    throw new KbError(
      "invalid_input",
      "Cannot tag without tags; use: kbdb tag REF --add TAG --remove TAG",
    );
  }
  await using kb = await openForReading(io, options);
  // A reference that names nothing must not leave half of the work done.
  for (const ref of refs) await kb.summary(ref);
  const tagged: DocumentSummary[] = [];
  for (const ref of refs) tagged.push(await kb.tag(ref, { add, remove }));
  await writeListing(io, options, {
    rows: tagged,
    columns: documentColumns(io),
    text: () =>
      tagged.map(({ id, title, tags, collection }) =>
        toPrintable(
          `${id}  ${title}: ${
            [`collection:${collection}`, ...tags].join(", ")
          }`,
        )
      ),
  });
  return 0;
}
