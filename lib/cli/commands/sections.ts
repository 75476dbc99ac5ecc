import { basename } from "node:path";
import { KbError } from "../../core/mod.ts";
import { confirm } from "../confirm.ts";
import { type LabelOptions, toLabels } from "../filter.ts";
import { formatItems } from "../format.ts";
import { readFile, readText } from "../input.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { openForReading, openForWriting } from "../session.ts";
import { describeEmbedding, embedWithProgress } from "./embedding.ts";
import type { AskingOptions } from "./rm.ts";

/** Options of `kbdb learn`. */
export interface LearnCommandOptions extends GlobalOptions, LabelOptions {
  /** File of the content. */
  readonly file?: string;
  /** MIME type. */
  readonly type?: string;
  /** Title. */
  readonly title?: string;
  /** What it is about. */
  readonly description?: string;
  /** Document it joins. */
  readonly docid?: string;
  /** `false` leaves vectors for later. */
  readonly embed: boolean;
}

/** MIME types by the end of a name, for contents that `learn` takes. */
const TYPES: Readonly<Record<string, string>> = {
  md: "text/markdown",
  markdown: "text/markdown",
  txt: "text/plain",
  html: "text/html",
  csv: "text/csv",
  json: "application/json",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  svg: "image/svg+xml",
};

/** Learns a content as one section. */
export async function learn(
  io: CliIo,
  words: readonly string[],
  options: LearnCommandOptions,
): Promise<number> {
  const { content, type } = await readContent(io, words, options);
  await using kb = await openForWriting(io, options, {
    model: options.embed,
  });
  const { title, description, docid } = options;
  const report = await kb.learn(content, {
    ...(type === undefined ? {} : { type }),
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(docid === undefined ? {} : { docid }),
    ...toLabels(options),
  });
  const started = performance.now();
  const embedding = options.embed ? await embedWithProgress(io, kb) : undefined;
  if (options.format === "json") {
    writeJson(io, { ...report, embedding });
    return 0;
  }
  const { kbid, created, attached } = report;
  const joined = docid === undefined ? "" : ` in ${docid}`;
  io.out.write(
    created || attached
      ? `Learned ${kbid}${joined}\n`
      : `${kbid} is known already\n`,
  );
  if (embedding !== undefined && "problem" in embedding) {
    const seconds = (performance.now() - started) / 1000;
    writeLines(io.err, describeEmbedding(embedding, seconds));
  }
  return 0;
}

async function readContent(
  io: CliIo,
  words: readonly string[],
  { file, type }: LearnCommandOptions,
): Promise<{ content: string | Uint8Array; type?: string }> {
  const usage = 'kbdb learn "TEXT", or: kbdb learn --file PATH';
  if (file === undefined) {
    const content = await readText(io, words, { usage });
    return { content, ...(type === undefined ? {} : { type }) };
  }
  if (words.length > 0) {
    throw new KbError("invalid_input", "Give a text or --file, not both");
  }
  const ending = basename(file).split(".").at(-1)?.toLowerCase() ?? "";
  const found = type ?? TYPES[ending];
  if (found === undefined) {
    throw new KbError(
      "unsupported_type",
      `Cannot tell the type of "${file}"; name it with --type, or bring the file in with: kbdb add`,
    );
  }
  const bytes = readFile(io, file);
  const isImage = found.startsWith("image/");
  return {
    content: isImage ? bytes : new TextDecoder().decode(bytes),
    type: found,
  };
}

/** Removes sections from the base and from every document. */
export async function unlearn(
  io: CliIo,
  kbids: readonly string[],
  options: AskingOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const docids = new Set<string>();
  for (const kbid of kbids) {
    for (const docid of (await kb.getSection(kbid)).docids) docids.add(docid);
  }
  const held = docids.size === 0
    ? ""
    : ` and from ${formatItems(docids.size, "document")}`;
  await confirm(
    io,
    `Remove ${formatItems(kbids.length, "section")} from the base${held}?`,
    options.yes,
  );
  const removed: string[] = [];
  for (const kbid of new Set(kbids)) {
    if (await kb.unlearn(kbid)) removed.push(kbid);
  }
  if (options.format === "json") writeJson(io, { removed });
  else writeLines(io.out, removed.map((kbid) => `Removed ${kbid}`));
  return 0;
}
