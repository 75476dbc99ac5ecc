import { type DocumentId, isKbid, type SectionId } from "../core/mod.ts";
import {
  type ComposeDocument,
  type ComposeItem,
  composeMarkdown,
  type ComposeMissing,
  type ComposeOptions,
  type ComposeReader,
  type Composition,
  type EmbedPlace,
  recall,
  type RecallAnswer,
  type RecallHead,
  type RecallOptions,
  type RecallReader,
} from "../compose/mod.ts";
import {
  countDocumentSections,
  countHoldingDocuments,
  findDocument,
  findSectionHead,
  findSectionHeadById,
  type ListHeadsOptions,
  listHoldingDocuments,
  listPlacedHeads,
  readSectionContent,
  type Store,
} from "../store/mod.ts";
import { ReferenceResolver } from "./references.ts";
import { findDocumentByRef } from "./refs.ts";
import { listBackReferences, listReferences } from "./section_references.ts";

/**
 * Composes one Markdown text of documents and sections, in the order given, on one snapshot.
 *
 * @param store Open store.
 * @param ids Kbids, docids, integer ids and paths, mixed.
 * @param options Which part of the text.
 * @throws {KbError} `invalid_input` for no ids or too many.
 * @throws {RangeError} If `maxChars` or `offset` is out of range.
 */
export function composeContent(
  store: Store,
  ids: readonly string[],
  options: ComposeOptions = {},
): Composition {
  return store.read(() =>
    composeMarkdown(new StoreComposeReader(store), ids, options)
  );
}

/**
 * Recalls sections with as much around them as a depth says, on one snapshot.
 *
 * @param store Open store.
 * @param kbids Sections.
 * @param options Depth, room, where to begin.
 * @throws {KbError} `invalid_input` for no kbids or too many, and for an offset with several.
 * @throws {RangeError} If `depth`, `maxChars` or `offset` is out of range.
 */
export function recallSections(
  store: Store,
  kbids: readonly string[],
  options: RecallOptions = {},
): RecallAnswer {
  return store.read(() => recall(toRecallReader(store), kbids, options));
}

/** Reads a store for the composer. */
class StoreComposeReader implements ComposeReader {
  readonly #store: Store;
  readonly #resolver: ReferenceResolver;

  constructor(store: Store) {
    this.#store = store;
    this.#resolver = new ReferenceResolver(store);
  }

  find(id: string): ComposeItem | undefined {
    const section = isKbid(id) ? findSectionHead(this.#store, id) : undefined;
    if (section !== undefined) return this.#toSection(section.id, null);
    const document = findDocumentByRef(this.#store, id);
    return document === undefined ? undefined : { kind: "document", document };
  }

  listSections(
    id: DocumentId,
    from: number,
    limit: number,
  ): ReturnType<ComposeReader["listSections"]> {
    return listPlacedHeads(this.#store, id, { from, limit });
  }

  readContent(id: SectionId): string | Uint8Array {
    return readSectionContent(this.#store, id);
  }

  findEmbedded(
    target: string,
    { documentId, sectionId }: EmbedPlace,
  ): ComposeItem | ComposeMissing {
    const found = this.#resolver.resolve({
      type: "embed",
      target,
      targetPath: null,
      documentId,
      sectionId,
    });
    if (found.kind === "missing") return found;
    const item = found.kind === "section"
      ? this.#toSection(found.sectionId, found.document?.id ?? null)
      : this.#toItem(found.document.id);
    return item ?? { kind: "missing", reason: "it is gone" };
  }

  /** A document; one that is nothing but an image is shown as that. */
  #toItem(id: DocumentId): ComposeItem | undefined {
    const [first, second] = listPlacedHeads(this.#store, id, {
      from: 0,
      limit: 2,
    });
    if (
      first !== undefined && second === undefined &&
      first.sectionType.startsWith("image/")
    ) return this.#toSection(first.id, id);
    const document: ComposeDocument | undefined = findDocument(this.#store, id);
    return document === undefined ? undefined : { kind: "document", document };
  }

  #toSection(
    id: SectionId,
    documentId: DocumentId | null,
  ): ComposeItem | undefined {
    const section = findSectionHeadById(this.#store, id);
    if (section === undefined) return undefined;
    const [holder] = listHoldingDocuments(this.#store, id, 1);
    return {
      kind: "section",
      section,
      documentId: documentId ?? holder?.id ?? null,
    };
  }
}

/** Reads a store for recall. */
function toRecallReader(store: Store): RecallReader {
  const resolver = new ReferenceResolver(store);
  function list(id: DocumentId, options: ListHeadsOptions): RecallHead[] {
    return listPlacedHeads(store, id, options).map((head) => ({
      ...head,
      documentId: id,
    }));
  }
  return {
    findSection: (kbid) =>
      isKbid(kbid) ? findSectionHead(store, kbid) : undefined,
    readContent: (id) => readSectionContent(store, id),
    listHolders(id, limit) {
      const documents = listHoldingDocuments(store, id, limit);
      const total = documents.length < limit
        ? documents.length
        : countHoldingDocuments(store, id);
      return { documents, total };
    },
    listBefore: (id, from, limit) =>
      list(id, { from, limit, direction: "down" }),
    listFrom: (id, from, limit) => list(id, { from, limit }),
    countSections: (id) => countDocumentSections(store, id),
    listReferences: (id, limit) => listReferences(store, resolver, id, limit),
    listBackReferences: (id, limit) =>
      listBackReferences(store, resolver, id, limit),
  };
}
