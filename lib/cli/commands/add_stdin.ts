import { KbError } from "../../core/mod.ts";
import type { AddReport, Engine, FileState } from "../../kb/mod.ts";
import { type LabelOptions, toLabels } from "../filter.ts";
import { type CliIo, readParts } from "../io.ts";
import { waitForJob } from "./jobs.ts";

/** How a file can end that was queued. */
const STATES: readonly FileState[] = [
  "indexed",
  "unchanged",
  "empty",
  "unsupported",
  "binary",
  "not_text",
  "password_required",
  "corrupted",
  "no_text",
  "too_large",
  "unreadable",
];

/** Where names from standard input are that have no folder. */
const FOLDER = "stdin";

/** Options of a file from standard input. */
export interface StdinOptions extends LabelOptions {
  /** Its name, by which a later one updates it. */
  readonly name?: string;
  /** Its title. */
  readonly title?: string;
}

/**
 * Refuses a command line whose standard input would be nobody's, or cannot be named.
 *
 * @throws {KbError} `invalid_input` that says what to write instead.
 */
export function checkStdin(
  io: CliIo,
  paths: readonly string[],
  { name, title }: StdinOptions,
): void {
  const count = paths.filter((path) => path === "-").length;
  if (count === 0) {
    if (name === undefined && title === undefined) return;
    throw new KbError(
      "invalid_input",
      "--name and --title are for one file from standard input; use: kbdb add - --name FILE",
    );
  }
  if (count > 1) {
    throw new KbError("invalid_input", "Standard input can be added only once");
  }
  if (name === undefined && title === undefined) {
    throw new KbError(
      "invalid_input",
      "A file from standard input needs a name; use: kbdb add - --name FILE, or --title TITLE",
    );
  }
  if (io.input.isTTY === true) {
    throw new KbError(
      "invalid_input",
      "Nothing is piped in; use: COMMAND | kbdb add - --name FILE",
    );
  }
}

/** Takes in a file from standard input; one of the same name replaces it. */
export async function addStdin(
  io: CliIo,
  kb: Engine,
  options: StdinOptions,
): Promise<AddReport> {
  const { title, name: given = title ?? "" } = options;
  // A name without a folder is taken for another file each time.
  const name = given.includes("/") ? given : `${FOLDER}/${given}`;
  let readBytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const part of toBytes(io)) {
      readBytes += part.length;
      yield part;
    }
  }
  const { id } = await kb.jobs.submitFile(name, counted(), {
    ...(title === undefined ? {} : { title }),
    ...toLabels(options),
  });
  const { status, state, error } = await waitForJob(io, kb, id);
  const end = STATES.find((one) => one === state) ??
    (status === "done" ? "indexed" : "unreadable");
  return {
    root: name,
    files: [{
      path: name,
      state: end,
      ...(error === null ? {} : { reason: error }),
    }],
    counts: { [end]: 1 },
    readBytes,
  };
}

async function* toBytes(io: CliIo): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const part of readParts(io)) {
    yield typeof part === "string" ? encoder.encode(part) : part;
  }
}
