import type { DocumentId } from "../core/mod.ts";
import { KbError, LIMITS } from "../core/mod.ts";
import { findDocumentsBy, type Store } from "../store/mod.ts";
import { type NoteText, prepareNote } from "./prepare.ts";
import { type StoreDocumentOptions, storeDocuments } from "./store_document.ts";
import type { Measure } from "./types.ts";

/** A note to add. */
export interface NoteInput
  extends
    NoteText,
    Pick<StoreDocumentOptions, "docid" | "tags" | "collection"> {}

/** What became of a note. */
export interface NoteReport {
  /** `indexed`, or `skipped` because a note has the same text already. */
  readonly state: "indexed" | "skipped";
  /** The note, or the one that has its text. */
  readonly documentId: DocumentId;
}

/**
 * Adds a note: a document of type `note` with one section.
 *
 * @throws {KbError} `invalid_input` if the text is blank, too long, or has a NUL character;
 * `conflict` if the docid is taken.
 */
export function addNote(
  store: Store,
  note: NoteInput,
  measure: Measure,
): NoteReport {
  if (note.text.length > LIMITS.noteChars) {
    throw new KbError(
      "invalid_input",
      `Cannot add the note: it has ${note.text.length} characters, the limit is ${LIMITS.noteChars}; add it as a file`,
    );
  }
  const prepared = prepareNote(note, measure);
  if (prepared === undefined) {
    throw new KbError("invalid_input", "Cannot add the note: it has no text");
  }
  return store.write(() => {
    const same = findDocumentsBy(
      store,
      "content_hash",
      prepared.document.contentHash,
    )
      .find((document) => document.docType === "note");
    if (same !== undefined) return { state: "skipped", documentId: same.id };
    const { docid } = note;
    if (
      docid !== undefined && findDocumentsBy(store, "docid", docid).length > 0
    ) {
      throw new KbError(
        "conflict",
        `Cannot add the note: the docid "${docid}" is taken`,
        { details: { docid } },
      );
    }
    const [documentId] = storeDocuments(store, [{ ...note, prepared }]);
    if (documentId === undefined) throw new TypeError("A note was not stored");
    return { state: "indexed", documentId };
  });
}
