import type { DocumentFilter } from "../kb/mod.ts";

/** Options of commands that restrict documents. */
export interface FilterOptions {
  /** Tags a document must have. */
  readonly tag?: readonly string[];
  /** Type a document must have. */
  readonly type?: string;
  /** Collection a document must be in. */
  readonly collection?: string;
  /** Changed at or after, `YYYY-MM-DD`. */
  readonly after?: string;
  /** Changed before, `YYYY-MM-DD`. */
  readonly before?: string;
}

/** The filter those options mean. */
export function toFilter(
  { tag, type, collection, after, before }: FilterOptions,
): DocumentFilter {
  return {
    ...(tag === undefined ? {} : { tags: tag }),
    ...(type === undefined ? {} : { docType: type }),
    ...(collection === undefined ? {} : { collection }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  };
}
