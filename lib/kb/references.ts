import {
  type DocumentId,
  isKbid,
  LIMITS,
  type SectionId,
} from "../core/mod.ts";
import {
  findFirstSection,
  findNamedByDocid,
  findNamedByPath,
  findNamedDocument,
  findSectionAtLine,
  findSectionHead,
  findStandaloneByTitle,
  type LinkRow,
  listAnchorRows,
  type NamedDocument,
  type Store,
} from "../store/mod.ts";
import { anchorMaker, findMarks, toAnchor } from "../text/mod.ts";
import { NameFinder } from "./reference_names.ts";

/** What is needed of a link to know what it means. */
export type LinkSource = Pick<
  LinkRow,
  "documentId" | "sectionId" | "type" | "target" | "targetPath"
>;

/** What a link means. */
export type LinkTarget =
  | {
    readonly kind: "section";
    readonly sectionId: SectionId;
    /** Document it was found in; not set if it was found by its own name. */
    readonly document?: NamedDocument;
  }
  | {
    readonly kind: "document";
    readonly document: NamedDocument;
    /** Section that stands for the whole; not set if the document has none. */
    readonly firstSectionId?: SectionId;
  }
  | {
    readonly kind: "missing";
    /** What there is not, e.g. `no document or section is named "X"`. */
    readonly reason: string;
    /** Set if the document is there and only the place in it is not. */
    readonly document?: NamedDocument;
  };

