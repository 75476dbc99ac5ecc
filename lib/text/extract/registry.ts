import { CODE_TYPES } from "./code/languages.ts";
import type { Extractor } from "./types.ts";

/** How one format is read. */
export interface ExtractorEntry {
  /** Loads its code, when the first file of the format comes. */
  readonly load: () => Promise<Extractor>;
  /**
   * Whether it may run in a calling thread that cannot be ended: it takes time in proportion to the
   * text, or ends itself when it takes too long. All others run only where they can be ended.
   */
  readonly isLight?: boolean;
}

/** Extractors by media type. A text format that is not here is cut as it stands. */
const EXTRACTORS: ReadonlyMap<string, ExtractorEntry> = new Map<
  string,
  ExtractorEntry
>([
  ...entries("text/x-rst text/asciidoc text/x-org text/x-tex", {
    load: async () => (await import("./markup.ts")).extractMarkup,
    isLight: true,
  }),
  ...entries("text/x-yaml", {
    load: async () => (await import("./settings.ts")).extractYaml,
    isLight: true,
  }),
  ...entries("text/x-toml text/x-ini", {
    load: async () => (await import("./settings.ts")).extractTables,
    isLight: true,
  }),
  ...entries("application/json", {
    load: async () => (await import("./json.ts")).extractJson,
    isLight: true,
  }),
  ...entries("application/x-ndjson", {
    load: async () => (await import("./json.ts")).extractJsonLines,
    isLight: true,
  }),
  ...entries("text/csv text/tab-separated-values", {
    load: async () => (await import("./csv.ts")).extractCsv,
    isLight: true,
  }),
  ...entries("text/xml", {
    load: async () => (await import("./xml.ts")).extractXml,
  }),
  ...entries("image/png image/jpeg image/gif image/webp", {
    load: async () => (await import("./image.ts")).extractImage,
  }),
  ...entries("application/pdf", {
    load: async () => (await import("./pdf.ts")).extractPdf,
  }),
  ...entries(
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    { load: async () => (await import("./docx.ts")).extractDocx },
  ),
  ...entries(
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    { load: async () => (await import("./pptx.ts")).extractPptx },
  ),
  ...entries(
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    { load: async () => (await import("./xlsx.ts")).extractXlsx },
  ),
  ...entries(
    "application/vnd.oasis.opendocument.text",
    { load: async () => (await import("./odf.ts")).extractOdt },
  ),
  ...entries(
    "application/vnd.oasis.opendocument.presentation",
    { load: async () => (await import("./odf.ts")).extractOdp },
  ),
  ...entries(
    "application/vnd.oasis.opendocument.spreadsheet",
    { load: async () => (await import("./odf.ts")).extractOds },
  ),
  ...entries("application/epub+zip", {
    load: async () => (await import("./epub.ts")).extractEpub,
  }),
  ...entries("application/rtf", {
    load: async () => (await import("./rtf.ts")).extractRtf,
  }),
  ...entries("message/rfc822", {
    load: async () => (await import("./email.ts")).extractEmail,
  }),
  ...entries("application/mbox", {
    load: async () => (await import("./email.ts")).extractMbox,
  }),
  ...entries("application/x-ipynb+json", {
    load: async () => (await import("./notebook.ts")).extractNotebook,
  }),
  ...entries(CODE_TYPES.join(" "), {
    load: async () => (await import("./code/code.ts")).extractCode,
    isLight: true,
  }),
  ...entries("text/html", {
    load: async () => (await import("./html.ts")).extractHtml,
  }),
]);

/** Gives one entry to each of several media types. */
function entries(
  mimes: string,
  entry: ExtractorEntry,
): [string, ExtractorEntry][] {
  return mimes.split(" ").map((mime) => [mime, entry]);
}

/** Finds how a format is read; `undefined` for text that is cut as it stands, and unknown formats. */
export function findExtractor(mime: string): ExtractorEntry | undefined {
  return EXTRACTORS.get(mime);
}
