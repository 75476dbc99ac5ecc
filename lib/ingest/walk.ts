import {
  type Dirent,
  lstatSync,
  readdirSync,
  realpathSync,
  type Stats,
  statSync,
} from "node:fs";
import { join, sep } from "node:path";
import { KbError, LIMITS } from "../core/mod.ts";
import type { FileReport } from "./types.ts";

/** A regular file that may be read. */
export interface FoundFile {
  /** Absolute path. */
  readonly path: string;
  /** Bytes. */
  readonly sizeBytes: number;
  /** Modification time in ms since 1970. */
  readonly mtimeMs: number;
}

/** What a walk comes across: a file, or something that is not taken in. */
export type Found = FoundFile | FileReport;

/** Folders that hold what tools made, not what people wrote. */
const IGNORED_FOLDERS: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  ".kbdb",
  "node_modules",
  "__pycache__",
  ".venv",
]);

/** Words for the errors a file system gives most. */
const ERRORS: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "a symbolic link leads back to itself",
  ENAMETOOLONG: "its name is too long",
  EISDIR: "it is a folder",
};

/** Says why the file system refused, in words and with its code. */
export function toReason(error: unknown): string {
  const code = error instanceof Error && "code" in error
    ? String(error.code)
    : "";
  const words = ERRORS[code];
  if (words !== undefined) return `${words} (${code})`;
  return code !== "" ? code : String(error);
}

/**
 * Finds the real path of what a user asked to add.
 *
 * @throws {KbError} `not_found` if it does not exist or may not be seen.
 */
export function resolveRoot(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new KbError("not_found", `Cannot add "${path}": ${toReason(error)}`, {
      cause: error,
      details: { path },
    });
  }
}

/**
 * Finds all files under a path, for who sends them elsewhere.
 *
 * @returns Its real path, and all that {@linkcode walk} gives.
 * @throws {KbError} `not_found` if it does not exist or may not be seen.
 */
export function findFiles(
  path: string,
): { readonly root: string; readonly found: readonly Found[] } {
  const root = resolveRoot(path);
  return { root, found: [...walk(root)] };
}

/**
 * Walks a file or folder in the order of names, symbolic links last.
 *
 * Links are followed as long as they stay inside the root. A folder is entered once, and by its own
 * path where it has one in the root, so that no link can change under which path a file is known.
 *
 * @param root Real absolute path.
 * @returns Files to read, and a report for each thing that is left out.
 */
export function* walk(root: string): Generator<Found> {
  const stats = lstatSync(root);
  if (!stats.isDirectory()) return yield* toFound(root, stats);
  const links: Link[] = [];
  yield* walkFolder(root, { root, entered: new Set([root]), links, depth: 0 });
  // Folders behind links add to the list while it is gone through.
  for (const { path, walk } of links) yield* follow(path, walk);
}

interface Walk {
  readonly root: string;
  readonly entered: Set<string>;
  /** Links found so far, to be followed at the end. */
  readonly links: Link[];
  readonly depth: number;
}

/** A symbolic link and the walk it was found on. */
interface Link {
  readonly path: string;
  readonly walk: Walk;
}

function* walkFolder(folder: string, walk: Walk): Generator<Found> {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return yield { path: folder, state: "unreadable", reason: toReason(error) };
  }
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* enter(path, path, walk);
    else if (entry.isSymbolicLink()) walk.links.push({ path, walk });
    else yield* look(path);
  }
}

/** Enters a folder, unless there is a reason not to. */
function* enter(path: string, real: string, walk: Walk): Generator<Found> {
  const name = path.slice(path.lastIndexOf(sep) + 1);
  if (IGNORED_FOLDERS.has(name)) {
    return yield {
      path,
      state: "ignored",
      reason: `Folders named ${name} are left out`,
    };
  }
  if (walk.entered.has(real)) {
    return yield {
      path,
      state: "ignored",
      reason: `It links to a folder that is walked already: ${real}`,
    };
  }
  if (walk.depth >= LIMITS.folderDepth) {
    return yield {
      path,
      state: "ignored",
      reason: `It is nested deeper than ${LIMITS.folderDepth} folders`,
    };
  }
  walk.entered.add(real);
  yield* walkFolder(path, { ...walk, depth: walk.depth + 1 });
}

/** Follows a symbolic link that stays inside the root. */
function* follow(path: string, walk: Walk): Generator<Found> {
  let real: string;
  let stats: Stats;
  try {
    real = realpathSync(path);
    stats = statSync(real);
  } catch (error) {
    return yield {
      path,
      state: "unreadable",
      reason: `It is a symbolic link that leads nowhere: ${toReason(error)}`,
    };
  }
  const inside = real === walk.root || real.startsWith(walk.root + sep);
  if (!inside) {
    return yield {
      path,
      state: "outside_root",
      reason:
        `It is a symbolic link to ${real}, outside of the folder that is added`,
    };
  }
  if (stats.isDirectory()) yield* enter(path, real, walk);
  else yield* toFound(path, stats);
}

function* look(path: string): Generator<Found> {
  try {
    yield* toFound(path, lstatSync(path));
  } catch (error) {
    yield { path, state: "unreadable", reason: toReason(error) };
  }
}

function* toFound(path: string, stats: Stats): Generator<Found> {
  if (!stats.isFile()) {
    yield {
      path,
      state: "unsupported",
      reason: "It is a device, pipe or socket, not a file",
    };
  } else if (stats.size > LIMITS.fileBytes) {
    yield {
      path,
      state: "too_large",
      reason: `It has ${stats.size} bytes, the limit is ${LIMITS.fileBytes}`,
    };
  } else {
    yield { path, sizeBytes: stats.size, mtimeMs: stats.mtimeMs };
  }
}
