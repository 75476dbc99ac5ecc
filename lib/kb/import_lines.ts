import { createReadStream } from "node:fs";
import { KbError, LIMITS } from "../core/mod.ts";
import { EXPORT_VERSION } from "./export.ts";

/** The first line of an export; one of a newer kbdb is refused. */
export function isHeader(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { kind, version } = value as { kind?: unknown; version?: unknown };
  if (kind !== "kbdb-export") return false;
  if (typeof version === "number" && version > EXPORT_VERSION) {
    throw new KbError(
      "conflict",
      `Cannot import: the export is of version ${version}, this kbdb knows ${EXPORT_VERSION}; update kbdb`,
    );
  }
  return true;
}

/** Reads a file line by line; of a line that is too long it gives the reason why it is passed over. */
export async function* splitLines(
  path: string,
): AsyncGenerator<string | { readonly problem: string }> {
  const decoder = new TextDecoder();
  let held: string[] = [];
  let chars = 0;
  function take(): string | { readonly problem: string } {
    const isTooLong = chars > LIMITS.archiveLineChars;
    const line = isTooLong ? { problem: tooLong() } : held.join("");
    held = [];
    chars = 0;
    return line;
  }
  function hold(part: string): void {
    chars += part.length;
    if (chars > LIMITS.archiveLineChars) held = [];
    else held.push(part);
  }
  for await (const bytes of createReadStream(path)) {
    const parts = decoder.decode(bytes, { stream: true }).split("\n");
    const last = parts.pop() ?? "";
    for (const part of parts) {
      hold(part);
      yield take();
    }
    hold(last);
  }
  hold(decoder.decode());
  yield take();
}

function tooLong(): string {
  return `The line has more than ${LIMITS.archiveLineChars} characters, which is the limit`;
}
