import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { chmod, mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { KbError, workerUrl } from "../core/mod.ts";
import {
  BACKUP_VERSION,
  type BackupFile,
  type BackupManifest,
  MANIFEST,
  verifyBackup,
} from "./backup_manifest.ts";
import { CONFIG, DATABASE, ORIGINALS } from "./base_files.ts";
import { copyFile, hashFile, syncFolder } from "./copy_file.ts";
import { toFileError } from "./file_errors.ts";
import { startUpkeep } from "./upkeep.ts";

/** How to make a backup. */
export interface BackupOptions {
  /** Version of kbdb, for the manifest. */
  readonly version?: string;
  /** Stops it; nothing is left then. */
  readonly signal?: AbortSignal;
  /** Current time in ISO 8601 UTC. */
  readonly now?: () => string;
}

/** What a backup came to. */
export interface BackupReport {
  /** Folder it is in. */
  readonly path: string;
  /** What it holds. */
  readonly manifest: BackupManifest;
  /** Bytes of all its files but the manifest. */
  readonly sizeBytes: number;
  /** What is wrong with the base and could not be saved, such as a damaged original. */
  readonly warnings: readonly string[];
}

const HASH = /^[0-9a-f]{64}$/;

/**
 * Saves a base to a new folder while other processes go on writing: the database of one moment, the
 * originals, the settings, and a manifest with the SHA-256 of each. All is read again and checked
 * before the folder gets its name, so that one that is there is whole.
 *
 * @param dir Directory of the base.
 * @param target Folder that does not exist; the folders above it are made.
 * @throws {KbError} `not_found` if there is no base; `conflict` if the target exists; `corrupt` if
 * the database is damaged; `busy` if the disk is full; `cancelled` if `signal` aborts.
 */
export async function backupBase(
  dir: string,
  target: string,
  options: BackupOptions = {},
): Promise<BackupReport> {
  const path = resolve(target);
  if (!existsSync(join(dir, DATABASE))) {
    throw new KbError("not_found", `There is no base at "${dir}"`);
  }
  refuseExisting(path);
  const partial = `${path}.partial-${randomUUID().slice(0, 8)}`;
  try {
    await mkdir(join(partial, ORIGINALS), { recursive: true, mode: 0o700 });
    const { manifest, warnings } = await fill(dir, partial, options);
    await verifyBackup(partial, options);
    refuseExisting(path);
    await rename(partial, path);
    await syncFolder(dirname(path));
    const sizeBytes = manifest.files.reduce((sum, f) => sum + f.sizeBytes, 0);
    return { path, manifest, sizeBytes, warnings };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw toFileError(`Cannot make the backup "${path}"`, error);
  }
}

function refuseExisting(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw new KbError(
    "conflict",
    `Cannot make the backup "${path}": that exists already; choose another name`,
    { details: { path } },
  );
}

async function fill(
  dir: string,
  partial: string,
  { version = "", signal, now = () => new Date().toISOString() }: BackupOptions,
): Promise<{ manifest: BackupManifest; warnings: string[] }> {
  const createdAt = now();
  const originals = new OriginalCopies(dir, partial, signal);
  // Before the database, as one may be removed meanwhile, and after it, as one may be added.
  await originals.copyNew();
  const database = join(partial, DATABASE);
  const { faults, schemaVersion, originals: hashes, ...counts } =
    await startUpkeep(workerUrl("upkeep_worker"), {
      type: "snapshot",
      path: join(dir, DATABASE),
      target: database,
    }, signal === undefined ? {} : { signal });
  if (faults.length > 0) {
    throw new KbError(
      "corrupt",
      `Cannot make the backup: the database is damaged: ${
        faults.join("; ")
      }. Run: kbdb check`,
    );
  }
  await originals.copyNew();
  const kept = await originals.keep(new Set(hashes));
  const files = [
    await describe(partial, DATABASE),
    ...(existsSync(join(dir, CONFIG))
      ? [{
        name: CONFIG,
        ...await copyFile(join(dir, CONFIG), join(partial, CONFIG), signal),
      }]
      : []),
    ...kept,
  ];
  const manifest: BackupManifest = {
    format: "kbdb-backup",
    formatVersion: BACKUP_VERSION,
    kbdbVersion: version,
    createdAt,
    schemaVersion,
    counts: { ...counts, originals: kept.length },
    files,
  };
  await writeManifest(partial, manifest);
  return { manifest, warnings: originals.warnings };
}

async function describe(folder: string, name: string): Promise<BackupFile> {
  await chmod(join(folder, name), 0o600);
  return { name, ...await hashFile(join(folder, name)) };
}

async function writeManifest(
  folder: string,
  manifest: BackupManifest,
): Promise<void> {
  const file = await open(join(folder, MANIFEST), "wx", 0o600);
  try {
    await file.writeFile(JSON.stringify(manifest, null, 2) + "\n");
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(join(folder, ORIGINALS));
  await syncFolder(folder);
}

/** Copies of originals, made in more than one go. */
class OriginalCopies {
  /** Originals that could not be saved. */
  readonly warnings: string[] = [];
  readonly #from: string;
  readonly #to: string;
  readonly #signal: AbortSignal | undefined;
  readonly #copied = new Map<string, BackupFile>();
  readonly #damaged = new Set<string>();

  constructor(dir: string, partial: string, signal: AbortSignal | undefined) {
    this.#from = join(dir, ORIGINALS);
    this.#to = join(partial, ORIGINALS);
    this.#signal = signal;
  }

  /** Copies those that are not copied yet. */
  async copyNew(): Promise<void> {
    if (!existsSync(this.#from)) return;
    for (const hash of readdirSync(this.#from).sort()) {
      const isDone = this.#copied.has(hash) || this.#damaged.has(hash);
      if (HASH.test(hash) && !isDone) await this.#copy(hash);
    }
  }

  /** Keeps those the database may need, and removes the others. */
  async keep(wanted: ReadonlySet<string>): Promise<BackupFile[]> {
    for (const hash of this.#damaged) {
      if (!wanted.has(hash)) continue;
      this.warnings.push(
        `The original ${ORIGINALS}/${hash} is damaged and was left out; its text is in the backup`,
      );
    }
    for (const hash of [...this.#copied.keys()]) {
      if (wanted.has(hash)) continue;
      await rm(join(this.#to, hash), { force: true });
      this.#copied.delete(hash);
    }
    return [...this.#copied.values()].sort((a, b) => a.name < b.name ? -1 : 1);
  }

  async #copy(hash: string): Promise<void> {
    const target = join(this.#to, hash);
    try {
      const facts = await copyFile(
        join(this.#from, hash),
        target,
        this.#signal,
      );
      if (facts.sha256 === hash) {
        this.#copied.set(hash, { name: `${ORIGINALS}/${hash}`, ...facts });
      } else {
        this.#damaged.add(hash);
        await rm(target, { force: true });
      }
    } catch (error) {
      // Removed by another process since it was listed.
      const isGone = error instanceof Error && "code" in error &&
        error.code === "ENOENT";
      if (!isGone) throw error;
    }
  }
}
