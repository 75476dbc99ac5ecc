import type { DocumentId, Kbid, LinkType, SectionId } from "../core/mod.ts";
import type { ComposeReader, ComposeSection } from "./types.ts";

/** A section that is referred to, or refers. */
export interface RecallLink {
  /** Integer id. */
  readonly id: SectionId;
  /** Name of the content. */
  readonly kbid: Kbid;
  /** Heading, or `null`. */
  readonly heading: string | null;
  /** MIME type, or `skill`. */
  readonly type: string;
  /** How the reference is written. */
  readonly markerType: LinkType;
  /** The sentence around the reference. */
  readonly contextSnippet: string;
  /** Bytes of the content. */
  readonly size: number;
}

/** References of a section. */
export interface RecallLinks {
  /** The first ones. */
  readonly references: readonly RecallLink[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
}

/** A document a section stands in. */
export interface RecallHolder {
  /** Integer id. */
  readonly id: DocumentId;
  /** Stable text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** First place of the section in it. */
  readonly position: number;
}

/** A section of a document with its place. */
export interface RecallHead extends ComposeSection {
  /** The document. */
  readonly documentId: DocumentId;
  /** Place in the document. */
  readonly position: number;
}

/** What recall reads from, on one snapshot of the base. */
export interface RecallReader extends Pick<ComposeReader, "readContent"> {
  /** Finds a section. */
  findSection(kbid: string): ComposeSection | undefined;
  /** Lists the first documents a section stands in, and how many there are. */
  listHolders(
    id: SectionId,
    limit: number,
  ): { readonly documents: readonly RecallHolder[]; readonly total: number };
  /** Lists sections before a position, nearest first. */
  listBefore(
    id: DocumentId,
    position: number,
    limit: number,
  ): readonly RecallHead[];
  /** Lists sections from a position on. */
  listFrom(
    id: DocumentId,
    position: number,
    limit: number,
  ): readonly RecallHead[];
  /** Counts the places for sections in a document. */
  countSections(id: DocumentId): number;
  /** Lists what a section refers to. */
  listReferences(id: SectionId, limit: number): RecallLinks;
  /** Lists what refers to a section. */
  listBackReferences(id: SectionId, limit: number): RecallLinks;
}

/** How to recall. */
export interface RecallOptions {
  /** How much of the surroundings, 0 to 3; more counts as 3; default 0. */
  readonly depth?: number;
  /** Longest answer as indented JSON, 2,000 to `LIMITS.answerCharsMax`; default `LIMITS.answerChars`. */
  readonly maxChars?: number;
  /** UTF-16 units of the section's content to pass over; only with one kbid; default 0. */
  readonly offset?: number;
}

/** Says that a content is not shown whole. */
export interface ContentTruncated {
  /** UTF-16 units shown. */
  readonly shown: number;
  /** UTF-16 units of the whole; bytes, where nothing of it is shown. */
  readonly total: number;
  /** UTF-16 units passed over at the beginning, if any. */
  readonly offset?: number;
  /** How to get the rest; not set if what is shown reaches the end. */
  readonly next?: string;
}

/** A section as lists name it. */
export interface RecalledHead {
  /** Name of the content. */
  readonly kbid: Kbid;
  /** Heading, or `null`. */
  readonly heading: string | null;
  /** MIME type, or `skill`. */
  readonly type: string;
}

/** A section with what it says. */
export interface RecalledContent extends RecalledHead {
  /** Text, or the base64 of an image; `""` for an image that does not fit. */
  readonly content: string;
  /** Set if `content` is not all of it. */
  readonly contentTruncated?: ContentTruncated;
}

/** A document with the list of its sections. */
export interface RecalledDocument {
  /** Stable text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** Those nearest to the recalled section, in the order of the text. */
  readonly sections: readonly RecalledHead[];
  /** Sections that are not listed, if any. */
  readonly sectionsOmitted?: number;
}

/** A section that refers to another. */
export interface RecalledBackReference extends RecalledHead {
  /** How it is written. */
  readonly markerType: LinkType;
  /** The sentence around it. */
  readonly contextSnippet: string;
  /** Always `back`. */
  readonly direction: "back";
}

/** A section that is referred to. */
export interface RecalledReference extends RecalledHead {
  /** How it is written. */
  readonly markerType: LinkType;
  /** The sentence around it. */
  readonly contextSnippet: string;
  /** Always `forward`. */
  readonly direction: "forward";
  /** What it says, at depth 3; only at its first place in the list. */
  readonly content?: string;
  /** Set if `content` is not all of it. */
  readonly contentTruncated?: ContentTruncated;
  /** What refers to it, at depth 3; only at its first place in the list. */
  readonly backReferences?: readonly RecalledBackReference[];
}

/** A recalled section; in snake case this is the answer of the tool `recall`. */
export interface RecalledSection extends RecalledContent {
  /** What it is about, if that was said; long ones are cut. */
  readonly description?: string;
  /** Documents it belongs to, oldest first. */
  readonly docids: readonly string[];
  /** Documents that are not named, if any. */
  readonly docidsOmitted?: number;
  /** From depth 1 on. */
  readonly documents?: readonly RecalledDocument[];
  /** Documents among `docids` that are left out of `documents`, if any. */
  readonly documentsOmitted?: number;
  /** From depth 1 on. */
  readonly backReferences?: readonly RecalledBackReference[];
  /** Back-references that are not listed, if any; at least so many. */
  readonly backReferencesOmitted?: number;
  /** From depth 2 on: the nearest other sections of its documents, in the order of the text. */
  readonly siblings?: readonly RecalledContent[];
  /** Siblings that are left out, if any. */
  readonly siblingsOmitted?: number;
  /** From depth 2 on: what its text refers to, in the order of the text. */
  readonly references?: readonly RecalledReference[];
  /** References that are left out, if any; at least so many. */
  readonly referencesOmitted?: number;
}

/** What was recalled. */
export interface RecallAnswer {
  /** One for each kbid that is known, in the order given, each once. */
  readonly results: readonly RecalledSection[];
  /** Kbids no section has. */
  readonly unknownKbids: readonly string[];
  /** Kbids the answer has no room for; recall them on their own. */
  readonly omittedKbids: readonly string[];
}
