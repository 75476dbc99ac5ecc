import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { KbError, workerUrl } from "../core/mod.ts";
import { SCHEMA_VERSION, type SnapshotFacts } from "../store/mod.ts";
import { DATABASE } from "./base_files.ts";
import { hashFile } from "./copy_file.ts";
import { startUpkeep } from "./upkeep.ts";

/** Name of the file that says what a backup holds; it is written last. */
export const MANIFEST = "manifest.json";
/** Version of the form of backups. */
export const BACKUP_VERSION = 1;
/** Faults that are named one by one; more are only counted. */
const NAMED_FAULTS = 10;

/** What a backup holds. */
export interface BackupManifest {
  /** Says that this is a backup of kbdb. */
  readonly format: "kbdb-backup";
  /** Version of the form of backups. */
  readonly formatVersion: number;
  /** Version of kbdb that made it. */
  readonly kbdbVersion: string;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** Schema version of the database in it. */
  readonly schemaVersion: number;
  /** What it holds. */
  readonly counts:
    & Pick<
      SnapshotFacts,
      "documents" | "sections" | "chunks" | "vectors"
    >
    & { readonly originals: number };
  /** Its files but the manifest itself, the database first. */
  readonly files: readonly BackupFile[];
}

/** One file of a backup. */
export interface BackupFile {
  /** Path in the backup, with `/`. */
  readonly name: string;
  /** Its bytes. */
  readonly sizeBytes: number;
  /** SHA-256 of them, hex. */
  readonly sha256: string;
}

/**
 * Compares every file of a backup with its manifest and has SQLite check the database in it.
 *
 * @throws {KbError} `not_found` if there is nothing; `invalid_input` if it is no backup; `corrupt`
 * if it is damaged, with all that is wrong; `conflict` if a newer kbdb made it; `cancelled` if
 * `signal` aborts.
 */
export async function verifyBackup(
  dir: string,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<BackupManifest> {
  const manifest = await readManifest(dir);
  const faults: string[] = [];
  for (const file of manifest.files) {
    faults.push(...await listFileFaults(dir, file, signal));
  }
  if (!manifest.files.some(({ name }) => name === DATABASE)) {
    faults.push(`${DATABASE} is not among its files`);
  }
  // A database that differs is not worth asking SQLite about.
  if (faults.length === 0) {
    faults.push(...await listDatabaseFaults(dir, manifest, signal));
  }
  if (faults.length === 0) return manifest;
  const more = faults.length - NAMED_FAULTS;
  throw new KbError(
    "corrupt",
    `The backup "${dir}" is damaged: ${
      faults.slice(0, NAMED_FAULTS).join("; ")
    }${more > 0 ? `; and ${more} more` : ""}. Use another backup`,
    { details: { faults: faults.length } },
  );
}

async function readManifest(dir: string): Promise<BackupManifest> {
  const path = join(dir, MANIFEST);
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) {
    throw new KbError("not_found", `There is no backup at "${dir}"`);
  }
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new KbError(
      "invalid_input",
      `"${dir}" is not a backup of kbdb: it has no ${MANIFEST}; one that was not finished has none either`,
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new KbError(
      "corrupt",
      `The backup "${dir}" is damaged: ${MANIFEST} is no JSON. Use another backup`,
      { cause: error },
    );
  }
  // Loaded only here, so that a command that opens a base starts no slower.
  const { SCHEMA } = await import("./manifest_schema.ts");
  const parsed = SCHEMA.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new KbError(
      "corrupt",
      `The backup "${dir}" is damaged: ${MANIFEST} is wrong at ${
        issue?.path.join(".")
      }: ${issue?.message}. Use another backup`,
    );
  }
  const { formatVersion, schemaVersion } = parsed.data;
  if (formatVersion > BACKUP_VERSION || schemaVersion > SCHEMA_VERSION) {
    throw new KbError(
      "conflict",
      `Cannot read the backup "${dir}": a newer kbdb made it (${parsed.data.kbdbVersion}); update kbdb`,
    );
  }
  return parsed.data;
}

async function listFileFaults(
  dir: string,
  { name, sizeBytes, sha256 }: BackupFile,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const path = join(dir, name);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() !== true) return [`${name} is missing`];
  if (stat.size !== sizeBytes) {
    return [`${name} has ${stat.size} bytes, expected ${sizeBytes}`];
  }
  const found = await hashFile(path, signal);
  return found.sha256 === sha256
    ? []
    : [`${name} has other bytes than were written (SHA-256 ${found.sha256})`];
}

async function listDatabaseFaults(
  dir: string,
  { counts, schemaVersion }: BackupManifest,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const path = join(dir, DATABASE);
  const facts = await startUpkeep(workerUrl("upkeep_worker"), {
    type: "verify",
    path,
  }, signal === undefined ? {} : { signal });
  const wrong = (["documents", "sections", "chunks", "vectors"] as const)
    .filter((name) => facts[name] !== counts[name]);
  return [
    ...facts.faults.map((fault) => `${DATABASE}: ${fault}`),
    ...wrong.map((name) =>
      `${DATABASE} has ${facts[name]} ${name}, expected ${counts[name]}`
    ),
    ...(facts.schemaVersion === schemaVersion ? [] : [
      `${DATABASE} has schema ${facts.schemaVersion}, expected ${schemaVersion}`,
    ]),
  ];
}
