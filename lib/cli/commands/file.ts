import {
  createReadStream,
  createWriteStream,
  existsSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { KbError } from "../../core/mod.ts";
import type { OriginalFile } from "../../kb/mod.ts";
import { stopped } from "../exit_codes.ts";
import { formatBytes, formatPath } from "../format.ts";
import {
  type CliIo,
  type GlobalOptions,
  writeJson,
  writeLines,
} from "../io.ts";
import { refuseRemote } from "../remote.ts";
import { openForReading } from "../session.ts";

/** Options of `kbdb file`. */
export interface FileOptions extends GlobalOptions {
  /** File or folder to write to; `-` is standard output. */
  readonly output?: string;
  /** Replaces a file that is there. */
  readonly force?: true;
}

const TEXT_MIME = /^(text\/|application\/(json|xml|yaml|toml|javascript))/;

/** Gives back the file a document was made of. */
export async function file(
  io: CliIo,
  ref: string,
  options: FileOptions,
): Promise<number> {
  await refuseRemote(io, options, "file");
  await using kb = await openForReading(io, options);
  const original = await kb.original(ref);
  if (original === undefined) throw missing(await kb.summary(ref));
  const { output = "-" } = options;
  if (output === "-") {
    await print(io, original, options);
    return 0;
  }
  const target = toTarget(io, output, original);
  await copy(io, original, target, options.force === true);
  const { name, mime, sizeBytes } = original;
  if (options.format === "json") {
    writeJson(io, { path: target, name, mime, sizeBytes });
  } else {
    writeLines(io.out, [
      `Wrote ${formatBytes(sizeBytes)} to ${formatPath(target, io.cwd)}`,
    ]);
  }
  return 0;
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

async function print(
  io: CliIo,
  { path, name, mime }: OriginalFile,
  { format }: GlobalOptions,
): Promise<void> {
  if (format === "json") {
    throw new KbError(
      "invalid_input",
      "The bytes of a file are no JSON; name a file to write to with -o",
    );
  }
  if (io.out.isTTY === true && !TEXT_MIME.test(mime)) {
    throw new KbError(
      "invalid_input",
      `"${name}" is of type ${mime} and would garble the terminal; use -o ${name}, or a pipe`,
    );
  }
  for await (const part of createReadStream(path)) {
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
  { name }: OriginalFile,
): string {
  const target = resolve(cwd, output);
  const isFolder = /[\\/]$/.test(output) ||
    statSync(target, { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(target, basename(name)) : target;
}

/** Copies by way of a file beside the target, so that a copy that is broken off replaces nothing. */
async function copy(
  { signal }: CliIo,
  { path }: OriginalFile,
  target: string,
  force: boolean,
): Promise<void> {
  if (!force && existsSync(target)) {
    throw new KbError(
      "conflict",
      `"${target}" exists; replace it with --force, or name another with -o`,
    );
  }
  const part = `${target}.part-${crypto.randomUUID()}`;
  try {
    await pipeline(
      createReadStream(path),
      createWriteStream(part, { flags: "wx" }),
      { signal },
    );
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { force: true });
    if (signal.aborted) {
      throw stopped(`"${target}" was not written`);
    }
    throw new KbError(
      "invalid_input",
      `Cannot write "${target}": ${
        error instanceof Error ? error.message : error
      }`,
    );
  }
}
