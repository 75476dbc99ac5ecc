import { join } from "node:path";
import { prepareFile } from "../../lib/ingest/prepare.ts";
import { storeDocuments } from "../../lib/ingest/store_document.ts";
import { openStore } from "../../lib/store/mod.ts";
import type { Extracted } from "../../lib/text/mod.ts";
import { WORDS } from "./temp_kb.ts";

/** Lines of each section of a document with pages: text made anew, of one line in the file. */
const PAGES = ["The first page.", "Another\n\npage with marmalade on it."];

/** Stores a document of two pages, as one that is read from a format with pages. */
export function addPagedDocument(dir: string): void {
  using store = openStore(join(dir, "kb.db"));
  const extracted: Extracted = {
    title: "Paged",
    docType: "pdf",
    tags: [],
    metadata: {},
    warnings: [],
    sections: PAGES.map((content, index) => ({
      title: null,
      headingPath: [],
      level: 0,
      content,
      mime: "text/plain",
      lineStart: 1,
      lineEnd: 1,
      page: index + 1,
      links: [],
    })),
  };
  const prepared = prepareFile("/books/paged.pdf", {
    detected: {
      kind: "document",
      mime: "application/pdf",
      docType: "pdf",
      name: "a PDF document",
      warnings: ['The name ends in ".txt".'],
    },
    extracted,
    contentHash: "0".repeat(64),
  }, { measure: WORDS });
  storeDocuments(store, [{ prepared }]);
}
