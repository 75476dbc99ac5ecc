import { Busboy, type BusboyInstance } from "@fastify/busboy";
import { Readable } from "node:stream";
import { KbError, LIMITS } from "../core/mod.ts";
import type { Engine, ReceivedFile } from "../kb/mod.ts";
import { type ReadOptions, readParts } from "./body.ts";

/** What a form held. */
export interface JobForm {
  /** The fields; one that was given more than once has all its values. */
  readonly fields: Readonly<Record<string, string | string[]>>;
  /** The file, written to disk as it came. */
  readonly file?: ReceivedFile & { readonly name: string };
}

const FIELDS_MAX = 300;
/** What a form may have besides its file, in bytes. */
const FORM_BYTES = LIMITS.noteChars * 4;

/**
 * Reads a multipart form with at most one file, which goes to disk as it comes.
 *
 * @throws {KbError} `invalid_input` if the form is broken, has two files, comes too slowly, or something in it is
 * too large.
 */
export async function readJobForm(
  kb: Engine,
  request: Request,
  maxBytes: number,
  reading: ReadOptions = {},
): Promise<JobForm> {
  refuseDeclared(request, maxBytes);
  const fields: Record<string, string | string[]> = Object.create(null);
  let receiving: Promise<ReceivedFile & { name: string }> | undefined;
  let stopReceiving: (error: Error) => void = () => {};
  const parser = makeParser(request);
  const done = new Promise<void>((resolve, reject) => {
    parser.on("field", (name, value, _, isCut) => {
      if (isCut) reject(tooLarge(`The field "${name}" is too long`));
      const before = fields[name];
      fields[name] = before === undefined ? value : [before, value].flat();
    });
    parser.on("file", (_, stream, name) => {
      if (receiving !== undefined) {
        stream.resume();
        return reject(new KbError("invalid_input", "Give one file a request"));
      }
      // Whoever reads it is told; without a listener it would end the process.
      stream.on("error", () => {});
      stopReceiving = (error) => stream.destroy(error);
      receiving = Promise.resolve(kb.jobs.receive(stream, maxBytes))
        .then((file) => ({ ...file, name: name ?? "" }));
      receiving.catch(reject);
    });
    parser.on(
      "fieldsLimit",
      () => reject(tooLarge("The form has too many fields")),
    );
    parser.on("finish", () => resolve());
    parser.on("error", (error) =>
      reject(
        // What ended the body says more than the form that breaks off.
        error instanceof KbError
          ? error
          : new KbError("invalid_input", `Cannot read the form: ${error}`),
      ));
  });
  const source = Readable.from(readParts(request, reading), {
    objectMode: false,
  });
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    await done;
    const file = await receiving;
    return file === undefined ? { fields } : { fields, file };
  } catch (error) {
    source.destroy();
    // The parser does not end the file of a form that breaks off.
    stopReceiving(error instanceof Error ? error : new Error(String(error)));
    await receiving?.then(({ sha256 }) => kb.jobs.release([sha256]), () => {});
    throw error;
  }
}

/** Refuses a form that says itself that its file is too large, before it comes. */
function refuseDeclared(request: Request, maxBytes: number): void {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared <= maxBytes + FORM_BYTES) return;
  throw tooLarge(
    `The upload has ${declared} bytes; a file may have ${maxBytes} bytes, a note ${LIMITS.noteChars} characters`,
  );
}

function makeParser(request: Request): BusboyInstance {
  const contentType = request.headers.get("content-type") ?? "";
  try {
    return new Busboy({
      headers: { "content-type": contentType },
      preservePath: true,
      limits: {
        fieldSize: LIMITS.noteChars * 4,
        fields: FIELDS_MAX,
        files: 2,
        headerPairs: 100,
      },
    });
  } catch (error) {
    throw new KbError(
      "invalid_input",
      `Cannot read the form: ${error instanceof Error ? error.message : error}`,
    );
  }
}

function tooLarge(message: string): KbError {
  return new KbError("invalid_input", message, {
    details: { reason: "too_large" },
  });
}
