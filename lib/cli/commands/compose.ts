import { LIMITS } from "../../core/mod.ts";
import type {
  Composition,
  Engine,
  RecallAnswer,
  RecalledContent,
  RecalledHead,
  RecalledSection,
} from "../../kb/mod.ts";
import { EXIT_CODES } from "../exit_codes.ts";
import { toPrintable } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { openForReading } from "../session.ts";

/** Options of `kbdb content`. */
export interface ContentOptions extends GlobalOptions {
  /** UTF-16 units to pass over. */
  readonly offset?: number;
  /** Longest text; all of it otherwise. */
  readonly maxChars?: number;
}

/** Options of `kbdb recall`. */
export interface RecallCommandOptions extends ContentOptions {
  /** How much of the surroundings. */
  readonly depth?: number;
}

/** Prints one text of documents and sections. */
export async function content(
  io: CliIo,
  ids: readonly string[],
  options: ContentOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const { unknownIds, ...text } = options.maxChars === undefined
    ? await composeWhole(kb, ids, options.offset)
    : await kb.compose(ids, {
      maxChars: options.maxChars,
      offset: options.offset ?? 0,
    });
  if (options.format === "json") writeJson(io, { ...text, unknownIds });
  else {
    io.out.write(text.data + "\n");
    if (text.nextOffset !== undefined) {
      writeLines(io.err, [
        `There is more; go on with --offset ${text.nextOffset}`,
      ]);
    }
    writeLines(
      io.err,
      unknownIds.map((id) => `kbdb: nothing in the base is named "${id}"`),
    );
  }
  return unknownIds.length > 0 ? EXIT_CODES.not_found : 0;
}

async function composeWhole(
  kb: Engine,
  ids: readonly string[],
  offset = 0,
): Promise<Composition> {
  const maxChars = LIMITS.answerCharsMax;
  const first = await kb.compose(ids, { maxChars, offset });
  let data = first.data;
  let next = first.nextOffset;
  while (next !== undefined) {
    const part = await kb.compose(ids, { maxChars, offset: next });
    data += part.data;
    next = part.nextOffset;
  }
  const { nextOffset: _, ...rest } = first;
  return { ...rest, data };
}

/** Shows sections with what is around them. */
export async function recall(
  io: CliIo,
  kbids: readonly string[],
  options: RecallCommandOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const { depth, maxChars, offset } = options;
  const answer = await kb.recall(kbids, {
    ...(depth === undefined ? {} : { depth }),
    ...(maxChars === undefined ? {} : { maxChars }),
    ...(offset === undefined ? {} : { offset }),
  });
  if (options.format === "json") writeJson(io, answer);
  else describe(io, answer);
  return answer.unknownKbids.length > 0 ? EXIT_CODES.not_found : 0;
}

function describe(
  io: CliIo,
  { results, unknownKbids, omittedKbids }: RecallAnswer,
): void {
  writeLines(
    io.out,
    results.flatMap((section, index) => [
      ...(index === 0 ? [] : [""]),
      ...describeSection(section),
    ]),
  );
  writeLines(
    io.err,
    [
      ...unknownKbids.map((kbid) => `kbdb: there is no section ${kbid}`),
      ...omittedKbids.map((kbid) =>
        `note: there was no room for ${kbid}; recall it on its own`
      ),
    ],
  );
}

function describeSection(section: RecalledSection): string[] {
  const {
    documents = [],
    backReferences = [],
    siblings = [],
    references = [],
  } = section;
  return [
    toHead(section),
    ...(section.docids.length === 0
      ? []
      : [`in ${toPrintable(section.docids.join(", "))}`]),
    "",
    ...toContent(section),
    ...group(
      "Documents",
      documents.map(({ title, docid, sections }) =>
        `${title} (${docid}): ${
          sections.map(({ heading, kbid }) => heading ?? kbid).join(", ")
        }`
      ),
      section.documentsOmitted,
    ),
    ...group(
      "Referred to by",
      backReferences.map(toHead),
      section.backReferencesOmitted,
    ),
    ...group(
      "Beside it",
      siblings.flatMap((one) => [toHead(one), ...toContent(one)]),
      section.siblingsOmitted,
    ),
    ...group(
      "Refers to",
      references.flatMap(({ content, ...one }) => [
        toHead(one),
        ...(content === undefined ? [] : toContent({ ...one, content })),
      ]),
      section.referencesOmitted,
    ),
  ];
}

function toHead({ heading, kbid }: RecalledHead): string {
  return toPrintable(`${kbid}  ${heading ?? ""}`).trimEnd();
}

function toContent(
  { content, contentTruncated }: RecalledContent,
): string[] {
  const lines = content.split("\n").map(toPrintable);
  if (contentTruncated === undefined) return lines;
  const { shown, total } = contentTruncated;
  return [...lines, `… ${shown} of ${total} characters`];
}

function group(
  title: string,
  lines: readonly string[],
  omitted = 0,
): string[] {
  if (lines.length === 0) return [];
  const more = omitted > 0 ? [`  … and ${omitted} more`] : [];
  return ["", `${title}:`, ...lines.map((line) => `  ${line}`), ...more];
}
