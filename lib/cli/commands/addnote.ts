import { type LabelOptions, toLabels } from "../filter.ts";
import { readText } from "../input.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { openForWriting } from "../session.ts";
import { describeEmbedding, embedWithProgress } from "./embedding.ts";

/** Options of `kbdb addnote`. */
export interface AddNoteCommandOptions extends GlobalOptions, LabelOptions {
  /** Title of the note. */
  readonly title?: string;
  /** Text id of the note. */
  readonly docid?: string;
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

/** Adds a note from the arguments, or from standard input. */
export async function addnote(
  io: CliIo,
  words: readonly string[],
  options: AddNoteCommandOptions,
): Promise<number> {
  const text = await readText(io, words, {
    usage: 'kbdb addnote "TEXT", or pipe it in',
  });
  await using kb = await openForWriting(io, options, {
    model: options.embed,
  });
  const { title, docid } = options;
  const note = await kb.addNote(text, {
    ...(title === undefined ? {} : { title }),
    ...toLabels(options),
    ...(docid === undefined ? {} : { docid }),
  });
  const started = performance.now();
  const embedding = options.embed ? await embedWithProgress(io, kb) : undefined;
  const document = await kb.info(String(note.documentId));
  if (options.format === "json") {
    writeJson(io, {
      state: note.state,
      id: document.id,
      docid: document.docid,
      title: document.title,
      embedding,
    });
    return 0;
  }
  io.out.write(
    note.state === "skipped"
      ? `Note ${document.id} has this text already\n`
      : `Added note ${document.id} (${document.docid})\n`,
  );
  if (embedding !== undefined && "problem" in embedding) {
    writeLines(
      io.err,
      describeEmbedding(embedding, (performance.now() - started) / 1000),
    );
  }
  return 0;
}
