import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { KbError, LIMITS } from "../core/mod.ts";
import type { CliIo } from "./io.ts";
import { readAll } from "./io.ts";

/**
 * The text a command was given: its words, a file, or standard input if there are no words or only `-`.
 *
 * @param what Which command is called how, for a person who typed no text.
 * @throws {KbError} `invalid_input` if there is none; `not_found` if the file cannot be read.
 */
export async function readText(
  io: CliIo,
  words: readonly string[],
  { file, usage }: { readonly file?: string; readonly usage: string },
): Promise<string> {
  const fromPipe = words.length === 0 ||
    (words.length === 1 && words[0] === "-");
  if (file !== undefined) {
    if (words.length === 0) return new TextDecoder().decode(readFile(io, file));
    throw new KbError("invalid_input", `Give a text or --file, not both`);
  }
  if (!fromPipe) return words.join(" ");
  if (io.input.isTTY === true && words.length === 0) {
    throw new KbError("invalid_input", `There is no text; use: ${usage}`);
  }
  return await readAll(io);
}

/**
 * Reads a file that a person named.
 *
 * @throws {KbError} `not_found` if it cannot be read; `invalid_input` if it is too large.
 */
export function readFile({ cwd }: CliIo, file: string): Uint8Array {
  const path = resolve(cwd, file);
  try {
    const { size } = statSync(path);
    if (size <= LIMITS.fileBytes) return readFileSync(path);
  } catch (error) {
    throw new KbError(
      "not_found",
      `Cannot read "${path}": ${
        error instanceof Error ? error.message : error
      }`,
    );
  }
  throw new KbError(
    "invalid_input",
    `Cannot read "${path}": it is larger than the limit of ${LIMITS.fileBytes} bytes`,
  );
}
