import { KbError, LIMITS } from "../core/mod.ts";
import { costOf, type Group } from "./budget.ts";
import { NOTE_COST } from "./contents.ts";
import {
  type Draft,
  type Extras,
  fillContents,
  fillExtras,
  fillLists,
  noteReferences,
} from "./recall_fill.ts";
import {
  gather,
  toBackReference,
  toDocument,
  toHead,
  toReference,
} from "./recall_gather.ts";
import type {
  RecallAnswer,
  RecalledReference,
  RecalledSection,
  RecallLink,
  RecallOptions,
  RecallReader,
} from "./recall_types.ts";
import type { ComposeSection } from "./types.ts";

const DEPTH_MAX = 3;
const CHARS_MIN = 2_000;
/** Longest description shown, in UTF-16 units. */
const DESCRIPTION_CHARS = 300;
/** About what one section of a list costs, to bound how many are read. */
const HEAD_CHARS = 100;
const WINDOW_MIN = 20;

const LISTS = {
  documents: [],
  documentsOmitted: 1e6,
  backReferences: [],
  backReferencesOmitted: 1e6,
};
const MORE_LISTS = {
  ...LISTS,
  siblings: [],
  siblingsOmitted: 1e6,
  references: [],
  referencesOmitted: 1e6,
};
/** What stands in the answer of a section at each depth, even if its lists are empty. */
const FRAMES: readonly object[] = [{}, LISTS, MORE_LISTS, MORE_LISTS];

/**
 * Recalls sections with as much around them as a depth says, in one bounded answer.
 *
 * The sections asked for come first and share the room fairly, the surroundings keep at most a part
 * of it: documents, references and back-references are listed before siblings and referenced
 * sections are shown in full, the nearest first. Whatever is shortened or left out says so in its
 * place. A content stands once in an answer.
 *
 * @param reader What to read from.
 * @param kbids Sections, at most `LIMITS.recallIds`; each counts once.
 * @param options Depth, room, where to begin.
 * @throws {KbError} `invalid_input` for no kbids or too many, and for an offset with several.
 * @throws {RangeError} If `depth`, `maxChars` or `offset` is out of range.
 */
export function recall(
  reader: RecallReader,
  kbids: readonly string[],
  options: RecallOptions = {},
): RecallAnswer {
  const { depth, maxChars, offset } = checkOptions(kbids, options);
  const unique = [...new Set(kbids)];
  const found = unique.map((kbid) => reader.findSection(kbid));
  const unknownKbids = unique.filter((_, index) => found[index] === undefined);
  const sections = found.filter((section) => section !== undefined);
  const limit = Math.max(
    WINDOW_MIN,
    Math.ceil(maxChars / HEAD_CHARS / Math.max(1, sections.length)),
  );
  const drafts: Draft[] = [];
  let room = maxChars - costOf({ unknownKbids }, 2);
  for (const section of sections) {
    const draft = begin(reader, section, { depth, limit });
    const frame = { ...draft.base, content: "", ...FRAMES[depth] };
    const cost = costOf(frame, 4) + NOTE_COST;
    if (drafts.length > 0 && cost > room) break;
    room -= cost;
    drafts.push(draft);
  }
  room -= fillContents(reader, drafts, { depth, room, offset });
  const extras: Extras = new Map();
  room -= fillLists(drafts, { room, isLast: depth < 2 });
  room -= fillExtras(reader, drafts, { depth, room, extras });
  if (depth >= 2) fillLists(drafts, { room, isLast: true });
  if (depth >= 3) drafts.forEach((draft) => noteReferences(draft, extras));
  return {
    results: drafts.map((draft) => finish(draft, depth, extras)),
    unknownKbids,
    omittedKbids: sections.slice(drafts.length).map(({ kbid }) => kbid),
  };
}

