import {
  type ChunkRow,
  type DocumentFilter,
  getChunks,
  isRestricting,
  listPlacementsOf,
  listTagsOf,
  readTextBefore,
  type SectionPlacement,
  splitCollection,
  type Store,
} from "../store/mod.ts";
import { mendFences } from "../text/mod.ts";
import { type FusedCandidate, VECTOR_WEIGHT } from "./fuse.ts";
import { highlighter } from "./highlight.ts";
import type { ParsedQuery } from "./parse.ts";
import { toSnippet } from "./snippet.ts";
import type { Hit, SearchOptions } from "./types.ts";

/** A candidate that takes a place in the answer. */
export interface GroupedChunk {
  /** The best chunk of its group. */
  readonly candidate: FusedCandidate;
  /** Its row. */
  readonly chunk: ChunkRow;
  /** Where its section stands, filter applied; `[]` if it stands alone. */
  readonly places: readonly SectionPlacement[];
}

/**
 * Gives one place to each section (or document) and to each identical text, lazily and best first.
 */
export function* groupChunks(
  store: Store,
  ranked: Iterable<FusedCandidate>,
  groupBy: "section" | "document",
  filter: DocumentFilter,
): Generator<GroupedChunk> {
  const taken = new Set<string>();
  const restricted = isRestricting(filter);
  for (const candidate of ranked) {
    const [chunk] = getChunks(store, [candidate.chunkId]);
    if (chunk === undefined) continue;
    const sectionKey = `section ${chunk.sectionId}`;
    const textKey = `text ${chunk.text.replace(/\s+/gu, " ").trim()}`;
    if (taken.has(sectionKey) || taken.has(textKey)) continue;
    const places = listPlacementsOf(store, chunk.sectionId, filter);
    // A section that stands alone has no document that could pass a filter.
    if (places.length === 0 && restricted) continue;
    if (groupBy === "document" && places[0] !== undefined) {
      const documentKey = `document ${places[0].documentId}`;
      if (taken.has(documentKey)) continue;
      taken.add(documentKey);
    }
    taken.add(sectionKey).add(textKey);
    yield { candidate, chunk, places };
  }
}

/** Makes a function that turns grouped chunks into hits. */
export function hitMaker(
  store: Store,
  query: ParsedQuery,
  options: SearchOptions,
): (group: GroupedChunk, rank: number) => Hit {
  const highlight = highlighter(query.terms);
  return ({ candidate, chunk, places }, rank) => {
    const [place, ...others] = places;
    const { chunkId, score, ...ranks } = candidate;
    const labels = place === undefined
      ? { tags: [], collection: null }
      : splitCollection(listTagsOf(store, place.documentId));
    const { marked, matchedTerms } = highlight(chunk.text, chunk.context);
    return {
      rank,
      score,
      chunkId,
      sectionId: chunk.sectionId,
      kbid: chunk.kbid,
      sectionType: chunk.sectionType,
      title: chunk.title,
      headingPath: place?.headingPath ?? [],
      documentId: place?.documentId ?? null,
      docid: place?.docid ?? null,
      documentTitle: place?.documentTitle ?? null,
      docType: place?.docType ?? null,
      ...labels,
      path: place?.sourcePath ?? null,
      ...toLines(chunk, place),
      page: place?.page ?? null,
      text: showText(store, chunk),
      snippet: toSnippet(marked, options.snippetChars),
      matchedTerms,
      alsoIn: others.map((other) => ({
        documentId: other.documentId,
        docid: other.docid,
        path: other.sourcePath,
        lineStart: toLines(chunk, other).lineStart,
        page: other.page,
      })),
      ...(options.explain === true
        ? {
          explanation: {
            ...ranks,
            vectorWeight: options.vectorWeight ?? VECTOR_WEIGHT,
          },
        }
        : {}),
    };
  };
}

/** The text of a chunk; a fence that was longer than a chunk is opened and closed in each. */
function showText(
  store: Store,
  { id, sectionType, chunkIndex, text }: ChunkRow,
): string {
  if (sectionType !== "text/markdown") return text;
  return mendFences(text, chunkIndex === 0 ? "" : readTextBefore(store, id));
}

/** Lines of a chunk in the file, or those of its section where no more is known. */
function toLines(
  chunk: Pick<ChunkRow, "lineStart" | "lineEnd">,
  place: SectionPlacement | undefined,
): { lineStart: number; lineEnd: number } {
  const { lineStart = 1, lineEnd = 1, exactLines = true } = place ?? {};
  return exactLines
    ? {
      lineStart: lineStart + chunk.lineStart,
      lineEnd: lineStart + chunk.lineEnd,
    }
    : { lineStart, lineEnd };
}
