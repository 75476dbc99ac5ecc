import { type DocumentId, type Kbid, sha256Hex } from "../../lib/core/mod.ts";
import { prepareFile, prepareNote } from "../../lib/ingest/prepare.ts";
import { storeDocuments } from "../../lib/ingest/store_document.ts";
import type { Store } from "../../lib/store/mod.ts";
import { detect, toSections } from "../../lib/text/mod.ts";
import type { SectionInput } from "../../lib/store/mod.ts";
import {
  insertDocument,
  placeSection,
  putSection,
} from "../../lib/store/mod.ts";
import { WORDS } from "./temp_kb.ts";
import { toDocumentInput } from "./temp_store.ts";

/** Adds files as ingestion does, without a file system; the docid of each is its name. */
export function addTexts(
  store: Store,
  files: Readonly<Record<string, string>>,
  collection = "documents",
): DocumentId[] {
  return storeDocuments(
    store,
    Object.entries(files).map(([path, text]) => {
      const detected = detect(new TextEncoder().encode(text), path);
      if (detected.kind !== "text") throw new TypeError("It is no text");
      const { mime, docType } = detected;
      const extracted = { ...toSections(text, { mime }), docType };
      const contentHash = sha256Hex(path + text);
      return {
        prepared: prepareFile(path, { detected, extracted, contentHash }, {
          measure: WORDS,
        }),
        docid: collection === "documents"
          ? path.slice(path.lastIndexOf("/") + 1)
          : `${collection}-${path.slice(path.lastIndexOf("/") + 1)}`,
        collection,
      };
    }),
  );
}

/** Adds a note with a docid and, if given, a title. */
export function addNoteText(
  store: Store,
  docid: string,
  text: string,
  title?: string,
): void {
  const prepared = prepareNote(
    { text, ...(title === undefined ? {} : { title }) },
    WORDS,
  );
  if (prepared === undefined) throw new TypeError("A note is blank");
  storeDocuments(store, [{ prepared, docid }]);
}

/** Adds a document of sections that are given one by one, all of them without headings. */
export function addSections(
  store: Store,
  docid: string,
  sections: readonly (Partial<SectionInput> & { headingPath?: string[] })[],
  document: { docType?: string; metadata?: Record<string, never> } = {},
): Kbid[] {
  return store.write(() => {
    const id = insertDocument(store, toDocumentInput(docid, document));
    return sections.map(({ headingPath = [], ...section }, position) => {
      const kbid = putAlone(store, { standalone: false, ...section });
      const row = store.get<{ id: never }>(
        "SELECT id FROM sections WHERE kbid = ?",
        kbid,
      );
      if (row === undefined) throw new TypeError("A section is not there");
      placeSection(store, id, position, row.id, {
        headingPath,
        lineStart: 1,
        lineEnd: 1,
      });
      return kbid;
    });
  });
}

/** Stores a section that stands alone; answers its kbid. */
export function putAlone(store: Store, section: Partial<SectionInput>): Kbid {
  const { id } = putSection(store, {
    sectionType: "text/markdown",
    title: null,
    context: "",
    content: "",
    standalone: true,
    ...section,
  });
  return store.get<{ kbid: Kbid }>("SELECT kbid FROM sections WHERE id = ?", id)
    ?.kbid ?? "" as Kbid;
}

/** Kbid of the first section with a heading. */
export function kbidOf(store: Store, title: string): Kbid {
  const row = store.get<{ kbid: Kbid }>(
    "SELECT kbid FROM sections WHERE title = ? ORDER BY id",
    title,
  );
  if (row === undefined) throw new TypeError(`No section "${title}"`);
  return row.kbid;
}
