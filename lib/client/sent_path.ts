import { resolve } from "node:path";

/**
 * The name an engine elsewhere knows a file of this machine by, which was sent with its whole path.
 *
 * @param path As a person writes it.
 * @param cwd Where that is meant from.
 * @returns No drive, no leading slash: `home/ann/notes/a.md`.
 */
export function toSentPath(path: string, cwd: string): string {
  return resolve(cwd, path).replaceAll("\\", "/").replace(/^[A-Za-z]:/, "")
    .replace(/^\/+/, "");
}
