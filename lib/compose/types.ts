import type { DocumentId, JsonObject, Kbid, SectionId } from "../core/mod.ts";

/** A section as the composer needs it, without its content. */
export interface ComposeSection {
  /** Integer id. */
  readonly id: SectionId;
  /** Name of the content. */
  readonly kbid: Kbid;
  /** MIME type, or `skill`. */
  readonly sectionType: string;
  /** Heading, or `null`. */
  readonly title: string | null;
  /** What it is about, or `null`. */
  readonly description: string | null;
  /** Bytes of the content. */
  readonly size: number;
}

/** A section in its document. */
export interface PlacedComposeSection extends ComposeSection {
  /** Place in the document, from 0. */
  readonly position: number;
  /** Headings from the outermost to its own; `[]` without any. */
  readonly headingPath: readonly string[];
}

/** A document as the composer needs it, without its sections. */
export interface ComposeDocument {
  /** Integer id. */
  readonly id: DocumentId;
  /** Stable text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** `agent` for an agent; anything else is text. */
  readonly docType: string;
  /** Facts; an agent's `name`, `description`, `persona` and `skills`. */
  readonly metadata: JsonObject;
}

/** Something that can be composed. */
export type ComposeItem =
  | { readonly kind: "document"; readonly document: ComposeDocument }
  | {
    readonly kind: "section";
    readonly section: ComposeSection;
    /** Document it was found in, from which its links are understood. */
    readonly documentId: DocumentId | null;
  };

/** There is no such thing. */
export interface ComposeMissing {
  /** Tells it from an item. */
  readonly kind: "missing";
  /** What there is not, e.g. `no document or section is named "X"`. */
  readonly reason: string;
}

/** Where an embedding line stands. */
export interface EmbedPlace {
  /** Document whose text has it; `null` if the section stands alone. */
  readonly documentId: DocumentId | null;
  /** Section that has it. */
  readonly sectionId: SectionId;
}

/** What the composer reads from, on one snapshot of the base. */
export interface ComposeReader {
  /** Finds what an id names: a kbid, docid, integer id or path. */
  find(id: string): ComposeItem | undefined;
  /** Reads sections of a document in order, from a position on. */
  listSections(
    documentId: DocumentId,
    from: number,
    limit: number,
  ): readonly PlacedComposeSection[];
  /** Reads what a section says: text, or the bytes of an image. */
  readContent(id: SectionId): string | Uint8Array;
  /** Finds what `![[target]]` embeds. */
  findEmbedded(target: string, place: EmbedPlace): ComposeItem | ComposeMissing;
}

/** How to compose a text. */
export interface ComposeOptions {
  /** Longest text, in UTF-16 units, 2 to `LIMITS.answerCharsMax`; default `LIMITS.answerChars`. */
  readonly maxChars?: number;
  /** UTF-16 units of the text to pass over, from `nextOffset`; default 0. */
  readonly offset?: number;
}

/** A composed text, or a part of it. */
export interface Composition {
  /** Always Markdown. */
  readonly type: "text/markdown";
  /** The text from `offset` on, at most `maxChars` long. */
  readonly data: string;
  /** UTF-16 units of the whole text that stand before `data`. */
  readonly offset: number;
  /** Where to go on; not set at the end of the text. */
  readonly nextOffset?: number;
  /** Ids that name nothing, in the order given; the text says so in their places. */
  readonly unknownIds: readonly string[];
}
