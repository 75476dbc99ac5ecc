import { KbError } from "../../core/mod.ts";
import { readText } from "../input.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { openForReading } from "../session.ts";

const USAGE = 'kbdb updatenote ID "TEXT", or: kbdb updatenote ID - < FILE';

/** Options of `kbdb updatenote`. */
export interface UpdateNoteCommandOptions extends GlobalOptions {
  /** New title. */
  readonly title?: string;
}

/** Replaces the text of a note. */
export async function updatenote(
  io: CliIo,
  id: string | undefined,
  words: readonly string[],
  { title, ...options }: UpdateNoteCommandOptions,
): Promise<number> {
  if (id === undefined || words.length === 0) {
    throw new KbError(
      "invalid_input",
      `Both the id of a note and its new text are required; use: ${USAGE}`,
    );
  }
  const text = await readText(io, words, { usage: USAGE });
  await using kb = await openForReading(io, options, { model: true });
  const report = await kb.updateNote(id, text, {
    signal: io.signal,
    ...(title === undefined ? {} : { title }),
  });
  if (options.format === "json") {
    writeJson(io, report);
    return 0;
  }
  const { document, changed, degraded } = report;
  io.out.write(
    changed
      ? `Updated note ${document.id} (${document.docid})\n`
      : `Note ${document.id} says that already\n`,
  );
  if (degraded.length > 0) {
    writeLines(io.err, [
      "note: it is found by word only until the model can be had; see: kbdb status",
    ]);
  }
  return 0;
}
