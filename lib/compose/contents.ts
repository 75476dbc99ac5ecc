import { Buffer } from "node:buffer";
import type { Kbid, SectionId } from "../core/mod.ts";
import { keepPair } from "../text/mod.ts";
import { costOf, cutToJson, jsonLength } from "./budget.ts";
import type {
  ContentTruncated,
  RecalledContent,
  RecallReader,
} from "./recall_types.ts";

/** What `contentTruncated` costs at most. */
export const NOTE_COST: number = costOf({
  contentTruncated: {
    shown: 1e9,
    total: 1e9,
    offset: 1e9,
    next: `recall with kbid "${"0".repeat(26)}" and offset 1000000000`,
  },
}, 6);

/** A content that waits for its share of the answer. */
export interface PendingContent {
  /** Name of the content. */
  readonly kbid: Kbid;
  /** The text from `offset` on, or the base64 of an image. */
  readonly text: string;
  /** UTF-16 units passed over. */
  readonly offset: number;
  /** Whether half of it is of no use. */
  readonly isImage: boolean;
  /** Characters of it in the answer. */
  readonly need: number;
}

/** Reads a content to be shown. */
export function readPending(
  reader: Pick<RecallReader, "readContent">,
  { id, kbid }: { readonly id: SectionId; readonly kbid: Kbid },
  offset = 0,
): PendingContent {
  const content = reader.readContent(id);
  if (typeof content !== "string") {
    const text = Buffer.from(content).toString("base64");
    return { kbid, text, offset: 0, isImage: true, need: text.length };
  }
  const start = keepPair(content, Math.min(offset, content.length));
  const text = start === 0 ? content : content.slice(start);
  return {
    kbid,
    text,
    offset: start,
    isImage: false,
    need: jsonLength(text),
  };
}

/** A content as shown, and a note if that is not all. */
export type ShownContent = Pick<
  RecalledContent,
  "content" | "contentTruncated"
>;

/** Shows as much of a content as its share allows; of an image all or nothing. */
export function show(
  { kbid, text, offset, isImage, need }: PendingContent,
  share: number,
): ShownContent {
  if (need <= share && offset === 0) return { content: text };
  if (isImage) {
    return withheld(Math.floor(text.length * 3 / 4), toImageHint(kbid));
  }
  const content = need <= share ? text : cutToJson(text, share);
  const end = offset + content.length;
  const isCut = content.length < text.length;
  return {
    content,
    contentTruncated: {
      shown: content.length,
      total: offset + text.length,
      ...(offset > 0 ? { offset } : {}),
      ...(isCut
        ? { next: `recall with kbid "${kbid}" and offset ${end}` }
        : {}),
    },
  };
}

/** How to get an image that is not shown. */
export function toImageHint(kbid: Kbid): string {
  return `read the resource kbdb://section/${kbid}`;
}

/** A content that is not shown at all. */
export function withheld(
  total: number,
  next: string,
): { readonly content: ""; readonly contentTruncated: ContentTruncated } {
  return { content: "", contentTruncated: { shown: 0, total, next } };
}
