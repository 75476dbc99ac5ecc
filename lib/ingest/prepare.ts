import {
  basename,
  dirname,
  extname,
  isAbsolute,
  join,
  resolve,
} from "node:path";
import { type JsonObject, KbError, LIMITS, sha256Hex } from "../core/mod.ts";
import type {
  ChunkInput,
  DocumentInput,
  LinkInput,
  PlacementInput,
  SectionInput,
} from "../store/mod.ts";
import {
  type DetectedDocument,
  type DetectedText,
  type Extracted,
  hasOwnLines,
  preprocess,
  type TextDocument,
  type TextSection,
  toSections,
} from "../text/mod.ts";
import { cutSection } from "./cut_section.ts";
import type { Measure } from "./types.ts";

/** Names how texts are cut and what is put before them; part of every vector's identity. */
export const CHUNKER_VERSION = "1";

/** Longest context put before a chunk, in UTF-16 units; what is cut is the outermost part. */
const CONTEXT_CHARS = 200;

/** A section with its place and links, ready to store. */
export interface PreparedSection {
  /** The section. */
  readonly section: SectionInput;
  /** Its chunks, in order. */
  readonly chunks: readonly ChunkInput[];
  /** Its place in the document. */
  readonly place: PlacementInput;
  /** References found in it. */
  readonly links: readonly LinkInput[];
}

/** A document ready to store. */
export interface PreparedDocument {
  /** The row, without its docid. */
  readonly document: Omit<DocumentInput, "docid">;
  /** Tags its frontmatter has. */
  readonly tags: readonly string[];
  /** In the order of the text; `[]` for an empty document. */
  readonly sections: readonly PreparedSection[];
}

/** A file as it was recognised and extracted. */
export interface ExtractedFile {
  /** What its bytes are. */
  readonly detected: DetectedText | DetectedDocument;
  /** What came out of them. */
  readonly extracted: Extracted;
  /** SHA-256 of its bytes, hex. */
  readonly contentHash: string;
}

/** Why a file that could be read gave nothing to index. */
const NO_TEXT = "The file has no text.";

/** Makes a document of a file; one without a section has the reason for its last warning. */
export function prepareFile(
  path: string,
  { detected, extracted, contentHash }: ExtractedFile,
  { measure, title: given }: {
    readonly measure: Measure;
    readonly title?: string;
  },
): PreparedDocument {
  const { docType } = extracted;
  const title = given ?? extracted.title ?? toFileTitle(path, docType);
  const { createdAt } = extracted;
  return {
    document: {
      title,
      docType,
      mime: detected.mime,
      sourcePath: path,
      contentHash,
      metadata: toMetadata(extracted),
      warnings: [
        ...detected.warnings,
        ...extracted.warnings,
        ...(extracted.sections.length === 0 ? [NO_TEXT] : []),
      ],
      ...(createdAt === undefined ? {} : { createdAt }),
    },
    tags: cleanTags(extracted.tags),
    sections: extracted.sections.map((section) =>
      prepareSection(section, title, path, measure)
    ),
  };
}

/**
 * Makes a document of an empty file, so that it is listed and its later text is an update.
 *
 * @param reason Why it is empty, kept as its warning.
 */
export function prepareEmptyFile(
  path: string,
  contentHash: string,
  reason: string,
): PreparedDocument {
  return {
    document: {
      title: basename(path),
      docType: "text",
      mime: "text/plain",
      sourcePath: path,
      contentHash,
      metadata: {},
      warnings: [reason],
    },
    tags: [],
    sections: [],
  };
}

/** What a note is made of. */
export interface NoteText {
  /** Markdown. */
  readonly text: string;
  /** Title; the first heading or line otherwise. */
  readonly title?: string;
}

