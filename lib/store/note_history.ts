import type { DocumentId } from "../core/mod.ts";
import type { Store } from "./driver.ts";

/** What a note said before. */
export interface NoteVersion {
  /** Number of the version, from 1; the note as it is now is one more than the last. */
  readonly version: number;
  /** Title it had. */
  readonly title: string;
  /** Text it had. */
  readonly content: string;
  /** ISO 8601 UTC; when that was written. */
  readonly writtenAt: string;
  /** ISO 8601 UTC; when it was replaced. */
  readonly replacedAt: string;
}

const COLUMNS =
  "version, title, content, written_at AS writtenAt, replaced_at AS replacedAt";

/** Keeps what a note says now, before it is replaced; the oldest go when there are too many. */
export function keepNoteVersion(
  store: Store,
  id: DocumentId,
  note: Pick<NoteVersion, "title" | "content" | "writtenAt">,
  versionsMax: number,
): void {
  store.run(
    `INSERT INTO note_history(document_id, version, title, content, written_at, replaced_at)
     SELECT ?, COALESCE(max(version), 0) + 1, ?, ?, ?, ? FROM note_history WHERE document_id = ?`,
    id,
    note.title,
    note.content,
    note.writtenAt,
    store.now(),
    id,
  );
  store.run(
    `DELETE FROM note_history WHERE document_id = ?
       AND version <= (SELECT max(version) FROM note_history WHERE document_id = ?) - ?`,
    id,
    id,
    versionsMax,
  );
}

/** Lists what a note said before, oldest first. */
export function listNoteVersions(store: Store, id: DocumentId): NoteVersion[] {
  return store.all<NoteVersion>(
    `SELECT ${COLUMNS} FROM note_history WHERE document_id = ? ORDER BY version`,
    id,
  );
}

/** Gives a note the versions it had elsewhere, in the place of those it has. */
export function setNoteVersions(
  store: Store,
  id: DocumentId,
  versions: readonly NoteVersion[],
): void {
  store.run("DELETE FROM note_history WHERE document_id = ?", id);
  for (const one of versions) {
    store.run(
      `INSERT INTO note_history(document_id, version, title, content, written_at, replaced_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      id,
      one.version,
      one.title,
      one.content,
      one.writtenAt,
      one.replacedAt,
    );
  }
}
