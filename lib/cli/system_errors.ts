import { KbError } from "../core/mod.ts";

const RIGHTS = "give this user the right to it, or name another place";
const SPACE = "free some space, then try again";
const FILES = "let this user open more files, then try again";

/** What a person can do about an error of the system, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: RIGHTS,
  EPERM: RIGHTS,
  EROFS: "its disk can only be read; name another place",
  ENOTDIR: "what should be a folder is a file; name another place",
  EISDIR: "what should be a file is a folder; name another place",
  ENAMETOOLONG: "name a shorter one",
  ELOOP: "a symbolic link leads back to itself; name another place",
  ENOSPC: SPACE,
  EDQUOT: SPACE,
  EMFILE: FILES,
  ENFILE: FILES,
};
/** Those that may be over the next time. */
const PASSING: ReadonlySet<string> = new Set([
  "ENOSPC",
  "EDQUOT",
  "EMFILE",
  "ENFILE",
]);

/**
 * Reads an error of the system, such as a folder that may not be written, as one a person can act on.
 *
 * @returns `undefined` if it is something else.
 */
export function toSystemError(error: unknown): KbError | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  const code = String(error.code);
  const advice = ADVICE[code] ?? adviceOnFolder(code, error);
  if (advice === undefined) return undefined;
  return new KbError(
    PASSING.has(code) ? "busy" : "invalid_input",
    `The system refused: ${error.message}; ${advice}`,
    { cause: error, details: { reason: code } },
  );
}

/** A folder cannot be made where there is no disk, which is no bug; a file that is missing may be one. */
function adviceOnFolder(code: string, error: Error): string | undefined {
  return code === "ENOENT" && "syscall" in error && error.syscall === "mkdir"
    ? "name another place"
    : undefined;
}
