import type { Extractor } from "./types.ts";

/** How one format is read. */
export interface ExtractorEntry {
  /** Loads its code, when the first file of the format comes. */
  readonly load: () => Promise<Extractor>;
  /**
   * Whether it may run in a calling thread that cannot be ended: code of ours that takes time in
   * proportion to the text. All others run only where they can be ended.
   */
  readonly isLight?: boolean;
}

/** Extractors by media type. A text format that is not here is cut as it stands. */
const EXTRACTORS: ReadonlyMap<string, ExtractorEntry> = new Map<
  string,
  ExtractorEntry
>([
  ["text/html", {
    load: async () => (await import("./html.ts")).extractHtml,
  }],
]);

/** Finds how a format is read; `undefined` for text that is cut as it stands, and unknown formats. */
export function findExtractor(mime: string): ExtractorEntry | undefined {
  return EXTRACTORS.get(mime);
}
