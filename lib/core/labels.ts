import { KbError } from "./errors.ts";

const COLLECTION = "collection:";

/** Tags of a document, and the collection it is in. */
export interface Labels {
  /** Tags, without that of the collection. */
  readonly tags: readonly string[];
  /** Collection, if one was named. */
  readonly collection?: string;
}

/**
 * Parts the collection from tags: `collection:NAME` among them names it.
 *
 * @param tags Tags as they were given.
 * @param collection Collection that was given by itself.
 * @throws {KbError} `invalid_input` if they name two.
 */
export function splitLabels(
  tags: readonly string[],
  collection?: string,
): Labels {
  const [chosen, other] = new Set([
    ...(collection === undefined ? [] : [collection]),
    ...tags.filter((tag) => tag.startsWith(COLLECTION))
      .map((tag) => tag.slice(COLLECTION.length)),
  ]);
  if (other !== undefined) {
    throw new KbError(
      "invalid_input",
      `A document is in one collection, not in "${chosen}" and "${other}"; name one`,
    );
  }
  return {
    tags: tags.filter((tag) => !tag.startsWith(COLLECTION)),
    ...(chosen === undefined ? {} : { collection: chosen }),
  };
}
