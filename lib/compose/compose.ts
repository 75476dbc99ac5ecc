import { KbError, LIMITS } from "../core/mod.ts";
import { composeDocument, composeSection } from "./items.ts";
import { checkBounds, takePage } from "./page.ts";
import { ComposeScope } from "./scope.ts";
import type {
  ComposeItem,
  ComposeOptions,
  ComposeReader,
  Composition,
} from "./types.ts";

/** An id with what it names. */
interface Named {
  readonly id: string;
  readonly item: ComposeItem | undefined;
}

/**
 * Composes one Markdown text of documents and sections, in the order given.
 *
 * Each document and each section asked for begins at heading level 1, and headings below keep their
 * relation. A document begins with its title unless its text does. What two ids name alike stands
 * once. A line `![[target]]` is replaced by what it embeds, one level deeper, the first time; after
 * that, and where a text embeds itself, it becomes a link that says so.
 *
 * @param reader What to read from.
 * @param ids Kbids, docids, integer ids and paths, mixed; at most `LIMITS.composeIds`.
 * @param options Which part of the text.
 * @returns The part; ids that name nothing are listed, and marked in the text.
 * @throws {KbError} `invalid_input` for no ids or too many.
 * @throws {RangeError} If `maxChars` or `offset` is out of range.
 */
export function composeMarkdown(
  reader: ComposeReader,
  ids: readonly string[],
  options: ComposeOptions = {},
): Composition {
  const bounds = checkBounds(options);
  if (ids.length === 0 || ids.length > LIMITS.composeIds) {
    throw new KbError(
      "invalid_input",
      `Cannot compose ${ids.length} ids: give 1 to ${LIMITS.composeIds}`,
    );
  }
  const named = findAll(reader, ids);
  const page = takePage(composeAll(new ComposeScope(reader), named), bounds);
  return {
    type: "text/markdown",
    ...page,
    unknownIds: named.filter(({ item }) => item === undefined)
      .map(({ id }) => id),
  };
}

/** Finds what ids name, each thing once. */
function findAll(reader: ComposeReader, ids: readonly string[]): Named[] {
  const named = new Map<string, Named>();
  for (const id of ids) {
    const item = reader.find(id);
    const key = item === undefined
      ? `unknown ${id}`
      : item.kind === "document"
      ? `document ${item.document.id}`
      : `section ${item.section.id}`;
    if (!named.has(key)) named.set(key, { id, item });
  }
  return [...named.values()];
}

function* composeAll(
  scope: ComposeScope,
  named: readonly Named[],
): Generator<string> {
  for (const { id, item } of named) {
    if (item === undefined) {
      yield `> Nothing in the base is named "${
        id.replace(/\s+/g, " ")
      }"; a kbid, docid, id or path is expected.`;
    } else if (item.kind === "document") {
      yield* composeDocument(scope, item.document, 1);
    } else {
      yield* composeSection(scope, item, 1);
    }
  }
}
