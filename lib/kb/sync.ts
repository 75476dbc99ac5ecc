import { realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { type JsonObject, KbError } from "../core/mod.ts";
import {
  addFiles,
  type AddFilesOptions,
  type AddFilesReport,
  resolveRoot,
} from "../ingest/mod.ts";
import {
  deleteSyncRoot,
  listSyncRoots,
  putSyncRoot,
  type Store,
} from "../store/mod.ts";
import type { SyncOptions, SyncRoot } from "./sync_types.ts";

/**
 * Makes the base hold what a folder holds, and remembers the folder and how it was synced.
 *
 * @param store Open store.
 * @param path Folder.
 * @param options Options that are given replace those remembered.
 * @param tools How texts are cut.
 * @throws {KbError} `not_found` if the path does not exist; `invalid_input` if it is a file;
 * `conflict` if the folder is empty but had files before, which is how a disk that is not mounted
 * looks; `cancelled` if `signal` aborts.
 */
export async function syncFolder(
  store: Store,
  path: string,
  options: SyncOptions,
  tools: Pick<AddFilesOptions, "measure" | "openPlanner">,
): Promise<AddFilesReport> {
  const root = resolveRoot(path, "sync");
  if (!statSync(root).isDirectory()) {
    throw new KbError(
      "invalid_input",
      `Cannot sync "${path}": it is a file; add it with: kbdb add`,
    );
  }
  const roots = listRoots(store);
  const before = roots.find((each) => each.path === root);
  const remembered = {
    ...before?.options,
    ...toRemembered(options),
  };
  const below = root.endsWith(sep) ? root : root + sep;
  const report = await addFiles(store, root, {
    ...options,
    ...remembered,
    ...tools,
    apart: new Set(
      roots.map((each) => each.path).filter((each) => each.startsWith(below)),
    ),
    keepsIfEmpty: true,
  });
  if (options.dryRun !== true) {
    putSyncRoot(store, root, remembered);
  }
  return report;
}

/** Lists the folders that were synced, A to Z. */
export function listRoots(store: Store): SyncRoot[] {
  return listSyncRoots(store).map(({ path, options, syncedAt }) => ({
    path,
    options: toRemembered(options),
    syncedAt,
  }));
}

/**
 * Forgets a folder; its documents stay.
 *
 * @throws {KbError} `not_found` if it was not synced.
 */
export function forgetRoot(store: Store, path: string): void {
  // One that is gone has no real path any more; it was kept under it.
  const paths = [resolve(path), realPathOf(path)];
  if (paths.some((each) => deleteSyncRoot(store, each))) return;
  const known = listSyncRoots(store).map((each) => each.path).join(", ");
  throw new KbError(
    "not_found",
    `"${path}" is not synced; synced are: ${known === "" ? "none" : known}`,
    { details: { path } },
  );
}

/** What is remembered with a folder; of what was stored, only what has the right type. */
function toRemembered(options: SyncOptions | JsonObject): SyncRoot["options"] {
  const { tags, collection, takesArchives, include, exclude, ignoreFiles } =
    options;
  return {
    ...isTexts(tags) ? { tags } : {},
    ...typeof collection === "string" ? { collection } : {},
    ...typeof takesArchives === "boolean" ? { takesArchives } : {},
    ...isTexts(include) ? { include } : {},
    ...isTexts(exclude) ? { exclude } : {},
    ...typeof ignoreFiles === "boolean" ? { ignoreFiles } : {},
  };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((it) => typeof it === "string");
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
