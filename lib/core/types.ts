/** Rowid of a document. A plain integer at run time; never mixed with a section id. */
export type DocumentId = number & { readonly __brand: "DocumentId" };

/** Rowid of a section. A plain integer at run time; never mixed with a document id. */
export type SectionId = number & { readonly __brand: "SectionId" };

/** Rowid of a chunk. A plain integer at run time; never reused after a delete. */
export type ChunkId = number & { readonly __brand: "ChunkId" };

/** Text id of a section: 26 characters of lower-case Crockford base32, see `toKbid()`. */
export type Kbid = string & { readonly __brand: "Kbid" };

/** A value JSON can hold. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | JsonObject;

/** A JSON object, as document metadata is kept. */
export interface JsonObject {
  /** Any key, any JSON value. */
  readonly [key: string]: Json;
}

/** How one section or document points at another. */
export type LinkType = "link" | "wikilink" | "image" | "embed";

/** Counts tokens of a text the way the embedding model does, without its start and end marks. */
export type CountTokens = (text: string) => number;