/** Makes a document of one section from a note; `undefined` if the text is blank. */
export function prepareNote(
  note: NoteText,
  measure: Measure,
): PreparedDocument | undefined {
  const content = preprocess(note.text);
  if (content === "") return undefined;
  if (content.includes("\0")) {
    throw new KbError(
      "invalid_input",
      "Cannot add the note: it has a NUL character",
    );
  }
  const parsed = toSections(content, { mime: "text/markdown" });
  const title = note.title ?? parsed.title ?? toNoteTitle(content);
  const section: TextSection = {
    title,
    headingPath: [],
    level: 0,
    content,
    mime: "text/markdown",
    lineStart: 1,
    lineEnd: content.split("\n").length,
    links: parsed.sections.flatMap((part) => part.links),
  };
  return {
    document: {
      title,
      docType: "note",
      mime: "text/markdown",
      sourcePath: null,
      contentHash: sha256Hex(content),
      metadata: toMetadata(parsed),
      warnings: parsed.warnings,
    },
    tags: cleanTags(parsed.tags),
    sections: [prepareSection(section, title, undefined, measure)],
  };
}

function toMetadata(text: TextDocument): JsonObject {
  return text.tags.length === 0
    ? text.metadata
    : { ...text.metadata, tags: [...text.tags] };
}

/** A code file is known by its whole name, a document by its name without extension. */
function toFileTitle(path: string, docType: string): string {
  const name = basename(path);
  return docType === "code" ? name : basename(name, extname(name)) || name;
}

/** First words of a note. */
function toNoteTitle(content: string): string {
  const line = content.slice(0, content.indexOf("\n") >>> 0).replace(
    /^[#>\-*\s]+/u,
    "",
  );
  const words = line.trim() === "" ? "Note" : line.trim();
  return words.length <= 80
    ? words
    : `${words.slice(0, 80).toWellFormed().trimEnd()}…`;
}

/** Keeps tags within the limits; a `collection:` tag comes from the caller, never from a file. */
export function cleanTags(tags: readonly string[]): string[] {
  return tags
    .filter((tag) =>
      tag.length <= LIMITS.tagChars && !tag.startsWith("collection:")
    )
    .slice(0, LIMITS.documentTags);
}

/** Document title and headings above and of a section, outermost first, each once. */
export function toContext(
  title: string,
  headingPath: readonly string[],
): string {
  const parts = headingPath[0] === title
    ? headingPath
    : [title, ...headingPath];
  const context = parts.join(" > ");
  if (context.length <= CONTEXT_CHARS) return context;
  return context.slice(-CONTEXT_CHARS).toWellFormed().replace(/^\S*\s/u, "");
}

function prepareSection(
  section: TextSection,
  title: string,
  path: string | undefined,
  measure: Measure,
): PreparedSection {
  const { image, mime, headingPath, lineStart, lineEnd, page } = section;
  const input: SectionInput = {
    sectionType: mime,
    title: section.title,
    description: section.description ?? null,
    // An image is found by the chunk of its title and description alone.
    context: image === undefined ? toContext(title, headingPath) : "",
    content: image ?? section.content,
  };
  return {
    section: input,
    chunks: cutSection(input, measure),
    place: {
      headingPath,
      lineStart,
      lineEnd,
      ...(page === undefined ? {} : { page }),
      exactLines: hasOwnLines(section),
    },
    links: section.links.map((link) => ({
      ...link,
      targetPath: toTargetPath(link, path),
    })),
  };
}

/** The file a relative reference means; `null` for everything else, such as a wiki link's name. */
export function toTargetPath(
  { type, target }: TextSection["links"][number],
  path: string | undefined,
): string | null {
  if (type === "wikilink" || type === "embed") return null;
  if (path === undefined || /^[a-z][a-z0-9+.-]*:/i.test(target)) return null;
  const [file = ""] = target.split(/[#?]/, 1);
  if (file === "") return null;
  let decoded = file;
  try {
    decoded = decodeURIComponent(file);
  } catch {
    // A lone "%" is a part of the name.
  }
  // A name that was uploaded is relative and stays so.
  return isAbsolute(path)
    ? resolve(dirname(path), decoded)
    : join(dirname(path), decoded);
}
