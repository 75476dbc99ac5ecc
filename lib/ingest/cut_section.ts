import { isCodeType, listIdentifierParts } from "../core/mod.ts";
import type { ChunkInput, SectionInput } from "../store/mod.ts";
import { segmentForIndex, type TextChunk, toChunks } from "../text/mod.ts";
import type { Measure } from "./types.ts";

/** Size a chunk aims at, in tokens; docs/decisions/0005-chunk-size.md has the measurements. */
const TARGET_TOKENS = 400;
/** Tokens that neighbours in a section share. */
const OVERLAP_TOKENS = 60;
/** Start and end mark the model adds. */
const MARKS = 2;
/** Part of the window that a context may never take. */
const ROOM_SHARE = 0.5;

/** What decides the chunks of a section. */
export type SectionToCut = Pick<
  SectionInput,
  "sectionType" | "title" | "description" | "context" | "content"
>;

/**
 * Cuts a section into chunks: its text, what a skill says, or the title and description of an image.
 *
 * @returns In order; equal sections give equal chunks.
 */
export function cutSection(
  section: SectionToCut,
  measure: Measure,
): ChunkInput[] {
  const { sectionType, context, content } = section;
  if (typeof content !== "string") {
    const { title, description } = section;
    return cutShown([title, description], context, measure);
  }
  if (sectionType === "skill") {
    return cutShown(skillTexts(content), context, measure);
  }
  return cutText(content, sectionType, context, measure);
}

/** Name, description and body of a skill; its stored text as it is if that is no skill's. */
function skillTexts(content: string): unknown[] {
  try {
    const { name, description, body } = JSON.parse(content);
    return [name, description, body];
  } catch {
    return [content];
  }
}

/** Cuts texts that are not the section's content itself, so that each chunk has to keep its own. */
function cutShown(
  texts: readonly unknown[],
  context: string,
  measure: Measure,
): ChunkInput[] {
  const shown = texts.filter((text) => typeof text === "string" && text !== "")
    .join("\n\n");
  if (shown.trim() === "") return [];
  return cutText(shown, "text/markdown", context, measure).map((chunk) => ({
    ...chunk,
    start: 0,
    length: 0,
    lineStart: 0,
    lineEnd: 0,
    text: chunk.text ??
      [...shown].slice(chunk.start, chunk.start + chunk.length).join(""),
  }));
}

function cutText(
  content: string,
  mime: string,
  context: string,
  measure: Measure,
): ChunkInput[] {
  const { countTokens, windowTokens } = measure;
  const room = windowTokens - MARKS;
  const maxTokens = Math.max(
    Math.ceil(room * ROOM_SHARE),
    room - countTokens(context),
  );
  const chunks = toChunks(content, {
    countTokens,
    maxTokens,
    targetTokens: Math.min(TARGET_TOKENS, maxTokens),
    overlapTokens: Math.min(OVERLAP_TOKENS, Math.floor(maxTokens / 4)),
    mime,
  });
  // Starts rise and ends rise, so each needs a counter that only goes on.
  const startPoint = codePointCounter(content);
  const endPoint = codePointCounter(content);
  return chunks.map((chunk) => {
    const first = startPoint(chunk.start);
    return {
      start: first,
      length: endPoint(chunk.end) - first,
      lineStart: chunk.lineStart,
      lineEnd: chunk.lineEnd,
      tokenCount: chunk.tokenCount,
      ...toStoredTexts(content, chunk, isCodeType(mime)),
    };
  });
}

/** The texts that have to be stored because the span alone does not give them. */
function toStoredTexts(
  content: string,
  chunk: TextChunk,
  isCode: boolean,
): Pick<ChunkInput, "text" | "searchText" | "identifiers"> {
  const text = chunk.text ?? content.slice(chunk.start, chunk.end);
  const searchText = segmentForIndex(text);
  const identifiers = listIdentifierParts(text, isCode);
  return {
    ...(chunk.text === undefined ? {} : { text: chunk.text }),
    ...(searchText === undefined ? {} : { searchText }),
    ...(identifiers === undefined ? {} : { identifiers }),
  };
}

/** Turns rising UTF-16 offsets into code point offsets; fast where the two are the same. */
function codePointCounter(content: string): (offset: number) => number {
  if (!/[\ud800-\udfff]/.test(content)) return (offset) => offset;
  let known = 0;
  let points = 0;
  return (offset) => {
    for (; known < offset; points++) {
      known += (content.codePointAt(known) ?? 0) > 0xffff ? 2 : 1;
    }
    return points;
  };
}
