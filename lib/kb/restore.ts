import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { KbError } from "../core/mod.ts";
import { isAlone } from "../store/mod.ts";
import { type BackupManifest, verifyBackup } from "./backup_manifest.ts";
import { BASE_FILES, DATABASE, ORIGINALS } from "./base_files.ts";
import { copyFile, syncFolder } from "./copy_file.ts";
import { toFileError } from "./file_errors.ts";

/** How to restore. */
export interface RestoreOptions {
  /** Puts the base that is there aside; otherwise one that is there is a conflict. */
  readonly replace?: boolean;
  /** Stops it; the base is as it was then. */
  readonly signal?: AbortSignal;
  /** Current time in ISO 8601 UTC. */
  readonly now?: () => string;
}

/** What a restore came to. */
export interface RestoreReport {
  /** Directory of the base. */
  readonly dir: string;
  /** What was in the backup. */
  readonly manifest: BackupManifest;
  /** Folder the base that was there is in now; absent if there was none. */
  readonly replacedDir?: string;
}

/**
 * Makes a base of a backup. The backup is checked whole first, and what is copied is compared with
 * its manifest, before anything of the base is touched. The database comes last, so that a
 * directory without it is not taken for a base.
 *
 * @param backup Folder of the backup.
 * @param dir Directory of the base; made if it is not there.
 * @throws {KbError} as {@linkcode verifyBackup}; `conflict` if there is a base and `replace` is not
 * set, or another process has it open.
 */
export async function restoreBase(
  backup: string,
  dir: string,
  options: RestoreOptions = {},
): Promise<RestoreReport> {
  const { replace = false, signal } = options;
  const from = resolve(backup);
  const manifest = await verifyBackup(
    from,
    signal === undefined ? {} : { signal },
  );
  const old = BASE_FILES.filter((name) => existsSync(join(dir, name)));
  if (old.length > 0 && !replace) {
    throw new KbError(
      "conflict",
      `Cannot restore to "${dir}": there is a base already; choose another directory, or put that one aside with --replace`,
      { details: { dir } },
    );
  }
  const staging = join(dir, `.restore-${randomUUID().slice(0, 8)}`);
  try {
    await mkdir(join(staging, ORIGINALS), { recursive: true, mode: 0o700 });
    for (const { name, sha256 } of manifest.files) {
      const facts = await copyFile(
        join(from, name),
        join(staging, name),
        signal,
      );
      if (facts.sha256 !== sha256) {
        throw new KbError(
          "corrupt",
          `Cannot restore "${from}": ${name} changed while it was read`,
        );
      }
    }
    await syncFolder(join(staging, ORIGINALS));
    const replacedDir = await putAside(dir, old, options);
    await moveIn(dir, staging, replacedDir);
    await rm(staging, { recursive: true, force: true });
    return {
      dir,
      manifest,
      ...(replacedDir === undefined ? {} : { replacedDir }),
    };
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    throw toFileError(`Cannot restore to "${dir}"`, error);
  }
}

/** Moves the base that is there to a folder beside it; a base that is open is not touched. */
async function putAside(
  dir: string,
  old: readonly string[],
  { now = () => new Date().toISOString() }: RestoreOptions,
): Promise<string | undefined> {
  if (old.length === 0) return undefined;
  if (old.includes(DATABASE) && !isAlone(join(dir, DATABASE))) {
    throw new KbError(
      "conflict",
      `Cannot replace the base at "${dir}": another process has it open; stop kbdb serve, kbdb mcp and agents that use it`,
      { details: { dir } },
    );
  }
  const aside = join(dir, `replaced-${now().replaceAll(/[:.]/g, "-")}`);
  await mkdir(aside, { mode: 0o700 });
  await moveAll(old.filter((name) => existsSync(join(dir, name))), dir, aside);
  return aside;
}

/** Gives what was copied its place; if that fails, the base that was there comes back. */
async function moveIn(
  dir: string,
  staging: string,
  replacedDir: string | undefined,
): Promise<void> {
  const names = BASE_FILES.filter((name) => existsSync(join(staging, name)))
    .sort((a, b) => Number(a === DATABASE) - Number(b === DATABASE));
  try {
    await moveAll(names, staging, dir);
  } catch (error) {
    if (replacedDir !== undefined) {
      const old = BASE_FILES.filter((name) =>
        existsSync(join(replacedDir, name))
      );
      await moveAll(old, replacedDir, dir);
      await rm(replacedDir, { recursive: true, force: true });
    }
    throw error;
  }
  await syncFolder(dir);
}

/** Moves all or nothing. */
async function moveAll(
  names: readonly string[],
  from: string,
  to: string,
): Promise<void> {
  const moved: string[] = [];
  try {
    for (const name of names) {
      await rename(join(from, name), join(to, name));
      moved.push(name);
    }
  } catch (error) {
    for (const name of moved) await rename(join(to, name), join(from, name));
    throw error;
  }
}
