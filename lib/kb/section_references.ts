import {
  type Kbid,
  LIMITS,
  type LinkType,
  type SectionId,
} from "../core/mod.ts";
import {
  findNamedDocument,
  findSectionHeadById,
  findStandaloneByTitle,
  type HeadRow,
  type LinkRow,
  listHoldingDocuments,
  listLinksOf,
  listLinksToNames,
  type ListLinksToOptions,
  listLinksToPath,
  type NamedDocument,
  type Store,
} from "../store/mod.ts";
import { namesOf } from "./reference_names.ts";
import type { LinkTarget, ReferenceResolver } from "./references.ts";

/** A reference from or to a section. */
export interface SectionReference {
  /** Integer id of the section at the other end. */
  readonly id: SectionId;
  /** Name of its content. */
  readonly kbid: Kbid;
  /** Its heading, or `null`. */
  readonly heading: string | null;
  /** Its MIME type, or `skill`. */
  readonly type: string;
  /** How it is written. */
  readonly markerType: LinkType;
  /** The sentence around it. */
  readonly contextSnippet: string;
  /** Bytes of its content. */
  readonly size: number;
}

/** References of one section. */
export interface SectionReferences {
  /** Without duplicates and without those of a section to itself. */
  readonly references: readonly SectionReference[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
}

/** The section a link leads to; of a whole document its first. */
export function toSectionId(target: LinkTarget): SectionId | undefined {
  if (target.kind === "section") return target.sectionId;
  return target.kind === "document" ? target.firstSectionId : undefined;
}

/** Gathers references up to a limit, each once. */
class Gatherer {
  readonly references: SectionReference[] = [];
  readonly #store: Store;
  readonly #limit: number;
  readonly #seen: Set<string> = new Set();
  readonly #heads: Map<SectionId, HeadRow | undefined> = new Map();

  constructor(store: Store, limit: number) {
    this.#store = store;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return this.references.length >= this.#limit;
  }

  add(otherId: SectionId, link: LinkRow): void {
    const key = `${otherId} ${link.type} ${link.contextSnippet}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    if (!this.#heads.has(otherId)) {
      this.#heads.set(otherId, findSectionHeadById(this.#store, otherId));
    }
    const head = this.#heads.get(otherId);
    if (head === undefined) return;
    this.references.push({
      id: otherId,
      kbid: head.kbid,
      heading: head.title,
      type: head.sectionType,
      markerType: link.type,
      contextSnippet: link.contextSnippet,
      size: head.size,
    });
  }
}

/**
 * Lists the references of a section, in the order of its text; what is not there is left out.
 *
 * @param store Open store.
 * @param resolver What links mean.
 * @param id The section.
 * @param limit Most references.
 */
export function listReferences(
  store: Store,
  resolver: ReferenceResolver,
  id: SectionId,
  limit: number = LIMITS.references,
): SectionReferences {
  const gatherer = new Gatherer(store, limit);
  const links = listLinksOf(store, id, LIMITS.linkCandidates);
  let hasMore = links.length === LIMITS.linkCandidates;
  for (const link of links) {
    const target = toSectionId(resolver.resolve(link));
    if (target === undefined || target === id) continue;
    if (gatherer.isFull) {
      hasMore = true;
      break;
    }
    gatherer.add(target, link);
  }
  return { references: gatherer.references, hasMore };
}

/**
 * Lists the sections that refer to a section; a link to a whole document refers to its first.
 *
 * Candidates are read by index: links written as one of the names of the section or of a document
 * that has it. Each is then resolved from where it stands, as a name can mean another document
 * there, so that this is the exact reverse of {@linkcode listReferences}.
 *
 * @param store Open store.
 * @param resolver What links mean.
 * @param id The section.
 * @param limit Most references.
 */
export function listBackReferences(
  store: Store,
  resolver: ReferenceResolver,
  id: SectionId,
  limit: number = LIMITS.references,
): SectionReferences {
  const gatherer = new Gatherer(store, limit);
  let hasMore = false;
  const looked = new Set<number>();
  for (const links of candidates(store, resolver, id)) {
    if (links.length >= LIMITS.linkCandidates) hasMore = true;
    for (const link of links) {
      if (link.sectionId === id || looked.has(link.id)) continue;
      looked.add(link.id);
      if (toSectionId(resolver.resolve(link)) !== id) continue;
      if (gatherer.isFull) {
        return { references: gatherer.references, hasMore: true };
      }
      gatherer.add(link.sectionId, link);
    }
  }
  return { references: gatherer.references, hasMore };
}

const LIMIT = { limit: LIMITS.linkCandidates };
const WHOLE: ListLinksToOptions = { ...LIMIT, anchor: "whole" };
const PART: ListLinksToOptions = { ...LIMIT, anchor: "part" };

/** Reads the links that may lead to a section, by each way to name it. */
function* candidates(
  store: Store,
  resolver: ReferenceResolver,
  id: SectionId,
): Generator<LinkRow[]> {
  const head = findSectionHeadById(store, id);
  if (head === undefined) return;
  const names = [`kbdb://section/${head.kbid}`, head.kbid];
  if (
    head.title !== null && findStandaloneByTitle(store, head.title) === id
  ) names.push(head.title);
  yield listLinksToNames(store, names, WHOLE);
  yield listLinksToNames(store, names, PART);
  const documents = listHoldingDocuments(store, id, LIMITS.recallDocuments);
  for (const { id: documentId, position } of documents) {
    const document = findNamedDocument(store, documentId);
    if (document === undefined) continue;
    yield* toDocument(store, document, position === 0);
    const own = [...resolver.anchorsOf(documentId)]
      .filter(([, sectionId]) => sectionId === id)
      .flatMap(([anchor]) => [`#${anchor}`, `#${encodeURIComponent(anchor)}`]);
    if (head.title !== null) own.push(`#${head.title}`);
    yield listLinksToNames(store, [...new Set(own)], { ...WHOLE, documentId });
  }
}

/** Reads the links that may lead into a document; those to the whole of it only for its first section. */
function* toDocument(
  store: Store,
  document: NamedDocument,
  isFirst: boolean,
): Generator<LinkRow[]> {
  const { id, docid, sourcePath } = document;
  const names = namesOf(document);
  names.push(
    ...[docid, encodeURIComponent(docid), String(id)].map((name) =>
      `kbdb://document/${name}`
    ),
  );
  // Names that a Markdown link in a note has to write with "%20".
  names.push(...names.filter((it) => it.includes(" ")).map(encodeURI));
  const paths = sourcePath === null
    ? []
    : [sourcePath, sourcePath.replace(/\.md$/, "")];
  for (const options of isFirst ? [WHOLE, PART] : [PART]) {
    yield listLinksToNames(store, [...new Set(names)], options);
    for (const path of new Set(paths)) {
      yield listLinksToPath(store, path, options);
    }
  }
}
