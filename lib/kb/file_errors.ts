import { isDiskFull, KbError } from "../core/mod.ts";

/** Says an error of the file system in the words of the caller's task; others are thrown as they are. */
export function toFileError(task: string, error: unknown): unknown {
  if (error instanceof KbError || !(error instanceof Error)) return error;
  if (isDiskFull(error)) {
    return new KbError("busy", `${task}: the disk is full; make room`, {
      cause: error,
    });
  }
  const code = "code" in error ? String(error.code) : "";
  if (["EACCES", "EPERM", "EROFS", "ENOTDIR", "EISDIR"].includes(code)) {
    return new KbError(
      "invalid_input",
      `${task}: ${error.message}; choose a folder that can be written`,
      { cause: error },
    );
  }
  return error;
}
