import {
  type DocumentId,
  KbError,
  type Kbid,
  LIMITS,
  sha256Hex,
  toKbid,
} from "../core/mod.ts";
import {
  addTags,
  type DocumentRow,
  findDocumentsBy,
  findSection,
  insertChunks,
  insertDocument,
  insertLink,
  keepSection,
  type LinkInput,
  listDocidsOf,
  markUpdated,
  nextPosition,
  placeSection,
  putSection,
  type SectionContent,
  type SectionInput,
  type Store,
} from "../store/mod.ts";
import { findImageType, preprocess, toSections } from "../text/mod.ts";
import { cutSection } from "./cut_section.ts";
import { toContext, toTargetPath } from "./prepare.ts";
import type { Measure } from "./types.ts";

/** What to learn: one section, however many headings it has. */
export interface LearnInput {
  /** Text, or the bytes of an image. */
  readonly content: SectionContent;
  /** `text/*`, `application/json` or `image/*`. */
  readonly type: string;
  /** Title; required for an image. */
  readonly title?: string;
  /** What it is about. */
  readonly description?: string;
  /** Document it joins. */
  readonly docid?: string;
  /** Tags of the document. */
  readonly tags?: readonly string[];
  /** Collection of the document. */
  readonly collection?: string;
}

/** What became of a learned content. */
export interface LearnedSection {
  /** Name of the section. */
  readonly kbid: Kbid;
  /** As stored. */
  readonly section: Pick<SectionInput, "sectionType" | "title" | "description">;
  /** Texts it was indexed by; `[]` if it was there. */
  readonly indexedTexts: readonly string[];
  /** Whether the section is new. */
  readonly created: boolean;
  /** Whether a section that was there joined the document. */
  readonly attached: boolean;
}

/**
 * Learns a content as one section. It joins the document `docid`, made if it is not there, or
 * stands alone.
 *
 * @throws {KbError} `invalid_input` if the content is blank, too long, has a NUL character or is an
 * image without title; `unsupported_type` for another type; `conflict` if the document is a file's
 * or an agent.
 */
export function learn(
  store: Store,
  input: LearnInput,
  measure: Measure,
): LearnedSection {
  const { section, links } = input.type.startsWith("image/")
    ? { section: toImage(input), links: [] }
    : toText(input);
  return store.write(() => {
    const kbid = toKbid(section.content);
    const document = findTarget(store, input.docid);
    const before = findSection(store, kbid);
    const { id, created } = putSection(store, section);
    const chunks = created ? cutSection(section, measure) : [];
    insertChunks(store, [{ sectionId: id, chunks }]);
    if (created) {
      for (const link of links) insertLink(store, null, id, link);
    }
    if (input.docid === undefined) keepSection(store, id);
    const joined = input.docid !== undefined &&
      join(store, { ...input, docid: input.docid }, {
        kbid,
        id,
        section,
        document,
      });
    return {
      kbid,
      section: before ?? section,
      indexedTexts: typeof section.content === "string" && created
        ? [section.context, section.content]
        : [],
      created,
      attached: joined && !created,
    };
  });
}

/** Makes a section of a text. */
function toText(
  { content, type, title, description }: LearnInput,
): { section: SectionInput; links: readonly LinkInput[] } {
  if (!/^(text\/[\w.+-]+|application\/json)$/.test(type)) {
    throw new KbError(
      "unsupported_type",
      `Cannot learn "${type}": the type must be text/*, application/json or image/*`,
    );
  }
  if (typeof content !== "string") {
    throw new KbError("invalid_input", `Cannot learn bytes as "${type}"`);
  }
  const text = preprocess(content);
  if (text === "") {
    throw new KbError("invalid_input", "Cannot learn: the content is empty");
  }
  if (text.length > LIMITS.noteChars) {
    throw new KbError(
      "invalid_input",
      `Cannot learn: the content has ${text.length} characters, the limit is ${LIMITS.noteChars}; learn it in parts`,
    );
  }
  if (text.includes("\0")) {
    throw new KbError(
      "invalid_input",
      "Cannot learn: the content has a NUL character",
    );
  }
  const parsed = toSections(text, { mime: type });
  const heading = cutTitle(title ?? parsed.title ?? parsed.sections[0]?.title);
  return {
    section: toSection({ type, title: heading, description }, text),
    links: parsed.sections.flatMap(({ links }) => links).map((link) => ({
      ...link,
      targetPath: toTargetPath(link, undefined),
    })),
  };
}

