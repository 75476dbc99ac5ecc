import { z } from "zod";
import { LIMITS } from "../../../core/mod.ts";

/** Schema of the tags a document gets. */
export const tagsSchema: z.ZodOptional<z.ZodArray<z.ZodString>> = z.array(
  z.string().min(1).max(LIMITS.tagChars),
).max(LIMITS.documentTags).optional();

/** Schema of the collection a new document goes to. */
export const collectionSchema: z.ZodOptional<z.ZodString> = z.string().min(1)
  .max(LIMITS.tagChars).optional().describe(
    "The one collection it is in: documents (default), memory, workspace or another name",
  );

/** What a new document gets, without what was left out. */
export function toLabels(
  { title, tags, collection }: {
    readonly title?: string | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly collection?: string | undefined;
  },
): {
  readonly title?: string;
  readonly tags?: readonly string[];
  readonly collection?: string;
} {
  return {
    ...(title === undefined ? {} : { title }),
    ...(tags === undefined ? {} : { tags }),
    ...(collection === undefined ? {} : { collection }),
  };
}
