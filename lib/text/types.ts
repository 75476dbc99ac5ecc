import type { JsonObject, LinkType } from "../core/mod.ts";

/** What a document is, for filters. */
export type DocType =
  | "markdown"
  | "text"
  | "code"
  | "json"
  | "note"
  | "html"
  | "pdf"
  | "document"
  | "slides"
  | "sheet"
  | "book"
  | "email"
  | "notebook"
  | "image"
  | "archive";

/** How the bytes of a file were recognised. */
export type Detected = DetectedText | DetectedDocument | DetectedRejection;

/** Bytes that are text, decoded. */
export interface DetectedText {
  /** Tells the three apart. */
  readonly kind: "text";
  /** E.g. `text/markdown`, `text/x-python`, `application/json`. */
  readonly mime: string;
  /** What it is for filters and sections. */
  readonly docType: DocType;
  /** The decoded text without a byte order mark; line ends as they were. */
  readonly text: string;
  /** Lower-case name of the encoding the bytes were decoded from, e.g. `utf-8`. */
  readonly encoding: string;
  /** Sentences about guesses that were made; `[]` if none. */
  readonly warnings: readonly string[];
}

/** Bytes of a format that is no plain text and may hold some. */
export interface DetectedDocument {
  /** Tells the three apart. */
  readonly kind: "document";
  /** E.g. `application/pdf`, `image/png`. */
  readonly mime: string;
  /** What it is for filters. */
  readonly docType: DocType;
  /** With its article, to end the sentence "The file is …". */
  readonly name: string;
  /** A sentence about a name that says something else; `[]` if it does not. */
  readonly warnings: readonly string[];
}

/** Bytes that are not indexed. */
export interface DetectedRejection {
  /** Tells the three apart. */
  readonly kind: "rejected";
  /** How the file ends. */
  readonly state: "binary" | "not_text" | "empty" | "password_required";
  /** A sentence that names the likely cause. */
  readonly reason: string;
}

/** A reference found in a section; never taken from code. */
export interface TextLink {
  /** Kind of reference. */
  readonly type: LinkType;
  /** As written: `path#anchor`, a `kbdb://` URI, or a wiki title with its `#Heading`. */
  readonly target: string;
  /** Link text, alias or alternative text; `""` if there is none. */
  readonly label: string;
  /** The sentence around the link as written, white space collapsed, at most 200 UTF-16 units. */
  readonly contextSnippet: string;
  /** Line of the file, from 1. */
  readonly line: number;
}

/** A citable part of a document. */
export interface TextSection {
  /** The heading as plain text; `null` before the first heading, in code and in plain text. */
  readonly title: string | null;
  /** Titles of the enclosing headings and its own, outermost first; `[]` without headings. */
  readonly headingPath: readonly string[];
  /** Heading level 1 to 6; 0 if there is no heading. */
  readonly level: number;
  /** Preprocessed text, its heading line included; never blank, but `""` with `image`. */
  readonly content: string;
  /** The bytes of an image, which are stored as they are; it is found by title and description. */
  readonly image?: Uint8Array;
  /** What it is about, where the file says that. */
  readonly description?: string;
  /** Media type of `content`, that of the document. */
  readonly mime: string;
  /** First line of `content` in the file, from 1. */
  readonly lineStart: number;
  /** Last line of `content` in the file, from 1, inclusive. */
  readonly lineEnd: number;
  /** Page, slide or sheet on which it begins, from 1, in documents that have them. */
  readonly page?: number;
  /** In the order of the text. */
  readonly links: readonly TextLink[];
}

/** A text cut into sections. */
export interface TextDocument {
  /** Title from the frontmatter, else of the first level 1 heading, else `null`. */
  readonly title: string | null;
  /** Without duplicates, in the order written. */
  readonly tags: readonly string[];
  /** The frontmatter, dates as ISO 8601 strings; `{}` if there is none. */
  readonly metadata: JsonObject;
  /** ISO 8601 UTC, from `created` or `date`. */
  readonly createdAt?: string;
  /** ISO 8601 UTC, from `updated` or `modified`. */
  readonly updatedAt?: string;
  /** In the order of the text; `[]` if nothing but frontmatter and white space is there. */
  readonly sections: readonly TextSection[];
  /** Sentences about what could not be used; `[]` if none. */
  readonly warnings: readonly string[];
}

/** A window of a section for the embedding model. */
export interface TextChunk {
  /** UTF-16 offset into the section's content, inclusive. */
  readonly start: number;
  /** UTF-16 offset into the section's content, exclusive. */
  readonly end: number;
  /** Tokens of `text`, or of the span if `text` is not set. */
  readonly tokenCount: number;
  /** Line of the first character that is not white space, 0 for the section's first line. */
  readonly lineStart: number;
  /** Line of the last character that is not white space, inclusive, 0 for the section's first line. */
  readonly lineEnd: number;
  /** Set only if payload in the span was replaced by a mark like `[data:image/png, 12345 chars]`. */
  readonly text?: string;
}
