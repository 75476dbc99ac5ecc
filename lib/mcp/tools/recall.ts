import { z } from "zod";
import { KbError, LIMITS } from "../../core/mod.ts";
import { defineTool, type JsonAnswer, type Tool } from "../tool.ts";
import { offsetSchema } from "./sections.ts";

/** Deepest expansion; what is above it is taken for it. */
const DEPTH_MAX = 3;
/** Room for what stands around the results in an answer, in UTF-16 units. */
const ENVELOPE_CHARS = 500;

/** The `recall` tool. */
export const recallTool: Tool = defineTool({
  name: "recall",
  title: "Recall Context",
  description:
    "Read sections whole, by kbid, after search. depth 0: the text; 1: also its documents' lists of " +
    "sections and who refers to it; 2: also the texts beside it and what it refers to; 3: also the texts " +
    "of those. Begin with 0, go deeper when context is missing. What had to be left out says how to get it.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    kbid: z.string().optional().describe("Single section identifier"),
    kbids: z.array(z.string()).optional().describe(
      "Batch of section identifiers; the answer is an array",
    ),
    depth: z.number().min(0).default(0).describe("Expansion depth, 0 to 3"),
    offset: offsetSchema.describe("Go on here in the content of a single kbid"),
  }),
  async run({ kbid, kbids, depth, offset }, { kb }): Promise<JsonAnswer> {
    const wanted = [...kbids ?? [], ...kbid === undefined ? [] : [kbid]];
    if (wanted.length === 0) {
      throw new KbError("invalid_input", "Provide kbid or kbids");
    }
    const { results, unknownKbids, omittedKbids } = await kb.recall(wanted, {
      depth: Math.min(DEPTH_MAX, Math.floor(depth)),
      offset,
      maxChars: LIMITS.answerChars - ENVELOPE_CHARS,
    });
    const [first] = results;
    if (first === undefined && omittedKbids.length === 0) {
      throw new KbError(
        "not_found",
        `Section not found: ${unknownKbids.join(", ")}`,
      );
    }
    const notes = [
      ...unknownKbids.length === 0
        ? []
        : [`Section not found: ${unknownKbids.join(", ")}.`],
      ...omittedKbids.length === 0 ? [] : [
        `No room for ${omittedKbids.join(", ")}; recall them by themselves.`,
      ],
    ];
    return {
      json: toSnakeCase(kbids === undefined ? first : results) as object,
      ...(notes.length === 0 ? {} : { note: notes.join(" ") }),
    };
  },
});

/** The `content` tool. */
export const contentTool: Tool = defineTool({
  name: "content",
  title: "Compose Content",
  description:
    "Compose one Markdown text of sections and documents, in the order given, e.g. to hand a user a " +
    "whole document. To read what search found, recall is shorter.",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({
    ids: z.array(z.string()).min(1).describe("kbids and docids, mixed"),
    offset: offsetSchema.describe("Go on here in the composed text"),
  }),
  output: z.looseObject({
    type: z.string(),
    data: z.string(),
    total: z.int(),
  }),
  async run({ ids, offset }, { kb }): Promise<JsonAnswer> {
    const { type, data, nextOffset, unknownIds } = await kb.compose(ids, {
      offset,
      maxChars: LIMITS.answerChars - ENVELOPE_CHARS,
    });
    if (unknownIds.length === new Set(ids).size) {
      throw new KbError(
        "not_found",
        `Content not found: ${unknownIds.join(", ")}`,
      );
    }
    return {
      json: {
        type,
        data,
        total: data.length,
        ...(offset === 0 ? {} : { offset }),
        ...(nextOffset === undefined ? {} : { next_offset: nextOffset }),
        ...(unknownIds.length === 0 ? {} : { unknown_ids: unknownIds }),
      },
      isCompact: true,
    };
  },
});

/** Names the properties of a JSON value as the tools do: `backReferences` is `back_references`. */
function toSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toSnakeCase);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      toSnakeCase(part),
    ]),
  );
}
