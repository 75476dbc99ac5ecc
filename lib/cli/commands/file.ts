import {
  createReadStream,
  createWriteStream,
  existsSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { KbError } from "../../core/mod.ts";
import type { DocumentSummary, Engine } from "../../kb/mod.ts";
import { stopped } from "../exit_codes.ts";
import { formatBytes, formatPath } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { fetchRemoteFile } from "../remote.ts";
import { openForReading } from "../session.ts";

/** Options of `kbdb file`. */
export interface FileOptions extends GlobalOptions {
  /** File or folder to write to; `-` is standard output. */
  readonly output?: string;
  /** Replaces a file that is there. */
  readonly force?: true;
}

const TEXT_MIME = /^(text\/|application\/(json|xml|yaml|toml|javascript))/;

/** The file of a document, wherever it is. */
interface Source {
  readonly name: string;
  readonly mime: string;
  /** Its bytes; read once. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Gives back the file a document was made of. */
export async function file(
  io: CliIo,
  ref: string,
  options: FileOptions,
): Promise<number> {
  await using kb = await openForReading(io, options);
  const { output = "-" } = options;
  const document = await kb.summary(ref);
  if (output === "-") {
    checkPrintable(io, document, options);
    await print(io, await openSource(io, kb, document, options));
    return 0;
  }
  const target = toTarget(io, output, toName(document));
  checkFree(target, options);
  const source = await openSource(io, kb, document, options);
  const sizeBytes = await copy(io, source, target);
  if (options.format === "json") {
    const { name, mime } = source;
    writeJson(io, { path: target, name, mime, sizeBytes });
  } else {
    writeLines(io.out, [
      `Wrote ${formatBytes(sizeBytes)} to ${formatPath(target, io.cwd)}`,
    ]);
  }
  return 0;
}

/** Opens the file where the base is: on this machine, or at the engine elsewhere. */
async function openSource(
  io: CliIo,
  kb: Engine,
  document: DocumentSummary,
  options: GlobalOptions,
): Promise<Source> {
  const { id, mime } = document;
  const answer = await fetchRemoteFile(io, options, id);
  if (answer !== undefined) {
    const bytes = answer.body ?? new Blob([]).stream();
    return { name: toName(document), mime, bytes };
  }
  const original = await kb.original(String(id));
  if (original === undefined) throw missing(document);
  return {
    name: original.name,
    mime: original.mime,
    bytes: createReadStream(original.path),
  };
}

/** Name of the file, without folders, also of one that was added on another system. */
function toName({ path, title }: DocumentSummary): string {
  return (path ?? title).split(/[\\/]/).at(-1) ?? title;
}

function missing(
  { id, docType, path }: {
    readonly id: number;
    readonly docType: string;
    readonly path: string | null;
  },
): KbError {
  const why = path === null
    ? `it is of type ${docType} and was made of no file`
    : `"${path}" is gone or has changed since it was added`;
  return new KbError(
    "not_found",
    `Document ${id} has no file: ${why}; for its text use: kbdb get ${id}`,
    { details: { id } },
  );
}

function checkPrintable(
  io: CliIo,
  document: DocumentSummary,
  { format }: GlobalOptions,
): void {
  if (format === "json") {
    throw new KbError(
      "invalid_input",
      "The bytes of a file are no JSON; name a file to write to with -o",
    );
  }
  const { mime } = document;
  if (io.out.isTTY === true && !TEXT_MIME.test(mime)) {
    const name = toName(document);
    throw new KbError(
      "invalid_input",
      `"${name}" is of type ${mime} and would garble the terminal; use -o ${name}, or a pipe`,
    );
  }
}

async function print(io: CliIo, { bytes }: Source): Promise<void> {
  for await (const part of bytes) {
    if (io.signal.aborted) {
      throw stopped("the rest of the file was not written");
    }
    if (io.out.write(part) === false && io.out.once !== undefined) {
      await new Promise<void>((go) => io.out.once?.("drain", go));
    }
  }
}

/** Where to write: the file that is named, or one of the document's name in the folder. */
function toTarget(
  { cwd }: CliIo,
  output: string,
  name: string,
): string {
  const target = resolve(cwd, output);
  const isFolder = /[\\/]$/.test(output) ||
    statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(target, name) : target;
}

function checkFree(target: string, { force }: FileOptions): void {
  if (force === true || !existsSync(target)) return;
  throw new KbError(
    "conflict",
    `"${target}" exists; replace it with --force, or name another with -o`,
  );
}

/** Copies by way of a file beside the target, so that a copy that is broken off replaces nothing; answers its size. */
async function copy(
  { signal }: CliIo,
  { bytes }: Source,
  target: string,
): Promise<number> {
  const part = `${target}.part-${crypto.randomUUID()}`;
  try {
    await pipeline(bytes, createWriteStream(part, { flags: "wx" }), { signal });
    const { size } = statSync(part);
    renameSync(part, target);
    return size;
  } catch (error) {
    rmSync(part, { force: true });
    if (signal.aborted) throw stopped(`"${target}" was not written`);
    throw new KbError(
      "invalid_input",
      `Cannot write "${target}": ${
        describe(error)
      }; name another place with -o`,
    );
  }
}

/** What the system says, without the name of the file beside the target. */
function describe(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/, \w+ '.*'$/s, "");
}
