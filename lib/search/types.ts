import type { ChunkId, DocumentId, Kbid, SectionId } from "../core/mod.ts";
import type { DocumentFilter } from "../store/mod.ts";
import type { Snippet } from "./snippet.ts";

/** How to search. */
export interface SearchOptions extends DocumentFilter {
  /** Which retrievers to ask; default both. */
  readonly retriever?: "hybrid" | "fts" | "vector";
  /** What takes one place in the answer; default a section. */
  readonly groupBy?: "section" | "document";
  /** Most hits, 1 to 100; default 10. */
  readonly limit?: number;
  /** Hits to pass over, 0 to 1000; default 0. */
  readonly offset?: number;
  /** Least score of a hit, 0 to 1. */
  readonly threshold?: number;
  /** Adds ranks, scores and times. */
  readonly explain?: boolean;
  /** About how long a snippet is, in UTF-16 units; default 150. */
  readonly snippetChars?: number;
  /** Share of the vector score, 0 to 1; for measurements. */
  readonly vectorWeight?: number;
  /** Stops waiting for the query's vector. */
  readonly signal?: AbortSignal;
}

/** A further place where the text of a hit stands. */
export interface HitPlace {
  /** Document it stands in. */
  readonly documentId: DocumentId;
  /** Text id of the document. */
  readonly docid: string;
  /** Its file; `null` for a note. */
  readonly path: string | null;
  /** First line of the hit in the file, from 1. */
  readonly lineStart: number;
  /** Page, slide or sheet the section begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
}

/** Why a hit stands where it does. */
export interface HitExplanation {
  /** Rank by words, from 1. */
  readonly lexicalRank?: number;
  /** bm25 negated, > 0. */
  readonly lexicalScore?: number;
  /** Rank by meaning, from 1. */
  readonly vectorRank?: number;
  /** -1 to 1. */
  readonly cosine?: number;
  /** Share of the vector score. */
  readonly vectorWeight: number;
}

/** One search result. */
export interface Hit {
  /** Place in the ranking, from 1. */
  readonly rank: number;
  /** 0 to 1, comparable within one answer only. */
  readonly score: number;
  /** The chunk that was found. */
  readonly chunkId: ChunkId;
  /** Its section. */
  readonly sectionId: SectionId;
  /** Name of the section's content. */
  readonly kbid: Kbid;
  /** MIME type of the section. */
  readonly sectionType: string;
  /** Heading of the section, or `null`. */
  readonly title: string | null;
  /** Headings from the outermost to the section's own. */
  readonly headingPath: readonly string[];
  /** Document it stands in; `null`, as all of the document, for a section that stands alone. */
  readonly documentId: DocumentId | null;
  /** Text id of the document, or `null`. */
  readonly docid: string | null;
  /** Title of the document, or `null`. */
  readonly documentTitle: string | null;
  /** Type of the document, or `null`. */
  readonly docType: string | null;
  /** Tags of the document, the collection's not among them. */
  readonly tags: readonly string[];
  /** Collection of the document, or `null`. */
  readonly collection: string | null;
  /** File of the document; `null` for a note. */
  readonly path: string | null;
  /** First line of the chunk in the file, from 1; in the section where there is no document. */
  readonly lineStart: number;
  /** Last line of the chunk in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet its section begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
  /** The chunk's text; a fence it begins or ends in is opened and closed. */
  readonly text: string;
  /** The part of it around the matches. */
  readonly snippet: Snippet;
  /** Words and phrases of the query that match, as written. */
  readonly matchedTerms: readonly string[];
  /** Other places of the same text. */
  readonly alsoIn: readonly HitPlace[];
  /** Present if asked for. */
  readonly explanation?: HitExplanation;
}

/** What an answer lacks: all vectors, or those of some chunks. */
export type Degradation = "no_vectors" | "vectors_pending";

/** Times of one search in milliseconds. */
export interface SearchTimings {
  /** Making the query's vector. */
  readonly embedMs: number;
  /** Finding chunks by word. */
  readonly lexicalMs: number;
  /** Finding chunks by vector. */
  readonly vectorMs: number;
  /** Merging, grouping, and reading what hits show. */
  readonly fuseMs: number;
}

/** What a search found. */
export interface SearchAnswer {
  /** Best first; `[]` if nothing was found. */
  readonly hits: readonly Hit[];
  /** Distinct sections (or documents) found by either retriever, at most 1000. */
  readonly total: number;
  /** What the answer lacks; `[]` if nothing. */
  readonly degraded: readonly Degradation[];
  /** What a user should know of how the query was read or answered. */
  readonly notes: readonly string[];
  /** Present if asked for. */
  readonly timings?: SearchTimings;
}

/** What the words of a query stand for in the base. */
export interface SearchStats {
  /** One entry a term of the query. */
  readonly terms: readonly { readonly term: string; readonly chunks: number }[];
  /** Documents with any of the terms, by type. */
  readonly byType: Readonly<Record<string, number>>;
  /** Documents with any of the terms, by collection. */
  readonly byCollection: Readonly<Record<string, number>>;
}
