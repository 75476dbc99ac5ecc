import type { DocumentId, JsonObject, Kbid } from "../core/mod.ts";
import type { AgentInput } from "../ingest/mod.ts";

/** How to learn a content: one section, however many headings it has. */
export interface LearnOptions {
  /** `text/*`, `application/json` or `image/*`; default `text/markdown`. */
  readonly type?: string;
  /** Title; required for an image. */
  readonly title?: string;
  /** What it is about. */
  readonly description?: string;
  /** Document it joins, made if it is not there; it stands alone otherwise. */
  readonly docid?: string;
  /** Tags of the document; only with `docid`. */
  readonly tags?: readonly string[];
  /** Collection of the document; only with `docid`. */
  readonly collection?: string;
}

/** What became of a learned content. */
export interface LearnReport {
  /** Name of the section. */
  readonly kbid: Kbid;
  /** MIME type of the section. */
  readonly sectionType: string;
  /** Title, if it has one. */
  readonly title?: string;
  /** Description, if it has one. */
  readonly description?: string;
  /** Distinct words the section was indexed by; 0 for an image and for content that was there. */
  readonly indexedTerms: number;
  /** Whether the section is new. */
  readonly created: boolean;
  /** Whether a section that was there joined the document. */
  readonly attached: boolean;
}

/** A section and the documents it belongs to. */
export interface Section {
  /** Name of the content. */
  readonly kbid: Kbid;
  /** MIME type, or `skill`. */
  readonly sectionType: string;
  /** Title, or `null`. */
  readonly title: string | null;
  /** What it is about, or `null`. */
  readonly description: string | null;
  /** Preprocessed text, or the bytes of an image. */
  readonly content: string | Uint8Array;
  /** Bytes of the content. */
  readonly size: number;
  /** Documents it belongs to; `[]` if it stands alone. */
  readonly docids: readonly string[];
}

/** A section in its document's list. */
export interface SectionHead {
  /** Name of the content. */
  readonly kbid: Kbid;
  /** Title, or `null`. */
  readonly heading: string | null;
  /** MIME type, or `skill`. */
  readonly type: string;
}

/** A document with the list of its sections. */
export interface DocumentRecord {
  /** Integer id. */
  readonly id: DocumentId;
  /** Stable text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** `note`, `markdown`, `agent`, … */
  readonly docType: string;
  /** Its file; `null` otherwise. */
  readonly path: string | null;
  /** Collection it is in. */
  readonly collection: string;
  /** Tags, the collection's not among them. */
  readonly tags: readonly string[];
  /** Frontmatter and other facts; an agent's persona and skills. */
  readonly metadata: JsonObject;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; `null` until it changes. */
  readonly updatedAt: string | null;
  /** In the order of the text. */
  readonly sections: readonly SectionHead[];
}

/** A skill an agent refers to. */
export interface AgentSkill {
  /** Name of the skill's section. */
  readonly kbid: string;
  /** Name of the skill; `null` if it was deleted. */
  readonly name: string | null;
  /** What it does; `null` if it was deleted. */
  readonly description: string | null;
  /** Place among the agent's skills, from 0. */
  readonly position: number;
}

/** A stored agent. */
export interface Agent extends Omit<AgentInput, "skills"> {
  /** Text id of its document. */
  readonly docid: string;
  /** In order. */
  readonly skills: readonly AgentSkill[];
}

/** What `check` can find. */
export type CheckErrorType =
  | "checksum_mismatch"
  | "orphan_section"
  | "orphan_document"
  | "broken_reference"
  | "type_mismatch"
  | "circular_reference"
  | "database_damage"
  | "index_mismatch"
  | "stale_job";

/** One thing that is wrong. */
export interface CheckError {
  /** Kind of fault. */
  readonly type: CheckErrorType;
  /** What has it: a kbid, docid, or part of the database. */
  readonly entity: string;
  /** What is wrong and what to do. */
  readonly detail: string;
}

/** What a check found. */
export interface CheckReport {
  /** Whether nothing is wrong. */
  readonly ok: boolean;
  /** Everything that is, at most `LIMITS.checkErrors` of them. */
  readonly errors: readonly CheckError[];
  /** Faults that were left out of `errors`. */
  readonly omitted: number;
  /** Sections looked at. */
  readonly sectionsChecked: number;
  /** Documents looked at. */
  readonly documentsChecked: number;
  /** References looked at. */
  readonly referencesChecked: number;
}

/** What a garbage collection removed, or would remove. */
export interface GcReport {
  /** Sections no document has. */
  readonly removedSections: number;
  /** Bytes of their content. */
  readonly removedBytes: number;
  /** The sections. */
  readonly sections: readonly SectionHead[];
}

/** Where long upkeep stands. */
export interface UpkeepProgress {
  /** Sections done. */
  readonly done: number;
  /** Sections in all. */
  readonly total: number;
}

/** How to run long upkeep. */
export interface UpkeepOptions {
  /** Stops it; what is done stays. */
  readonly signal?: AbortSignal;
  /** Called as the work goes on. */
  readonly onProgress?: (progress: UpkeepProgress) => void;
}

/** What a rebuild did. */
export interface RebuildReport {
  /** Sections whose chunks were made anew or compared. */
  readonly sectionsReindexed: number;
  /** Distinct words in the index. */
  readonly termsIndexed: number;
  /** Chunks whose vector has to be made again. */
  readonly pendingChunks: number;
}