/** Makes a section of an image. */
function toImage(
  { content, type, title, description }: LearnInput,
): SectionInput {
  if (typeof content === "string") {
    throw new KbError("invalid_input", `Cannot learn text as "${type}"`);
  }
  if (title === undefined || title.trim() === "") {
    throw new KbError("invalid_input", `title is required for ${type}`);
  }
  if (content.length === 0) {
    throw new KbError("invalid_input", "Cannot learn: the image has no bytes");
  }
  if (content.length > LIMITS.imageBytes) {
    throw new KbError(
      "invalid_input",
      `Cannot learn: the image has ${content.length} bytes, the limit is ${LIMITS.imageBytes}`,
    );
  }
  const found = findImageType(content);
  if (found !== undefined && found !== type) {
    throw new KbError(
      "invalid_input",
      `Cannot learn the image as ${type}: its bytes are ${found}; give that as the type`,
    );
  }
  return toSection({ type, title: cutTitle(title), description }, content);
}

function toSection(
  { type, title, description }: {
    readonly type: string;
    readonly title: string | null;
    readonly description: string | undefined;
  },
  content: SectionContent,
): SectionInput {
  const about = description?.trim() ?? "";
  if (about.length > LIMITS.descriptionChars) {
    throw new KbError(
      "invalid_input",
      `Cannot learn: the description has ${about.length} characters, the limit is ${LIMITS.descriptionChars}`,
    );
  }
  return {
    sectionType: type,
    title,
    description: about === "" ? null : about,
    // An image is found by the chunk of its title and description; a text has them before it.
    context: typeof content === "string"
      ? toContext(title ?? "", about === "" ? [] : [about])
      : "",
    content,
  };
}

function cutTitle(title: string | null | undefined): string | null {
  const text = title?.replace(/\s+/gu, " ").trim() ?? "";
  return text === "" ? null : text.slice(0, LIMITS.titleChars).toWellFormed();
}

/** The document to join, if it is there; one that is a file's or an agent cannot be joined. */
function findTarget(
  store: Store,
  docid: string | undefined,
): DocumentRow | undefined {
  if (docid === undefined) return undefined;
  const [document] = findDocumentsBy(store, "docid", docid);
  if (
    document?.docType === "agent" || typeof document?.sourcePath === "string"
  ) {
    const kind = document.docType === "agent"
      ? "an agent"
      : "a file's document";
    throw new KbError(
      "conflict",
      `Cannot add the section to "${docid}": that is ${kind}; choose another docid`,
      { details: { docid } },
    );
  }
  return document;
}

/** Puts a section at the end of a document, making that where needed; `false` if it is in it. */
function join(
  store: Store,
  input: LearnInput & { readonly docid: string },
  { kbid, id, section, document }: {
    readonly kbid: Kbid;
    readonly id: Parameters<typeof placeSection>[3];
    readonly section: SectionInput;
    readonly document: DocumentRow | undefined;
  },
): boolean {
  const { docid, tags = [], collection } = input;
  const documentId = document?.id ?? makeDocument(store, docid, section);
  addTags(store, documentId, [
    ...tags,
    ...(collection !== undefined
      ? [`collection:${collection}`]
      : document === undefined
      ? ["collection:documents"]
      : []),
  ]);
  if (document !== undefined && listDocidsOf(store, id).includes(docid)) {
    return false;
  }
  const lines = typeof section.content === "string"
    ? section.content.split("\n").length
    : 1;
  placeSection(store, documentId, nextPosition(store, documentId), id, {
    headingPath: section.title === null ? [] : [section.title],
    lineStart: 1,
    lineEnd: lines,
  });
  if (document !== undefined) {
    markUpdated(store, documentId, sha256Hex(document.contentHash + kbid));
  }
  return true;
}

function makeDocument(
  store: Store,
  docid: string,
  { sectionType, title, content }: SectionInput,
): DocumentId {
  return insertDocument(store, {
    docid,
    title: title ?? docid,
    docType: toDocType(sectionType),
    mime: sectionType,
    sourcePath: null,
    contentHash: sha256Hex(content),
    metadata: {},
    warnings: [],
  });
}

function toDocType(type: string): string {
  if (type === "text/markdown") return "markdown";
  if (type === "application/json") return "json";
  if (type.startsWith("image/")) return "image";
  return type === "text/plain" ? "text" : "code";
}