function checkOptions(
  kbids: readonly string[],
  { depth = 0, maxChars = LIMITS.answerChars, offset = 0 }: RecallOptions,
): Required<RecallOptions> {
  const isBounded = maxChars >= CHARS_MIN && maxChars <= LIMITS.answerCharsMax;
  if (!isBounded || !(depth >= 0) || !(offset >= 0)) {
    throw new RangeError(
      `Cannot recall: maxChars is ${maxChars}, must be ${CHARS_MIN} to ${LIMITS.answerCharsMax}; depth is ${depth}, offset is ${offset}, both must be >= 0`,
    );
  }
  if (kbids.length === 0 || kbids.length > LIMITS.recallIds) {
    throw new KbError(
      "invalid_input",
      `Cannot recall ${kbids.length} sections: give 1 to ${LIMITS.recallIds} kbids`,
    );
  }
  if (offset > 0 && new Set(kbids).size > 1) {
    throw new KbError(
      "invalid_input",
      "Cannot recall several sections from an offset: give one kbid",
    );
  }
  return {
    depth: Math.min(Math.floor(depth), DEPTH_MAX),
    maxChars,
    offset: Math.floor(offset),
  };
}

/** Reads what is shown of a section besides its content. */
function begin(
  reader: RecallReader,
  section: ComposeSection,
  options: { readonly depth: number; readonly limit: number },
): Draft {
  const { documents, total } = reader.listHolders(
    section.id,
    LIMITS.recallDocuments,
  );
  const description = section.description?.slice(0, DESCRIPTION_CHARS)
    .toWellFormed();
  const docidsOmitted = total - documents.length;
  return {
    section,
    base: {
      ...toHead(section),
      ...(description === undefined ? {} : { description }),
      docids: documents.map(({ docid }) => docid),
      ...(docidsOmitted > 0 ? { docidsOmitted } : {}),
    },
    around: gather(reader, section, documents, options),
    shown: { content: "" },
  };
}

/** Says how many of a group were left out. */
function omittedOf<T>(group: Group<T>, taken: number): number | undefined {
  return group.total > taken ? group.total - taken : undefined;
}

/** Puts the parts of a recalled section together. */
function finish(draft: Draft, depth: number, extras: Extras): RecalledSection {
  const { base: { docids, docidsOmitted, ...head }, shown, around } = draft;
  const { documents, backReferences, references, siblings } = around;
  const beside = siblings.taken.toSorted(byPlace).map((entry) => ({
    ...toHead(entry),
    ...(extras.get(entry) ?? { content: "" }),
  }));
  return withoutUndefined({
    ...head,
    ...shown,
    docids,
    docidsOmitted,
    documents: depth < 1 ? undefined : documents.taken.map(toDocument),
    documentsOmitted: depth < 1
      ? undefined
      : omittedOf(documents, documents.taken.length),
    backReferences: depth < 1
      ? undefined
      : backReferences.taken.map(toBackReference),
    backReferencesOmitted: omittedOf(
      backReferences,
      backReferences.taken.length,
    ),
    siblings: depth < 2 ? undefined : beside,
    siblingsOmitted: omittedOf(siblings, beside.length),
    references: depth < 2
      ? undefined
      : references.taken.map((link) => finishReference(draft, link, extras)),
    referencesOmitted: omittedOf(references, references.taken.length),
  });
}

/** In the order of the documents, then of the text. */
function byPlace(
  a: { readonly documentId: number; readonly position: number },
  b: { readonly documentId: number; readonly position: number },
): number {
  return a.documentId - b.documentId || a.position - b.position;
}

/** A reference with what it refers to, where the depth asks for that. */
function finishReference(
  { around }: Draft,
  link: RecallLink,
  extras: Extras,
): RecalledReference {
  const shown = extras.get(link);
  if (shown === undefined) return toReference(link);
  const back = around.referenced.get(link.id);
  return {
    ...toReference(link),
    ...shown,
    ...(back === undefined
      ? {}
      : { backReferences: back.taken.map(toBackReference) }),
  };
}

/** The same value without the keys that are not set. */
function withoutUndefined<T extends object>(
  value: T,
): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(
    Object.entries(value).filter(([, it]) => it !== undefined),
  ) as { [K in keyof T]: Exclude<T[K], undefined> };
}
