import { LIMITS, type SectionId } from "../core/mod.ts";
import { costOf, type Group } from "./budget.ts";
import { NOTE_COST } from "./contents.ts";
import type {
  RecalledBackReference,
  RecalledDocument,
  RecalledHead,
  RecalledReference,
  RecallHead,
  RecallHolder,
  RecallLink,
  RecallLinks,
  RecallReader,
} from "./recall_types.ts";
import type { ComposeSection } from "./types.ts";

/** Columns at which the parts of an answer stand. */
const INDENT = { list: 6, inner: 10 } as const;
/** Referenced sections whose own back-references are looked up. */
const REFERENCED = 20;
/** Back-references of a referenced section that are shown. */
const REFERENCED_BACK = 10;

/** A document of a recalled section with its list of sections. */
export interface DraftDocument {
  /** The document. */
  readonly holder: RecallHolder;
  /** Its sections, nearest first. */
  readonly heads: Group<RecallHead>;
}

/** What may stand beside a recalled section. */
export interface Surroundings {
  /** From depth 1 on. */
  readonly documents: Group<DraftDocument>;
  /** From depth 1 on. */
  readonly backReferences: Group<RecallLink>;
  /** From depth 2 on. */
  readonly references: Group<RecallLink>;
  /** From depth 2 on, nearest first. */
  readonly siblings: Group<RecallHead>;
  /** From depth 3 on: by the section referred to. */
  readonly referenced: ReadonlyMap<SectionId, Group<RecallLink>>;
}

/** Shows a section as lists do. */
export function toHead(section: ComposeSection): RecalledHead {
  const { kbid, title, sectionType } = section;
  return { kbid, heading: title, type: sectionType };
}

/** Shows a document with those of its sections that were taken. */
export function toDocument(
  { holder: { docid, title }, heads }: DraftDocument,
): RecalledDocument {
  const sections = heads.taken.toSorted((a, b) => a.position - b.position)
    .map(toHead);
  const sectionsOmitted = heads.total - sections.length;
  return {
    docid,
    title,
    sections,
    ...(sectionsOmitted > 0 ? { sectionsOmitted } : {}),
  };
}

/** Shows a reference from elsewhere. */
export function toBackReference(link: RecallLink): RecalledBackReference {
  const { kbid, heading, type, markerType, contextSnippet } = link;
  return { kbid, heading, type, markerType, contextSnippet, direction: "back" };
}

/** Shows a reference to elsewhere, without what it refers to. */
export function toReference(link: RecallLink): RecalledReference {
  return { ...toBackReference(link), direction: "forward" };
}

function costOfLink(link: RecallLink): number {
  return costOf(toBackReference(link), INDENT.list);
}

function costOfInnerLink(link: RecallLink): number {
  return costOf(toBackReference(link), INDENT.inner);
}

function costOfHead(head: RecallHead): number {
  return costOf(toHead(head), INDENT.inner);
}

function costOfDocument({ holder: { docid, title } }: DraftDocument): number {
  return costOf({ docid, title, sections: [], sectionsOmitted: 1e6 }, 6);
}

/** What a sibling costs without its content. */
export function costOfSibling(head: RecallHead): number {
  return costOf({ ...toHead(head), content: "" }, INDENT.list);
}

function toGroup<T>(
  items: readonly T[],
  total: number,
  cost: (item: T) => number,
): Group<T> {
  return { items, total, taken: [], cost };
}

function toLinkGroup(
  { references, hasMore }: RecallLinks,
  cost: (link: RecallLink) => number,
): Group<RecallLink> {
  return toGroup(references, references.length + (hasMore ? 1 : 0), cost);
}

/**
 * Reads what may stand beside a section at a depth, bounded, without contents.
 *
 * @param limit Most sections of one document.
 */
export function gather(
  reader: RecallReader,
  section: ComposeSection,
  holders: readonly RecallHolder[],
  { depth, limit }: { readonly depth: number; readonly limit: number },
): Surroundings {
  const documents = depth < 1 ? [] : holders.map((holder) => ({
    holder,
    heads: toGroup(
      nearest(reader, holder, limit),
      reader.countSections(holder.id),
      costOfHead,
    ),
  }));
  const none: RecallLinks = { references: [], hasMore: false };
  const references = depth < 2
    ? none
    : reader.listReferences(section.id, LIMITS.references);
  const back = depth < 1
    ? none
    : reader.listBackReferences(section.id, LIMITS.references);
  return {
    documents: toGroup(documents, documents.length, costOfDocument),
    backReferences: toLinkGroup(back, costOfLink),
    references: toLinkGroup(
      references,
      depth < 3 ? costOfLink : (link) => costOfLink(link) + NOTE_COST,
    ),
    siblings: depth < 2
      ? toGroup([], 0, costOfSibling)
      : listSiblings(section.id, documents),
    referenced: depth < 3
      ? new Map()
      : listReferenced(reader, references.references),
  };
}

/** Sections around the place of one in its document, nearest first, itself among them. */
function nearest(
  reader: RecallReader,
  { id, position }: RecallHolder,
  limit: number,
): RecallHead[] {
  const before = reader.listBefore(id, position - 1, limit);
  const from = reader.listFrom(id, position, limit);
  const heads: RecallHead[] = [];
  for (let i = 0; i < limit && heads.length < limit; i++) {
    heads.push(...from.slice(i, i + 1), ...before.slice(i, i + 1));
  }
  return heads.slice(0, limit);
}

/** The other sections of the same documents, each once. */
function listSiblings(
  id: SectionId,
  documents: readonly DraftDocument[],
): Group<RecallHead> {
  const found = new Map<SectionId, RecallHead>();
  let isComplete = true;
  let total = 0;
  for (const { heads } of documents) {
    if (heads.items.length < heads.total) isComplete = false;
    total += heads.total - 1;
    for (const head of heads.items) {
      if (head.id !== id && !found.has(head.id)) found.set(head.id, head);
    }
  }
  const items = [...found.values()];
  return toGroup(items, isComplete ? items.length : total, costOfSibling);
}

/** The back-references of sections that are referred to. */
function listReferenced(
  reader: RecallReader,
  references: readonly RecallLink[],
): Map<SectionId, Group<RecallLink>> {
  const referenced = new Map<SectionId, Group<RecallLink>>();
  for (const { id } of references) {
    if (referenced.size >= REFERENCED) break;
    if (referenced.has(id)) continue;
    const links = reader.listBackReferences(id, REFERENCED_BACK);
    referenced.set(id, toLinkGroup(links, costOfInnerLink));
  }
  return referenced;
}
