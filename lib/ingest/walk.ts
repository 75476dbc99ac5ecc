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
import { IgnoreRules, type RuleOptions } from "./ignore_rules.ts";
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

/** A file or folder that the owner's rules leave out. */
export interface LeftOut {
  /** Absolute path. */
  readonly path: string;
  /** What leaves it out, e.g. `.gitignore`. */
  readonly leftOutBy: string;
}

/** What a walk comes across: a file, or something that is not taken in. */
export type Found = FoundFile | LeftOut | FileReport;

/** What a walk does not take in. */
export interface WalkOptions {
  /** Rules of the root; those of `IgnoreRules.open()` otherwise. */
  readonly rules?: IgnoreRules;
  /** Real paths of folders that are not entered, as they are looked after on their own. */
  readonly apart?: ReadonlySet<string>;
}

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
export function resolveRoot(
  path: string,
  task: "add" | "extract" | "sync" = "add",
): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new KbError(
      "not_found",
      `Cannot ${task} "${path}": ${toReason(error)}`,
      {
        cause: error,
        details: { path },
      },
    );
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
  options: RuleOptions = {},
): {
  readonly root: string;
  readonly found: readonly (FoundFile | FileReport)[];
} {
  const root = resolveRoot(path);
  const rules = IgnoreRules.open(root, options);
  return { root, found: [...walk(root, { rules })].map(toReport) };
}

/** Says of what the rules leave out what is said of any other file. */
export function toReport(found: Found): FoundFile | FileReport {
  return "leftOutBy" in found
    ? {
      path: found.path,
      state: "ignored",
      reason: `Left out by ${found.leftOutBy}`,
    }
    : found;
}

/**
 * Walks a file or folder in the order of names, symbolic links last.
 *
 * Links are followed as long as they stay inside the root. A folder is entered once, and by its own
 * path where it has one in the root, so that no link can change under which path a file is known.
 *
 * A file that is the root itself is taken in whatever the rules say.
 *
 * @param root Real absolute path.
 * @returns Files to read, and a report for each thing that is left out.
 */
export function* walk(
  root: string,
  { rules = IgnoreRules.open(root), apart = new Set() }: WalkOptions = {},
): Generator<Found> {
  const stats = lstatSync(root);
  if (!stats.isDirectory()) return yield* toFound(root, stats);
  const links: Link[] = [];
  const entered = new Set([root]);
  yield* walkFolder(root, { root, rules, apart, entered, links, depth: 0 });
  // Folders behind links add to the list while it is gone through.
  for (const { path, walk } of links) yield* follow(path, walk);
}

interface Walk {
  readonly root: string;
  /** What is left out of the folder that is walked. */
  readonly rules: IgnoreRules;
  readonly apart: ReadonlySet<string>;
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
    else yield* look(path, walk);
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
  if (walk.apart.has(real)) {
    return yield { path, state: "ignored", reason: "It is synced on its own" };
  }
  const leftOutBy = walk.rules.find(path, true);
  if (leftOutBy !== undefined) return yield { path, leftOutBy };
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
  yield* walkFolder(path, {
    ...walk,
    rules: walk.rules.inside(path),
    depth: walk.depth + 1,
  });
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
  else yield* lookAt(path, stats, walk);
}

function* lookAt(path: string, stats: Stats, walk: Walk): Generator<Found> {
  const leftOutBy = walk.rules.find(path, false);
  if (leftOutBy !== undefined) yield { path, leftOutBy };
  else yield* toFound(path, stats);
}

function* look(path: string, walk: Walk): Generator<Found> {
  const leftOutBy = walk.rules.find(path, false);
  if (leftOutBy !== undefined) return yield { path, leftOutBy };
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

/**
 * Says whether a walk of a root would come to a file, as far as its path tells.
 *
 * @param root Real absolute path.
 * @param path From the root.
 * @param options Rules of the root.
 */
export function isTaken(
  root: string,
  path: string,
  options: RuleOptions = {},
): boolean {
  const parts = path.split(sep);
  let rules = IgnoreRules.open(root, options);
  let at = root;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const isFolder = index < parts.length - 1;
    if (isFolder && IGNORED_FOLDERS.has(part)) return false;
    if (rules.find(at, isFolder) !== undefined) return false;
    if (isFolder) rules = rules.inside(at);
  }
  return !IGNORED_FOLDERS.has(parts.at(-1) ?? "");
}