const URI = /^kbdb:\/\/(section|document)\/([^#?]+)(?:\?[^#]*)?(?:#(.*))?$/i;
/** An anchor written into the text: an HTML attribute or a heading id. */
const WRITTEN_ANCHOR = /\b(?:id|name)=["']([^"'\s]+)["']|\{#([\w:.-]+)\}/g;
const LINE_ANCHOR = /^L(\d{1,9})(?:C\d+)?(?:-L?\d+(?:C\d+)?)?$/i;

/** Decodes `%xx`; a lone "%" is a part of the name. */
export function decodeName(name: string): string {
  if (!name.includes("%")) return name;
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

/**
 * Finds out what links mean, on one snapshot of the base.
 *
 * A path leads to the document that came from that file, with or without `.md`. A wiki link leads
 * to the document of that docid, title or file name, with or without folders and extension, else to
 * the section of that kbid, or that title if it stands alone; of several documents the one in the
 * same collection wins, then the nearest by path, then the oldest. Behind `#` stands a heading, as
 * GitHub's anchor or as written, an HTML id, or a line (`#L10`); in a document without headings it
 * counts for nothing. Only the case of ASCII letters is passed over. Answers are remembered, so make
 * a new one after a change.
 */
export class ReferenceResolver {
  readonly #store: Store;
  readonly #names: NameFinder;
  readonly #anchors: Map<DocumentId, ReadonlyMap<string, SectionId>> =
    new Map();
  #anchorCount = 0;

  /** Makes a resolver that remembers nothing yet. */
  constructor(store: Store) {
    this.#store = store;
    this.#names = new NameFinder(store);
  }

  /** Finds what a link means. */
  resolve(link: LinkSource): LinkTarget {
    const { type, target, targetPath } = link;
    const uri = URI.exec(target);
    if (uri !== null) return this.#resolveUri(uri);
    if (/^kbdb:/i.test(target)) {
      return missing(`"${target}" is no address of a section or document`);
    }
    if (target.startsWith("#")) return this.#resolveOwn(link);
    const isName = type === "wikilink" || type === "embed" ||
      targetPath === null;
    return isName
      ? this.#resolveName(link)
      : this.#resolvePath(targetPath, anchorOf(target));
  }

  /** The anchors of a document's headings, and the section each leads to. */
  anchorsOf(documentId: DocumentId): ReadonlyMap<string, SectionId> {
    const known = this.#anchors.get(documentId);
    if (known !== undefined) return known;
    const anchors = readAnchors(this.#store, documentId);
    if (this.#anchorCount + anchors.size > LIMITS.cachedAnchors) {
      this.#anchors.clear();
      this.#anchorCount = 0;
    }
    this.#anchorCount += anchors.size;
    this.#anchors.set(documentId, anchors);
    return anchors;
  }

  #resolveUri(
    [, kind = "", rawName = "", anchor]: RegExpExecArray,
  ): LinkTarget {
    const name = decodeName(rawName);
    if (kind.toLowerCase() === "section") {
      const kbid = name.toLowerCase();
      const section = isKbid(kbid)
        ? findSectionHead(this.#store, kbid)
        : undefined;
      return section === undefined
        ? missing(`no section has the kbid "${name}"`)
        : { kind: "section", sectionId: section.id };
    }
    const document = findNamedByDocid(this.#store, name) ??
      (/^\d{1,15}$/.test(name)
        ? findNamedDocument(this.#store, Number(name) as DocumentId)
        : undefined);
    return document === undefined
      ? missing(`no document has the docid "${name}"`)
      : this.#placeIn(document, anchor);
  }

  /** A heading of the text that has the link. */
  #resolveOwn({ target, documentId, sectionId }: LinkSource): LinkTarget {
    const document = documentId === null
      ? undefined
      : findNamedDocument(this.#store, documentId);
    return document === undefined
      ? { kind: "section", sectionId }
      : this.#placeIn(document, target.slice(1));
  }

  #resolvePath(path: string, anchor: string | undefined): LinkTarget {
    const document = findNamedByPath(this.#store, path) ??
      findNamedByPath(this.#store, `${path}.md`);
    return document === undefined
      ? missing(`no document came from ${path}`)
      : this.#placeIn(document, anchor);
  }

  #resolveName({ type, target, documentId }: LinkSource): LinkTarget {
    const isWritten = type === "wikilink" || type === "embed";
    const written = isWritten ? target : decodeName(target);
    const whole = this.#names.find(written, documentId);
    if (whole !== undefined) return this.#placeIn(whole, undefined);
    const name = written.split("#", 1)[0]?.trim() ?? "";
    const document = name === written
      ? undefined
      : this.#names.find(name, documentId);
    if (document !== undefined) {
      return this.#placeIn(document, written.slice(written.indexOf("#") + 1));
    }
    const kbid = name.toLowerCase();
    const sectionId = isKbid(kbid)
      ? findSectionHead(this.#store, kbid)?.id
      : findStandaloneByTitle(this.#store, written) ??
        findStandaloneByTitle(this.#store, name);
    return sectionId === undefined
      ? missing(`no document or section is named "${name}"`)
      : { kind: "section", sectionId };
  }

  /** A document, or the place in it that an anchor names. */
  #placeIn(document: NamedDocument, anchor: string | undefined): LinkTarget {
    const name = decodeName(anchor ?? "").trim();
    if (name === "" || name.startsWith("^") || name.toLowerCase() === "top") {
      return this.#whole(document);
    }
    const anchors = this.anchorsOf(document.id);
    const last = name.slice(name.lastIndexOf("#") + 1);
    const sectionId = anchors.get(name) ?? anchors.get(name.toLowerCase()) ??
      anchors.get(toAnchor(name)) ?? anchors.get(toAnchor(last)) ??
      this.#atLine(document, name);
    if (sectionId !== undefined) {
      return { kind: "section", sectionId, document };
    }
    if (anchors.size === 0) return this.#whole(document);
    return {
      kind: "missing",
      reason: `the document "${document.title}" has no heading "${name}"`,
      document,
    };
  }

  #atLine({ id }: NamedDocument, anchor: string): SectionId | undefined {
    const line = LINE_ANCHOR.exec(anchor)?.[1];
    return line === undefined
      ? undefined
      : findSectionAtLine(this.#store, id, Number(line));
  }

  #whole(document: NamedDocument): LinkTarget {
    const firstSectionId = findFirstSection(this.#store, document.id);
    return {
      kind: "document",
      document,
      ...(firstSectionId === undefined ? {} : { firstSectionId }),
    };
  }
}

function missing(reason: string): LinkTarget {
  return { kind: "missing", reason };
}

/** What is behind the first "#" of a path; `undefined` if there is none. */
function anchorOf(target: string): string | undefined {
  const at = target.indexOf("#");
  return at === -1 ? undefined : target.slice(at + 1);
}

/** Reads the anchors of a document; of two that are alike the first counts. */
function readAnchors(
  store: Store,
  documentId: DocumentId,
): Map<string, SectionId> {
  const anchors = new Map<string, SectionId>();
  const written = new Map<string, SectionId>();
  const next = anchorMaker();
  for (const row of listAnchorRows(store, documentId)) {
    const { sectionId, title, text, hasHeadings } = row;
    const inner = hasHeadings && text !== null ? findMarks(text).headings : [];
    const titles = inner.flatMap((heading) => heading.title ?? []);
    // A note's title is no heading of its text, yet a link may name it.
    if (title !== null && !titles.includes(title)) titles.unshift(title);
    for (const heading of titles) {
      const anchor = next(heading);
      if (!anchors.has(anchor)) anchors.set(anchor, sectionId);
    }
    for (const [, id, headingId] of (text ?? "").matchAll(WRITTEN_ANCHOR)) {
      const anchor = id ?? headingId ?? "";
      if (!written.has(anchor)) written.set(anchor, sectionId);
    }
  }
  for (const [anchor, sectionId] of written) {
    if (!anchors.has(anchor)) anchors.set(anchor, sectionId);
  }
  return anchors;
}
