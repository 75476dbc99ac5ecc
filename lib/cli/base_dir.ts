import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { KbError } from "../core/mod.ts";
import type { CliIo } from "./io.ts";
import { readVariable, type Resolved } from "./settings/resolve.ts";
import { BASE_DIR } from "./settings/table.ts";

/** Name of a base's directory inside a project. */
export const BASE_NAME = ".kbdb";
const DATABASE = "kb.db";

/** Directory of the personal base: the user's data directory, `kbdb`. */
function personalDir({ env, home, platform }: CliIo): string {
  if (platform === "win32") {
    return join(env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "kbdb");
  }
  if (platform === "darwin") {
    return join(home, "Library", "Application Support", "kbdb");
  }
  const data = env["XDG_DATA_HOME"] ?? "";
  return join(data === "" ? join(home, ".local", "share") : data, "kbdb");
}

/** Folder of downloaded models: in the user's cache directory. */
export function modelsCacheDir({ env, home, platform }: CliIo): string {
  if (platform === "win32") {
    const local = env["LOCALAPPDATA"] ?? join(home, "AppData", "Local");
    return join(local, "kbdb", "cache", "models");
  }
  if (platform === "darwin") {
    return join(home, "Library", "Caches", "kbdb", "models");
  }
  const cache = env["XDG_CACHE_HOME"] ?? "";
  const parent = cache === "" ? join(home, ".cache") : cache;
  return join(parent, "kbdb", "models");
}

/** Says which base is named by `--db` or by the environment; `undefined` if none is. */
export function findNamedDir(
  io: CliIo,
  db: string | undefined,
): Resolved<string> | undefined {
  if (db !== undefined) {
    // As of a variable that is not set; the working directory would be made a base.
    if (db.trim() === "") {
      throw new KbError("invalid_input", "--db needs the directory of a base");
    }
    return { value: resolve(io.cwd, db), source: "flag", from: "--db" };
  }
  const given = readVariable(io, BASE_DIR);
  return given && { ...given, value: resolve(io.cwd, given.value) };
}

/**
 * Says which base a command means: `--db`, else `KBDB_DIR`, else the nearest `.kbdb` up the tree,
 * else the personal base.
 */
export function findBaseDir(io: CliIo, db: string | undefined): string {
  const named = findNamedDir(io, db);
  if (named !== undefined) return named.value;
  for (let dir = io.cwd;; dir = dirname(dir)) {
    const candidate = join(dir, BASE_NAME);
    if (existsSync(join(candidate, DATABASE))) return candidate;
    if (dirname(dir) === dir) return personalDir(io);
  }
}

/** Says whether a base is there. */
export function hasBase(dir: string): boolean {
  return existsSync(join(dir, DATABASE));
}

/**
 * Says which base a reading command means.
 *
 * @throws {KbError} `not_found` if there is none.
 */
export function getBaseDir(io: CliIo, db: string | undefined): string {
  const dir = findBaseDir(io, db);
  if (hasBase(dir)) return dir;
  throw new KbError(
    "not_found",
    `There is no base at "${dir}"; make one with: kbdb init, or: kbdb add PATH`,
    { details: { dir } },
  );
}
