import type { JsonObject, LinkType } from "../core/mod.ts";

/** A reference as an export has it. */
export interface ArchiveLink {
  /** Kind of reference. */
  readonly type: LinkType;
  /** Target as written. */
  readonly target: string;
  /** Path it means, for a relative reference in a file. */
  readonly target_path: string | null;
  /** Text shown for it. */
  readonly label: string;
  /** The sentence around it. */
  readonly context_snippet: string;
  /** Line in the file, from 1. */
  readonly line: number;
}

/** A section as an export has it. */
export interface ArchiveSection {
  /** Name of the content; where it is given the content has to have it. */
  readonly kbid?: string | undefined;
  /** MIME type. */
  readonly type: string;
  /** Heading, or `null`. */
  readonly title: string | null;
  /** What it is about, or `null`. */
  readonly description: string | null;
  /** What is indexed before its text. */
  readonly context: string;
  /** Headings from the outermost to its own. */
  readonly heading_path: readonly string[];
  /** First line in the file, from 1. */
  readonly line_start: number;
  /** Last line in the file, from 1. */
  readonly line_end: number;
  /** Page, slide or sheet it begins on, from 1; `null` where there are none. */
  readonly page: number | null;
  /** Whether its lines are those of the file one by one. */
  readonly exact_lines: boolean;
  /** Whether it was learned by itself too. */
  readonly standalone: boolean;
  /** Its text; absent for an image. */
  readonly content?: string | undefined;
  /** Bytes of an image. */
  readonly content_base64?: string | undefined;
  /** References in it. */
  readonly links: readonly ArchiveLink[];
}

/** What a note said before. */
export interface ArchiveVersion {
  /** Number of the version, from 1. */
  readonly version: number;
  /** Title it had. */
  readonly title: string;
  /** Text it had. */
  readonly content: string;
  /** ISO 8601 UTC. */
  readonly written_at: string;
  /** ISO 8601 UTC. */
  readonly replaced_at: string;
}

/** A document as an export has it; agents are documents of type `agent`. */
export interface ArchiveDocument {
  /** Says what the record is. */
  readonly kind: "document";
  /** Text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** Type. */
  readonly doc_type: string;
  /** MIME type of the original. */
  readonly mime: string;
  /** Collection it is in. */
  readonly collection: string;
  /** Tags, the collection's not among them. */
  readonly tags: readonly string[];
  /** ISO 8601 UTC. */
  readonly created_at: string;
  /** ISO 8601 UTC; `null` until it changed. */
  readonly updated_at: string | null;
  /** Path or name it came from. */
  readonly source_path: string | null;
  /** SHA-256 of the original, hex. */
  readonly content_hash: string;
  /** Frontmatter and other facts. */
  readonly metadata: JsonObject;
  /** What went less than well while reading it. */
  readonly warnings: readonly string[];
  /** In the order of the text. */
  readonly sections: readonly ArchiveSection[];
  /** Earlier texts of a note. */
  readonly history: readonly ArchiveVersion[];
}

/** A section that is in no document, as an export has it. */
export interface ArchiveLoose {
  /** Says what the record is. */
  readonly kind: "section";
  /** The section. */
  readonly section: ArchiveSection;
}

/** A skill as an export has it. */
export interface ArchiveSkill {
  /** Says what the record is. */
  readonly kind: "skill";
  /** Kebab-case name. */
  readonly name: string;
  /** What it does. */
  readonly description: string;
  /** Its arguments. */
  readonly arguments: readonly {
    readonly name: string;
    readonly description?: string | undefined;
    readonly required?: boolean | undefined;
  }[];
  /** The template. */
  readonly body: string;
}

/** One thing of a base as an export has it. */
export type ArchiveRecord = ArchiveDocument | ArchiveLoose | ArchiveSkill;
