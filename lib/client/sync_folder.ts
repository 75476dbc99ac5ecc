import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { join } from "node:path";
import { KbError } from "../core/mod.ts";
import type {
  AddReport,
  DocumentSummary,
  FileReport,
  FoundFile,
  SyncOptions,
} from "../kb/mod.ts";
import { findFiles, findGone, stopIfEmpty } from "../kb/folders.ts";
import type { RemoteEngine } from "./engine.ts";
import {
  readFile,
  refuseArchives,
  sendFound,
  sizeOf,
  stopIfAborted,
  toAddReport,
} from "./send_files.ts";
import { toSentPath } from "./sent_path.ts";

/** Documents asked for at once. */
const PAGE = 10_000;

/** Files of a folder beside what an engine has of them. */
interface Comparison {
  /** Files the engine does not have as they are. */
  readonly changed: readonly FoundFile[];
  /** What is to be said of all others. */
  readonly reports: readonly FileReport[];
  /** Documents of those that are as they were. */
  readonly unchanged: readonly DocumentSummary[];
}

/**
 * Makes an engine that cannot see a folder hold what is in it: sends the files whose bytes it does not have, and
 * removes the documents of files that are gone or left out now. The folder is not remembered there.
 *
 * @returns One entry a file, and one a document that was removed.
 * @throws {KbError} `not_found` if the path does not exist; `invalid_input` if it is a file or archives are to be
 * unpacked; `conflict` if it is empty and was not before; `cancelled` if `signal` aborts, and what was sent stays.
 */
export async function syncFolderTo(
  engine: RemoteEngine,
  path: string,
  options: SyncOptions,
): Promise<AddReport> {
  refuseArchives(options);
  const { root, found } = findFiles(path, options);
  if (!statSync(root).isDirectory()) {
    throw new KbError(
      "invalid_input",
      `Cannot sync "${path}": it is a file; add it with: kbdb add`,
    );
  }
  const seen = await listSent(engine, root);
  const scan = {
    found: new Set(found.map((item) => item.path)),
    leftOut: new Set(found.flatMap(leftOutPath)),
  };
  stopIfEmpty(path, seen, scan);
  const { changed, reports, unchanged } = await compare(found, seen, options);
  const isDry = options.dryRun === true;
  // Before anything is sent: a file that was moved would be passed over as its old self has the same bytes.
  const removed: FileReport[] = [];
  for (const { path, source, reason } of findGone(seen, scan, reports)) {
    stopIfAborted(options.signal);
    if (!isDry) await removeGone(engine, source);
    removed.push({ path, state: "removed", reason, documentId: source.id });
  }
  const sent = isDry
    ? changed.map((file): FileReport => ({ path: file.path, state: "indexed" }))
    : await sendFound(engine.jobs, changed, options);
  if (!isDry) await label(engine, unchanged, options);
  return toAddReport(
    root,
    [...reports, ...sent, ...removed],
    isDry ? 0 : sizeOf(changed),
  );
}

/** Removes a document; one that somebody else removed meanwhile is passed over. */
async function removeGone(
  engine: RemoteEngine,
  { id }: DocumentSummary,
): Promise<void> {
  try {
    await engine.remove(String(id));
  } catch (error) {
    if (!(error instanceof KbError && error.code === "not_found")) throw error;
  }
}

function leftOutPath(item: FoundFile | FileReport): string[] {
  return "state" in item && item.state === "ignored" ? [item.path] : [];
}

/** Lists what an engine has of a folder, by the paths on this machine. */
async function listSent(
  engine: RemoteEngine,
  root: string,
): Promise<Map<string, DocumentSummary>> {
  const folder = toSentPath(root, root);
  const seen = new Map<string, DocumentSummary>();
  for (let offset = 0;; offset += PAGE) {
    const page = { folder, sort: "path", limit: PAGE, offset } as const;
    const { documents, total } = await engine.list(page);
    for (const document of documents) {
      const below = (document.path ?? "").slice(folder.length + 1);
      seen.set(join(root, below), document);
    }
    if (documents.length === 0 || offset + PAGE >= total) return seen;
  }
}

/** Compares files with what an engine has of them, by their bytes. */
async function compare(
  found: readonly (FoundFile | FileReport)[],
  seen: ReadonlyMap<string, DocumentSummary>,
  { signal }: SyncOptions,
): Promise<Comparison> {
  const changed: FoundFile[] = [];
  const reports: FileReport[] = [];
  const unchanged: DocumentSummary[] = [];
  for (const item of found) {
    stopIfAborted(signal);
    if ("state" in item) {
      reports.push(item);
      continue;
    }
    const { path } = item;
    const known = seen.get(path);
    if (known === undefined || !await hasHash(path, known.contentHash)) {
      changed.push(item);
      continue;
    }
    unchanged.push(known);
    reports.push({ path, state: "unchanged", documentId: known.id });
  }
  return { changed, reports, unchanged };
}

/** Says whether a file has certain bytes; one that cannot be read has not, which sending it tells. */
async function hasHash(path: string, wanted: string): Promise<boolean> {
  const hash = createHash("sha256");
  try {
    for await (const part of readFile(path)) hash.update(part);
  } catch (error) {
    if (error instanceof KbError) return false;
    throw error;
  }
  return hash.digest("hex") === wanted;
}

/** Gives unchanged documents the tags and collection that are asked for and that they lack. */
async function label(
  engine: RemoteEngine,
  documents: readonly DocumentSummary[],
  { tags = [], collection, signal }: SyncOptions,
): Promise<void> {
  for (const document of documents) {
    stopIfAborted(signal);
    const add = tags.filter((tag) => !document.tags.includes(tag));
    if (collection !== undefined && collection !== document.collection) {
      add.push(`collection:${collection}`);
    }
    if (add.length > 0) await engine.tag(String(document.id), { add });
  }
}
