import type { ChunkId, DocumentId, JsonObject, Kbid } from "../core/mod.ts";
import type { DocumentFilter } from "../store/mod.ts";
import type { Device, Embedder } from "../embed/mod.ts";
import type { AddFilesReport, Progress, RuleOptions } from "../ingest/mod.ts";

/** How to open a base. */
export interface OpenKbOptions {
  /** Directory of the base, by habit named `.kbdb`; made with mode 0700 if it is not there. */
  readonly dir: string;
  /** Registry id or folder of the embedding model; default the model that ships with kbdb. */
  readonly model?: string;
  /** Folders of models to look in after the shipped one. */
  readonly modelsDirs?: readonly string[];
  /** What runs the model; default `auto`. */
  readonly device?: Device;
  /** Most embedding workers; default one per core but one. */
  readonly workers?: number;
  /** Makes the vectors instead of a worker; it is closed with the base. */
  readonly embedder?: Embedder;
  /** Current time in ISO 8601 UTC. */
  readonly now?: () => string;
}

/** How to add files. */
export interface AddOptions extends RuleOptions {
  /** Tags given to every file. */
  readonly tags?: readonly string[];
  /** Collection; `documents` unless the file is in another one already. */
  readonly collection?: string;
  /** Whether the files in archives are taken too; default `false`. */
  readonly takesArchives?: boolean;
  /** Stops between files; what is stored stays. */
  readonly signal?: AbortSignal;
  /** Called as the work goes on. */
  readonly onProgress?: (progress: Progress) => void;
}

/** What became of everything that was added: one report a path given. */
export type AddReport = AddFilesReport;

/** How to make the missing vectors. */
export interface EmbedOptions {
  /** Stops between batches; vectors made stay. */
  readonly signal?: AbortSignal;
  /** Called as the work goes on. */
  readonly onProgress?: (progress: Progress) => void;
}

/** A note to add. */
export interface AddNoteOptions {
  /** Title; the first heading or line otherwise. */
  readonly title?: string;
  /** Tags. */
  readonly tags?: readonly string[];
  /** Collection; default `documents`. */
  readonly collection?: string;
  /** Text id; made up otherwise. */
  readonly docid?: string;
}

/** A document as lists show it. */
export interface DocumentSummary {
  /** Integer id. */
  readonly id: DocumentId;
  /** Stable text id. */
  readonly docid: string;
  /** Title. */
  readonly title: string;
  /** `note`, `markdown`, `text`, `code`, `json`, `html`, `pdf`, `image`, … */
  readonly docType: string;
  /** MIME type of the original. */
  readonly mime: string;
  /** Its file; `null` for a note. */
  readonly path: string | null;
  /** SHA-256 of the original, hex. */
  readonly contentHash: string;
  /** Tags, the collection's not among them. */
  readonly tags: readonly string[];
  /** Collection it is in. */
  readonly collection: string;
  /** Chunks of its sections. */
  readonly chunkCount: number;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** ISO 8601 UTC; `null` until it changes. */
  readonly updatedAt: string | null;
}

/** A section as `info` shows it. */
export interface SectionSummary {
  /** Name of the content. */
  readonly kbid: Kbid;
  /** Headings from the outermost to its own. */
  readonly headingPath: readonly string[];
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet it begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
  /** Chunks it was cut into. */
  readonly chunkCount: number;
}

/** Everything known of a document but its text. */
export interface DocumentInfo extends DocumentSummary {
  /** Frontmatter and other facts. */
  readonly metadata: JsonObject;
  /** What went less than well while reading it. */
  readonly warnings: readonly string[];
  /** In the order of the text. */
  readonly sections: readonly SectionSummary[];
}

/** A chunk as details show it. */
export interface ChunkSummary {
  /** Integer id. */
  readonly id: ChunkId;
  /** Section it belongs to. */
  readonly kbid: Kbid;
  /** Position in the document, from 0. */
  readonly index: number;
  /** Its text. */
  readonly text: string;
  /** Headings from the outermost to its own. */
  readonly headingPath: readonly string[];
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet its section begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
  /** Tokens by the model's tokenizer. */
  readonly tokenCount: number;
}

/** The file a document was made of. */
export interface OriginalFile {
  /** Where it is. */
  readonly path: string;
  /** Name to give it, without folders. */
  readonly name: string;
  /** MIME type. */
  readonly mime: string;
  /** Bytes. */
  readonly sizeBytes: number;
}

/** A text that was asked for. */
export interface Content {
  /** The document; for a section asked for by kbid, the first that has it, `null` if it stands alone. */
  readonly document: DocumentSummary | null;
  /** Name of the section, if one was asked for. */
  readonly kbid?: Kbid;
  /** The text, preprocessed; frontmatter is left out. */
  readonly text: string;
}

/** How to list documents. */
export interface ListOptions extends DocumentFilter {
  /** Most documents; default 100. */
  readonly limit?: number;
  /** Documents to pass over; default 0. */
  readonly offset?: number;
  /** Default `recent`: last changed first. */
  readonly sort?: "recent" | "title" | "path";
}

/** One page of documents. */
export interface DocumentPage {
  /** The page. */
  readonly documents: readonly DocumentSummary[];
  /** Documents that match in all. */
  readonly total: number;
}

/** State of the embedding model and the vectors. */
export interface VectorStatus {
  /** Registry id of the model in use. */
  readonly model: string;
  /** Numbers per vector; 0 for a model that is not known. */
  readonly dims: number;
  /** Whether its files are at hand. */
  readonly available: boolean;
  /** What is wrong with it and what to do; absent if nothing is. */
  readonly problem?: string;
  /** Chunks with a vector of this model. */
  readonly vectors: number;
  /** Chunks that wait for one. */
  readonly pendingChunks: number;
  /** Their tokens. */
  readonly pendingTokens: number;
  /** Vectors of other models or chunkers, kept but not used. */
  readonly otherVectors: number;
}

/** What a base holds and whether all is well. */
export interface Status {
  /** Directory of the base. */
  readonly dir: string;
  /** Documents in all. */
  readonly documents: number;
  /** Sections in all. */
  readonly sections: number;
  /** Chunks in all. */
  readonly chunks: number;
  /** Documents by type. */
  readonly documentsByType: Readonly<Record<string, number>>;
  /** Documents by collection. */
  readonly documentsByCollection: Readonly<Record<string, number>>;
  /** Jobs by status. */
  readonly jobsByStatus: Readonly<Record<string, number>>;
  /** Bytes of the database file. */
  readonly databaseBytes: number;
  /** Schema version of the base. */
  readonly schemaVersion: number;
  /** Version of SQLite in use. */
  readonly sqliteVersion: string;
  /** Model and vectors. */
  readonly vectors: VectorStatus;
}

/** A model kbdb knows. */
export interface ModelInfo {
  /** Registry id. */
  readonly id: string;
  /** Numbers per vector. */
  readonly dims: number;
  /** Window in tokens. */
  readonly windowTokens: number;
  /** SPDX licence id. */
  readonly licence: string;
  /** Size of the weights in bytes. */
  readonly sizeBytes: number;
  /** Whether its files are at hand. */
  readonly available: boolean;
  /** Whether this base uses it. */
  readonly inUse: boolean;
  /** Folder of its files, or what is missing. */
  readonly location: string;
}
