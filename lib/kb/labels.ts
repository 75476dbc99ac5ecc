import { KbError, LIMITS } from "../core/mod.ts";

/** Refuses tags and collections that could not be found again. */
export function checkLabels(
  { tags = [], collection }: {
    readonly tags?: readonly string[];
    readonly collection?: string;
  },
): void {
  for (
    const name of [...tags, ...(collection === undefined ? [] : [collection])]
  ) {
    if (
      name.trim() === "" || name.length > LIMITS.tagChars ||
      /[\n\r\0]/.test(name)
    ) {
      throw new KbError(
        "invalid_input",
        `Cannot use "${name}" as a tag or collection: must be 1 to ${LIMITS.tagChars} characters on one line`,
      );
    }
    if (tags.includes(name) && name.startsWith("collection:")) {
      throw new KbError(
        "invalid_input",
        `Cannot add the tag "${name}": give the collection itself instead`,
      );
    }
  }
  if (tags.length > LIMITS.documentTags) {
    throw new KbError(
      "invalid_input",
      `Cannot add ${tags.length} tags: the limit is ${LIMITS.documentTags}`,
    );
  }
}
