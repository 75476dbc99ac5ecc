/**
 * A worker that extracts one file, or unpacks one archive, after the other and says what is wrong with what came of each.
 *
 * @module
 */
import { parentPort } from "node:worker_threads";
import {
  type Extracted,
  ExtractError,
  readArchive,
} from "../../../lib/text/mod.ts";
import { extractBytes } from "../extract_fixtures.ts";

/** A file to extract. */
export interface FileToExtract {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** States a file that is not extracted may end in. */
const STATES: ReadonlySet<string> = new Set([
  "corrupted",
  "no_text",
  "password_required",
  "too_large",
  "unsupported",
]);

/** What every document keeps to; `undefined` if this one does. */
function findFault({ sections }: Extracted): string | undefined {
  for (const section of sections) {
    const { content, image, lineStart, lineEnd, headingPath } = section;
    if (image === undefined && content.trim() === "") return "a blank section";
    if (!content.isWellFormed()) return "half a character";
    if (headingPath.includes("")) return "a heading without words";
    if (lineStart < 1 || lineEnd < lineStart) {
      return `lines ${lineStart} to ${lineEnd}`;
    }
  }
  return undefined;
}

/** What is wrong with how an extraction ended; `undefined` if nothing is. */
function findFlaw(error: unknown): string | undefined {
  if (!(error instanceof ExtractError)) return `threw ${stackOf(error)}`;
  const { state, message, cause } = error;
  if (!STATES.has(state)) return `ended as ${state}`;
  if (!/^[A-Z].*\.$/su.test(message)) return `said "${message}"`;
  // A fault of kbdb's own code must not pass for one of the file.
  const [, place = ""] = stackOf(cause).split("\n");
  const isOwn = cause instanceof Error && !/call stack/.test(cause.message) &&
    /\/lib\/text\//.test(place);
  return isOwn ? `failed: ${stackOf(cause)}` : undefined;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? error.stack ?? error.message : String(error);
}

/** Media types of archives by the ends of their names. */
const ARCHIVES: Readonly<Record<string, string>> = {
  zip: "application/zip",
  tar: "application/x-tar",
  gz: "application/gzip",
};
/** Bytes that may come out of an archive. */
const ARCHIVE_BYTES = 1_000_000;

/** Unpacks an archive; says whether more came out of it than may. */
function unpack(
  bytes: Uint8Array,
  mime: string,
  name: string,
): string | undefined {
  const budget = {
    bytes: ARCHIVE_BYTES,
    entries: 100,
    memberBytes: ARCHIVE_BYTES,
    ratio: 50,
  };
  let total = 0;
  for (const member of readArchive(bytes, mime, name, budget)) {
    if ("bytes" in member) {
      total += member.bytes.length;
      if (/^\/|(?:^|\/)\.\.(?:\/|$)|^$/.test(member.name)) {
        return `gave out "${member.name}"`;
      }
    } else if (member.reason === "") return "said nothing of what it left out";
  }
  return total > ARCHIVE_BYTES ? `gave out ${total} bytes` : undefined;
}

async function judge(
  { bytes, name }: FileToExtract,
): Promise<string | undefined> {
  try {
    const mime = ARCHIVES[/\w+$/.exec(name)?.[0] ?? ""];
    if (mime !== undefined) return unpack(bytes, mime, name);
    return findFault(await extractBytes(bytes, name));
  } catch (error) {
    return findFlaw(error);
  }
}

parentPort?.on("message", async (file: FileToExtract) => {
  parentPort?.postMessage({ flaw: await judge(file) });
});
