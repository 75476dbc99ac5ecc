import { createTwoFilesPatch } from "diff";
import { type DocumentId, KbError, splitLabels } from "../core/mod.ts";
import { readNoteText, updateNote } from "../ingest/mod.ts";
import {
  addTags,
  type DocumentRow,
  listNoteVersions,
  listTagsOf,
  markUpdated,
  type NoteVersion,
  removeTags,
  type Store,
} from "../store/mod.ts";
import { toSummary } from "./documents.ts";
import { checkLabels } from "./labels.ts";
import { type BaseModel, putModelOf } from "./models.ts";
import { getDocumentByRef } from "./refs.ts";
import { SectionKb } from "./section_kb.ts";
import type { DocumentSummary } from "./types.ts";

/** How to update a note. */
export interface UpdateNoteOptions {
  /** New title; otherwise one that was given stays, and one taken from the text is taken anew. */
  readonly title?: string;
  /** Stops before anything is stored. */
  readonly signal?: AbortSignal;
}

/** What became of an update. */
export interface UpdateNoteReport {
  /** The note as it is now. */
  readonly document: DocumentSummary;
  /** Whether text or title changed. */
  readonly changed: boolean;
  /** What the note lacks now: its vectors, if the model cannot be had. */
  readonly degraded: readonly "no_vectors"[];
}

/** Changes to the tags of a document. */
export interface TagChanges {
  /** Tags to add; `collection:NAME` moves the document. */
  readonly add?: readonly string[];
  /** Tags to take off; those it does not have are passed over. */
  readonly remove?: readonly string[];
}

/** The part of an open base that changes documents in place: notes, their history, and tags. */
export abstract class NoteKb extends SectionKb {
  readonly #store: Store;
  readonly #model: BaseModel;

  /** Takes the store and model of the base. */
  constructor(store: Store, model: BaseModel) {
    super(store, model);
    this.#store = store;
    this.#model = model;
  }

  /**
   * Replaces the text of a note, by id or docid; ids, tags and creation time stay, and what it said
   * before is kept. Its vectors are made first, so that a failure leaves the note as it was.
   *
   * @throws {KbError} `not_found` if there is none; `invalid_input` if it is no note (`details.reason`
   * is `"not_a_note"`) or the text is blank or too long; `model_unavailable` if its vectors fail.
   */
  async updateNote(
    ref: string,
    text: string,
    options: UpdateNoteOptions = {},
  ): Promise<UpdateNoteReport> {
    const { id } = getDocumentByRef(this.#store, ref);
    const hasModel = this.#model.problem === undefined;
    const changed = await updateNote(this.#store, id, text, {
      ...options,
      measure: this.#model.measure(),
      ...(hasModel
        ? {
          vectors: {
            embedder: this.#model.embedder(),
            model: putModelOf(this.#store, this.#model),
          },
        }
        : {}),
    });
    return {
      document: this.#summary(id),
      changed,
      degraded: hasModel ? [] : ["no_vectors"],
    };
  }

  /**
   * Lists what a note said before, oldest first.
   *
   * @throws {KbError} `not_found` if there is no such document.
   */
  noteHistory(ref: string): NoteVersion[] {
    return this.#store.read(() =>
      listNoteVersions(this.#store, getDocumentByRef(this.#store, ref).id)
    );
  }

  /**
   * Compares two texts of a note as a unified diff.
   *
   * @param versions `from` and `to` count from 1; the text as it is now if `to` is left out.
   * @returns The diff; `""` if nothing differs.
   * @throws {KbError} `not_found` if there is no such note or version.
   */
  diffNote(
    ref: string,
    { from, to }: { readonly from: number; readonly to?: number },
  ): string {
    return this.#store.read(() => {
      const { id } = getDocumentByRef(this.#store, ref);
      const before = this.#version(id, from).content;
      const after = to === undefined
        ? readNoteText(this.#store, id)
        : this.#version(id, to).content;
      return before === after ? "" : createTwoFilesPatch(
        `version ${from}`,
        to === undefined ? "now" : `version ${to}`,
        before + "\n",
        after + "\n",
        undefined,
        undefined,
        {
          headerOptions: {
            includeIndex: false,
            includeUnderline: false,
            includeFileHeaders: true,
          },
        },
      );
    });
  }

  /**
   * Gives a note a text it had before; what it says now is kept as a version.
   *
   * @throws {KbError} `not_found` if there is no such note or version; else as {@linkcode NoteKb.updateNote}.
   */
  async restoreNote(
    ref: string,
    version: number,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<UpdateNoteReport> {
    const { id } = getDocumentByRef(this.#store, ref);
    const { content, title } = this.#version(id, version);
    return await this.updateNote(String(id), content, { ...options, title });
  }

  /**
   * Adds and removes tags of a document, by id, docid or path; `updatedAt` is set if any changed.
   *
   * @throws {KbError} `not_found` if there is none; `invalid_input` for a tag that is none.
   */
  tag(ref: string, { add = [], remove = [] }: TagChanges): DocumentSummary {
    checkLabels(splitLabels(add));
    return this.#store.write(() => {
      const document = getDocumentByRef(this.#store, ref);
      const before = listTagsOf(this.#store, document.id);
      removeTags(this.#store, document.id, remove);
      addTags(this.#store, document.id, add);
      this.#keepCollection(document);
      const after = listTagsOf(this.#store, document.id);
      if (before.join("\n") !== after.join("\n")) {
        markUpdated(this.#store, document.id, document.contentHash);
      }
      return this.#summary(document.id);
    });
  }

  /** Every document is in a collection: one whose collection was taken off is in `documents` again. */
  #keepCollection({ id }: DocumentRow): void {
    const tags = listTagsOf(this.#store, id);
    if (tags.some((tag) => tag.startsWith("collection:"))) return;
    addTags(this.#store, id, ["collection:documents"]);
  }

  #version(id: DocumentId, version: number): NoteVersion {
    const versions = listNoteVersions(this.#store, id);
    const found = versions.find((entry) => entry.version === version);
    if (found !== undefined) return found;
    const known = versions.length === 0
      ? "it has none but the text as it is"
      : `there are ${versions[0]?.version} to ${versions.at(-1)?.version}`;
    throw new KbError(
      "not_found",
      `Document ${id} has no version ${version}; ${known}`,
      { details: { id, version } },
    );
  }

  #summary(id: DocumentId): DocumentSummary {
    return this.#store.read(() =>
      toSummary(this.#store, getDocumentByRef(this.#store, String(id)))
    );
  }
}
