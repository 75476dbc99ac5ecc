import type { SectionId } from "../core/mod.ts";
import { type Group, share, takeInTurn, totalCost } from "./budget.ts";
import {
  NOTE_COST,
  type PendingContent,
  readPending,
  show,
  type ShownContent,
  toImageHint,
  withheld,
} from "./contents.ts";
import type { Surroundings } from "./recall_gather.ts";
import type {
  RecalledSection,
  RecallHead,
  RecallLink,
  RecallReader,
} from "./recall_types.ts";
import type { ComposeSection } from "./types.ts";

/** Characters of a content below which it is not worth being shown in part. */
const PIECE_CHARS = 300;
/** Most of the room that the surroundings keep for themselves, by depth. */
const RESERVE = [0, 0.25, 0.4, 0.4] as const;

/** A recalled section while the answer is made. */
export interface Draft {
  /** The section. */
  readonly section: ComposeSection;
  /** What is shown of it at any depth, but its content. */
  readonly base: Pick<
    RecalledSection,
    "kbid" | "heading" | "type" | "description" | "docids" | "docidsOmitted"
  >;
  /** What may stand beside it. */
  readonly around: Surroundings;
  /** Its content. */
  shown: ShownContent;
}

/** Contents of siblings and of sections referred to, by the entry that shows them. */
export type Extras = Map<RecallHead | RecallLink, ShownContent>;

/** Gives the sections asked for their contents; answers what that costs. */
export function fillContents(
  reader: RecallReader,
  drafts: readonly Draft[],
  { depth, room, offset }: {
    readonly depth: number;
    readonly room: number;
    readonly offset: number;
  },
): number {
  const wanted = drafts.reduce((sum, draft) => sum + wantedBy(draft), 0);
  const reserve = Math.min(wanted, Math.floor(room * (RESERVE[depth] ?? 0)));
  const pending = drafts.map(({ section }) =>
    readPending(reader, section, offset)
  );
  const shares = share(pending.map(({ need }) => need), room - reserve);
  let spent = 0;
  for (const [index, draft] of drafts.entries()) {
    const content = pending[index];
    if (content === undefined) continue;
    draft.shown = show(content, shares[index] ?? 0);
    // An image that does not fit leaves its share to the others.
    if (draft.shown.content !== "") spent += shares[index] ?? 0;
  }
  return spent;
}

/** About what all the surroundings of a section would cost. */
function wantedBy({ around }: Draft): number {
  const { documents, backReferences, references, siblings } = around;
  return totalCost(documents) + totalCost(backReferences) +
    totalCost(references) + totalCost(siblings) +
    documents.items.reduce((sum, { heads }) => sum + totalCost(heads), 0) +
    siblings.items.reduce((sum, { size }) => sum + size, 0) +
    [...around.referenced.values()].reduce(
      (sum, back) => sum + totalCost(back) + PIECE_CHARS,
      0,
    );
}

/**
 * Takes documents, references and back-references into the answer; answers what that costs.
 *
 * @param isLast Whether nothing comes after that needs room.
 */
export function fillLists(
  drafts: readonly Draft[],
  { room, isLast }: { readonly room: number; readonly isLast: boolean },
): number {
  const arounds = drafts.map(({ around }) => around);
  // What is shown in full keeps half of what is left.
  const limit = isLast ? room : Math.floor(room / 2);
  let spent = takeInTurn(arounds.map(({ documents }) => documents), limit);
  spent += takeInTurn(
    arounds.flatMap(({ references, backReferences }) => [
      references,
      backReferences,
    ]),
    Math.floor((limit - spent) / 2),
  );
  spent += takeInTurn(
    arounds.flatMap(({ documents }) =>
      documents.taken.map(({ heads }) => heads)
    ),
    limit - spent,
  );
  const referenced = arounds.flatMap((around) => [
    ...around.referenced.values(),
  ]);
  spent += takeInTurn(referenced, limit - spent);
  if (!isLast) return spent;
  return spent + takeInTurn(
    arounds.flatMap(({ references, backReferences }) => [
      references,
      backReferences,
    ]),
    limit - spent,
  );
}

/** An entry that may get a content. */
interface Extra {
  readonly entry: RecallHead | RecallLink;
  /** Characters the entry itself takes. */
  readonly cost: number;
}

/**
 * Takes siblings into the answer, and gives them and the sections referred to their contents, which
 * go to `extras`; answers what that costs.
 */
export function fillExtras(
  reader: RecallReader,
  drafts: readonly Draft[],
  { depth, room, extras }: {
    readonly depth: number;
    readonly room: number;
    readonly extras: Extras;
  },
): number {
  if (depth < 2) return 0;
  const given = new Set(drafts.map(({ section }) => section.id));
  const groups = drafts.flatMap(({ around }) => toExtraGroups(around, depth));
  takeInTurn(groups, room);
  const waiting: [Extra, PendingContent][] = [];
  let left = room;
  for (const extra of groups.flatMap(({ taken }) => taken)) {
    const { entry } = extra;
    left -= extra.cost;
    if (given.has(entry.id)) {
      extras.set(
        entry,
        withheld(entry.size, "it stands in this answer already"),
      );
    } else if (typeOf(entry).startsWith("image/")) {
      extras.set(entry, withheld(entry.size, toImageHint(entry.kbid)));
    } else {
      given.add(entry.id);
      waiting.push([extra, readPending(reader, entry)]);
    }
  }
  const shares = share(waiting.map(([, { need }]) => need), left);
  for (const [index, [{ entry }, content]] of waiting.entries()) {
    extras.set(entry, show(content, shares[index] ?? 0));
    left -= shares[index] ?? 0;
  }
  for (const { around } of drafts) takeSiblings(around, extras);
  return room - left;
}

function typeOf(entry: RecallHead | RecallLink): string {
  return "sectionType" in entry ? entry.sectionType : entry.type;
}

/** The referenced sections of one recalled section, each once, and its siblings. */
function toExtraGroups(
  { siblings, references }: Surroundings,
  depth: number,
): Group<Extra>[] {
  // Their entries, and a note that they are shortened, are paid for as references.
  const links = depth < 3
    ? []
    : firstOfEach(references.taken).map((entry) => ({ entry, cost: 0 }));
  const heads = siblings.items.map((entry) => ({
    entry,
    cost: siblings.cost(entry) + NOTE_COST,
  }));
  return [links, heads].map((items) => ({
    items,
    total: items.length,
    taken: [],
    cost: ({ entry, cost }) => cost + Math.min(PIECE_CHARS, entry.size),
  }));
}

/** Links without those to a section that is referred to before. */
function firstOfEach(links: readonly RecallLink[]): RecallLink[] {
  const seen = new Set<SectionId>();
  return links.filter(({ id }) => !seen.has(id) && seen.add(id));
}

/** Takes those siblings that got something to show. */
function takeSiblings({ siblings }: Surroundings, extras: Extras): void {
  siblings.taken.push(...siblings.items.filter((entry) => extras.has(entry)));
}

/** Says of referenced sections without room for their contents how to get them. */
export function noteReferences({ around }: Draft, extras: Extras): void {
  const { references } = around;
  for (const entry of firstOfEach(references.taken)) {
    if (extras.has(entry)) continue;
    extras.set(
      entry,
      withheld(entry.size, `recall with kbid "${entry.kbid}"`),
    );
  }
}
