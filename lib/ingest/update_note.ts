import { type DocumentId, KbError, LIMITS } from "../core/mod.ts";
import { type Embedder, quantizeVector } from "../embed/mod.ts";
import {
  clearPlacements,
  type DocumentRow,
  findDocument,
  insertChunks,
  insertLink,
  keepNoteVersion,
  listEnrichedChunks,
  listSections,
  type ModelRow,
  placeSection,
  putSection,
  putVectors,
  removeOrphanSections,
  type Store,
  updateDocument,
} from "../store/mod.ts";
import { toTextHash } from "./embed_pending.ts";
import { type PreparedDocument, prepareNote } from "./prepare.ts";
import type { Measure } from "./types.ts";

/** Options for {@linkcode updateNote}. */
export interface UpdateNoteOptions {
  /** How chunks are measured. */
  readonly measure: Measure;
  /** Title; otherwise one that was given stays, and one taken from the text is taken anew. */
  readonly title?: string;
  /** Makes the vectors before anything is stored; without it they are made later. */
  readonly vectors?: { readonly embedder: Embedder; readonly model: ModelRow };
  /** Stops before anything is stored. */
  readonly signal?: AbortSignal;
}

/**
 * Replaces the text of a note and keeps what it said before. Its ids, tags and creation time stay.
 *
 * The vectors are made first and all is stored in one transaction, so that a failure leaves the note
 * as it was.
 *
 * @returns Whether anything changed.
 * @throws {KbError} `not_found` if there is no such document; `invalid_input` if it is no note, or
 * the text is blank, too long, or has a NUL character; `model_unavailable` if a vector cannot be
 * made; `cancelled` if `signal` aborts.
 */
export async function updateNote(
  store: Store,
  id: DocumentId,
  text: string,
  options: UpdateNoteOptions,
): Promise<boolean> {
  const old = getNote(store, id);
  const prepared = prepareReplacement(store, old, text, options);
  const { contentHash, title } = prepared.document;
  if (contentHash === old.contentHash && title === old.title) return false;
  const vectors = await embedTexts(listTexts(prepared), options);
  return store.write(() => {
    // Read again, as another process may have replaced or removed it while the vectors were made.
    replaceNote(store, getNote(store, id), prepared, {
      vectors,
      ...(options.vectors === undefined
        ? {}
        : { model: options.vectors.model }),
    });
    return true;
  });
}

function getNote(store: Store, id: DocumentId): DocumentRow {
  const document = findDocument(store, id);
  if (document === undefined) {
    throw new KbError("not_found", `There is no document ${id}`, {
      details: { id },
    });
  }
  if (document.docType !== "note") {
    throw new KbError(
      "invalid_input",
      `Cannot update document ${id}: only notes can be updated, it is of type ${document.docType}`,
      { details: { id, reason: "not_a_note", docType: document.docType } },
    );
  }
  return document;
}

/** The text of a note as stored. */
export function readNoteText(store: Store, id: DocumentId): string {
  return listSections(store, id).map(({ content }) => String(content)).join(
    "\n\n",
  );
}

function prepareReplacement(
  store: Store,
  old: DocumentRow,
  text: string,
  { title, measure }: UpdateNoteOptions,
): PreparedDocument {
  if (text.length > LIMITS.noteChars) {
    throw new KbError(
      "invalid_input",
      `Cannot update the note: the text has ${text.length} characters, the limit is ${LIMITS.noteChars}`,
    );
  }
  const before = prepareNote({ text: readNoteText(store, old.id) }, measure);
  const hasOwnTitle = before?.document.title !== old.title;
  const kept = title ?? (hasOwnTitle ? old.title : undefined);
  const prepared = prepareNote(
    { text, ...(kept === undefined ? {} : { title: kept }) },
    measure,
  );
  if (prepared === undefined) {
    throw new KbError(
      "invalid_input",
      "Cannot update the note: it has no text",
    );
  }
  return prepared;
}

/** What is embedded of a prepared document: the context and text of each chunk, as the store joins them. */
function listTexts({ sections }: PreparedDocument): string[] {
  return sections.flatMap(({ section, chunks }) => {
    const points = [...String(section.content)];
    return chunks.map(({ start, length, text }) => {
      const own = text ?? points.slice(start, start + length).join("");
      return section.context === "" ? own : `${section.context}\n\n${own}`;
    });
  });
}

/** Makes the vectors of texts, by text. */
async function embedTexts(
  texts: readonly string[],
  { vectors, signal }: UpdateNoteOptions,
): Promise<Map<string, Uint8Array>> {
  const made = new Map<string, Uint8Array>();
  if (vectors === undefined) return made;
  for (let at = 0; at < texts.length; at += LIMITS.embedTexts) {
    const batch = texts.slice(at, at + LIMITS.embedTexts);
    const { data, dims, failedRows = [] } = await vectors.embedder.embed(
      batch,
      { role: "passage", ...(signal === undefined ? {} : { signal }) },
    );
    const [failed] = failedRows;
    if (failed !== undefined) {
      throw new KbError(
        "model_unavailable",
        `Cannot update the note: its vector could not be made (${failed.message}); it is as it was`,
      );
    }
    for (const [row, text] of batch.entries()) {
      const vector = data.subarray(row * dims, (row + 1) * dims);
      made.set(text, quantizeVector(vector));
    }
  }
  return made;
}

/** Puts a prepared text in the place of a note's. */
function replaceNote(
  store: Store,
  old: DocumentRow,
  { document, sections }: PreparedDocument,
  { vectors, model }: {
    readonly vectors: ReadonlyMap<string, Uint8Array>;
    readonly model?: ModelRow;
  },
): void {
  const { id } = old;
  keepNoteVersion(store, id, {
    title: old.title,
    content: readNoteText(store, id),
    writtenAt: old.updatedAt ?? old.createdAt,
  }, LIMITS.noteVersions);
  const before = clearPlacements(store, id);
  updateDocument(store, id, {
    ...document,
    title: document.title.slice(0, LIMITS.titleChars).toWellFormed(),
  });
  for (const [position, part] of sections.entries()) {
    const { id: sectionId, created } = putSection(store, part.section);
    placeSection(store, id, position, sectionId, part.place);
    for (const link of part.links) insertLink(store, id, sectionId, link);
    if (!created) continue;
    insertChunks(store, [{ sectionId, chunks: part.chunks }]);
    if (model === undefined) continue;
    putVectors(
      store,
      model.id,
      listEnrichedChunks(store, sectionId).flatMap((chunk) => {
        const vector = vectors.get(chunk.enrichedText);
        const textHash = toTextHash(chunk.enrichedText);
        return vector === undefined
          ? []
          : [{ chunkId: chunk.id, vector, textHash }];
      }),
    );
  }
  removeOrphanSections(store, before);
}
