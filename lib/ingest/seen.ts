import { lstatSync } from "node:fs";
import { dirname, sep } from "node:path";
import { KbError } from "../core/mod.ts";
import { listSources, type SeenSource, type Store } from "../store/mod.ts";
import { INSIDE } from "./plan_archive.ts";
import type { Scan } from "./scan.ts";
import type { FileReport, FileState } from "./types.ts";

/** What the base knows of a file or folder, of all in it, and of all in an archive. */
export function listSeen(store: Store, root: string): Map<string, SeenSource> {
  return new Map([
    ...listSources(store, root, sep),
    ...listMembers(store, root),
  ]);
}

/** Lists what the base knows of the files in an archive, by their paths. */
export function listMembers(
  store: Store,
  archive: string,
): Map<string, SeenSource> {
  return listSources(store, archive + INSIDE.slice(0, -1), INSIDE.slice(-1));
}

/** Groups what is known of files in archives by the archive on disk they are in. */
export function groupMembers(
  seen: ReadonlyMap<string, SeenSource>,
): Map<string, Map<string, SeenSource>> {
  const groups = new Map<string, Map<string, SeenSource>>();
  for (const [path, source] of seen) {
    for (const archive of archivesAround(path)) {
      const group = groups.get(archive) ?? new Map();
      groups.set(archive, group.set(path, source));
    }
  }
  return groups;
}

/** Paths of the archives a file may be in, the innermost first; `[]` for any other path. */
function archivesAround(path: string): string[] {
  const archives: string[] = [];
  for (
    let at = path.lastIndexOf(INSIDE);
    at > 0;
    at = path.lastIndexOf(INSIDE, at - 1)
  ) archives.push(path.slice(0, at));
  return archives;
}

/**
 * Stops before an empty folder that had files before: it may be a disk that is not mounted.
 *
 * @throws {KbError} `conflict` if it is one.
 */
export function stopIfEmpty(
  path: string,
  seen: ReadonlyMap<string, unknown>,
  { found }: Pick<Scan, "found">,
): void {
  if (found.size > 0 || seen.size === 0) return;
  throw new KbError(
    "conflict",
    `"${path}" is empty, but ${seen.size} documents came from it; nothing was removed. If they are to go: kbdb rm "${path}"`,
    { details: { path, documents: seen.size } },
  );
}

/** A document whose file is not to be in the base any more. */
export interface Gone<T = SeenSource> {
  /** Path of the file. */
  readonly path: string;
  /** What the base knows of it. */
  readonly source: T;
  /** Why. */
  readonly reason: string;
}

/** Finds the files that are not there any more; one in an archive is not looked at. */
export function findMissing(
  seen: ReadonlyMap<string, SeenSource>,
  { found }: Scan,
): Gone[] {
  return [...seen].flatMap(([path, source]) =>
    path.includes(INSIDE) || found.has(path) || exists(path)
      ? []
      : [{ path, source, reason: "Its file is gone" }]
  );
}

/**
 * Finds the documents whose files do not exist any more, or that the owner's rules leave out now; one
 * that merely cannot be read stays.
 *
 * @param seen What the base knows of the root.
 * @param scan What was found there.
 * @param reports What became of each file.
 */
export function findGone<T>(
  seen: ReadonlyMap<string, T>,
  { found, leftOut }: Pick<Scan, "found" | "leftOut">,
  reports: readonly FileReport[],
): Gone<T>[] {
  const states = new Map(reports.map(({ path, state }) => [path, state]));
  return [...seen].flatMap(([path, source]) => {
    if (isLeftOut(path, leftOut)) {
      return [{ path, source, reason: "It is left out now" }];
    }
    const isThere = found.has(path) || states.has(path) || exists(path) ||
      isKeptByArchive(path, states);
    return isThere ? [] : [{ path, source, reason: "Its file is gone" }];
  });
}

/** Says whether a path or a folder it is in is left out. */
function isLeftOut(path: string, leftOut: ReadonlySet<string>): boolean {
  if (leftOut.size === 0) return false;
  for (let at = path;; at = dirname(at)) {
    if (leftOut.has(at)) return true;
    if (dirname(at) === at) return false;
  }
}

/** Says whether a file is in an archive that is there and was not unpacked without it. */
function isKeptByArchive(
  path: string,
  states: ReadonlyMap<string, FileState>,
): boolean {
  for (const archive of archivesAround(path)) {
    const state = states.get(archive);
    if (state !== undefined) return state !== "indexed" && state !== "empty";
    if (exists(archive)) return true;
  }
  return false;
}

function exists(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error &&
      (error.code === "ENOENT" || error.code === "ENOTDIR"));
  }
}
