import { createReadStream, lstatSync, readFileSync, statSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { KbError, LIMITS, sha256Hex } from "../core/mod.ts";
import {
  type ArchiveRecord,
  findFiles,
  type FoundFile,
  storeArchiveDocument,
  storeArchiveLoose,
  storeGathered,
  storeSkill,
} from "../ingest/mod.ts";
import { findDocumentsBy, type SectionChunks } from "../store/mod.ts";
import { readArchiveFile } from "../text/mod.ts";
import { kindOf, readRecordFile } from "./archive_file.ts";
import { readRecord } from "./archive_schema.ts";
import { ATTACHMENTS, EXPORT_NAME, EXPORT_ORIGINALS } from "./export.ts";
import { importForeign, toItem } from "./import_foreign.ts";
import { isHeader, splitLines } from "./import_lines.ts";
import type {
  ImportContext,
  ImportItem,
  ImportOptions,
  ImportReport,
} from "./import_types.ts";

/** A record that waits to be stored. */
interface Waiting {
  readonly item: string;
  readonly record: ArchiveRecord;
  readonly chars: number;
}

const BATCH_ITEMS = 200;
const BATCH_CHARS = 4 * 1024 * 1024;

/**
 * Brings an export, or a folder of Markdown and other files from elsewhere, into the base.
 *
 * What an export says of a document is restored: ids, tags, collection, times, sections. Importing
 * again changes nothing. An item that cannot be taken in is reported and stops nothing.
 *
 * @param path Folder, or a file that ends in `.jsonl`.
 * @throws {KbError} `not_found` if there is nothing; `cancelled` if `signal` aborts.
 */
export async function importInto(
  context: ImportContext,
  path: string,
  options: ImportOptions = {},
): Promise<ImportReport> {
  let root: string;
  try {
    root = await realpath(path);
  } catch (error) {
    throw new KbError("not_found", `Cannot import "${path}": it is not there`, {
      cause: error,
    });
  }
  const run = new ImportRun(context, options);
  if (statSync(root).isDirectory()) await run.readFolder(root);
  else if (root.endsWith(".jsonl")) await run.readLines(root);
  else {
    throw new KbError(
      "invalid_input",
      `Cannot import "${path}": a folder or a .jsonl file is expected; to add a file use: kbdb add`,
    );
  }
  const counts: Record<string, number> = {};
  for (const { state } of run.items) counts[state] = (counts[state] ?? 0) + 1;
  return { path: root, items: run.items, counts };
}

/** One import: gathers items and stores them many at a time. */
class ImportRun {
  readonly items: ImportItem[] = [];
  readonly #context: ImportContext;
  readonly #options: ImportOptions;
  #waiting: Waiting[] = [];
  #foreign: FoundFile[] = [];

  constructor(context: ImportContext, options: ImportOptions) {
    this.#context = context;
    this.#options = options;
  }

  async readFolder(root: string): Promise<void> {
    const isExport = lstatSync(join(root, EXPORT_NAME), {
      throwIfNoEntry: false,
    }) !== undefined;
    const originals: { item: string; path: string; hash: string }[] = [];
    for (const found of findFiles(root, { ignoreFiles: false }).found) {
      const item = relative(root, found.path).split(sep).join("/");
      if ("state" in found) {
        this.items.push({ item, ...toItem(found) });
        continue;
      }
      const isBeside = item === EXPORT_NAME ||
        item.startsWith(`${ATTACHMENTS}/`) ||
        item.startsWith(`${EXPORT_ORIGINALS}/`);
      if (isExport && isBeside) continue;
      const original = this.#readFile(root, found, item);
      if (original !== undefined) originals.push(original);
      await this.#storeIfMany();
    }
    this.#store();
    await this.#storeForeign(root);
    for (const original of originals) await this.#keepOriginal(root, original);
  }

  async readLines(path: string): Promise<void> {
    let number = 0;
    for await (const line of splitLines(path)) {
      number++;
      if (typeof line === "string" && line.trim() === "") continue;
      const item = `line ${number}`;
      if (typeof line !== "string") {
        this.#fail(item, line.problem);
        continue;
      }
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        this.#fail(item, "It is no JSON");
        continue;
      }
      if (isHeader(value)) continue;
      this.#take(item, readRecord(value), line.length);
      await this.#storeIfMany();
    }
    this.#store();
  }

  /** Reads a file of an export; one of another origin is left for later. Gives its original, if it has one. */
  #readFile(
    root: string,
    found: FoundFile,
    item: string,
  ): { item: string; path: string; hash: string } | undefined {
    const isText = /\.md$/i.test(item) && found.sizeBytes <= LIMITS.fileBytes;
    const file = isText
      ? readArchiveFile(readFileSync(found.path, "utf8"))
      : undefined;
    if (file === undefined || kindOf(file) === undefined) {
      this.#foreign.push(found);
      return undefined;
    }
    const folder = dirname(found.path);
    try {
      const read = readRecordFile(file, {
        changedAt: new Date(found.mtimeMs).toISOString(),
        readFile: (path) => readFileSync(inside(root, folder, path)),
      });
      this.#take(item, read, found.sizeBytes);
      const { original } = file.fields;
      if (
        typeof original !== "string" || !("record" in read) ||
        read.record.kind !== "document"
      ) return undefined;
      return {
        item,
        path: inside(root, folder, original),
        hash: read.record.content_hash,
      };
    } catch (error) {
      this.#fail(item, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  }

  #take(
    item: string,
    read: ReturnType<typeof readRecord>,
    chars: number,
  ): void {
    if ("problem" in read) this.#fail(item, read.problem);
    else this.#waiting.push({ item, record: read.record, chars });
  }

  #fail(item: string, reason: string): void {
    this.items.push({ item, state: "failed", reason });
  }

  async #storeIfMany(): Promise<void> {
    if (this.#options.signal?.aborted === true) {
      throw new KbError(
        "cancelled",
        "Importing was stopped; what is stored so far stays, import again to go on",
      );
    }
    const chars = this.#waiting.reduce((sum, one) => sum + one.chars, 0);
    if (this.#waiting.length < BATCH_ITEMS && chars < BATCH_CHARS) return;
    this.#store();
    await new Promise((go) => setTimeout(go, 0));
  }

  /** Stores what waits in one transaction; if one item cannot be stored, each in its own. */
  #store(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      this.items.push(...this.#storeTogether(batch));
    } catch (error) {
      if (!(error instanceof KbError) || error.code === "busy") throw error;
      for (const one of batch) {
        try {
          this.items.push(...this.#storeTogether([one]));
        } catch (reason) {
          if (!(reason instanceof KbError) || reason.code === "busy") {
            throw reason;
          }
          this.#fail(one.item, reason.message);
        }
      }
    }
  }

  #storeTogether(batch: readonly Waiting[]): ImportItem[] {
    const { store } = this.#context;
    return store.write(() => {
      const added: SectionChunks[] = [];
      const items = batch.map(({ item, record }) => ({
        item,
        ...this.#storeRecord(record, added),
      }));
      storeGathered(store, added);
      return items;
    });
  }

  #storeRecord(
    record: ArchiveRecord,
    added: SectionChunks[],
  ): Omit<ImportItem, "item"> {
    const { store, measure } = this.#context;
    if (record.kind === "section") {
      return { state: storeArchiveLoose(store, record, added, measure) };
    }
    if (record.kind === "skill") {
      const { created } = storeSkill(store, toSkill(record), measure);
      return { state: created ? "added" : "unchanged" };
    }
    const { state, documentId } = storeArchiveDocument(store, record, added, {
      measure,
      overwrite: this.#options.overwrite === true,
    });
    return {
      state,
      documentId,
      ...(state === "kept"
        ? {
          reason: "The one in the base changed later; --overwrite replaces it",
        }
        : {}),
    };
  }

  /** Takes in files that are not of an export. */
  async #storeForeign(root: string): Promise<void> {
    if (this.#foreign.length === 0) return;
    await using planner = this.#context.openPlanner();
    const files = this.#foreign.splice(0);
    for (let at = 0; at < files.length; at += BATCH_ITEMS) {
      await this.#storeIfMany();
      const batch = files.slice(at, at + BATCH_ITEMS);
      const items = await importForeign(this.#context, planner, {
        root,
        files: batch,
        collection: this.#options.collection,
      });
      this.items.push(...items);
    }
  }

  async #keepOriginal(
    root: string,
    { item, path, hash }: { item: string; path: string; hash: string },
  ): Promise<void> {
    const { originals, store } = this.#context;
    const isWanted = findDocumentsBy(store, "content_hash", hash).length > 0;
    if (!isWanted || originals.has(hash)) return;
    try {
      if (sha256Hex(readFileSync(path)) !== hash) {
        this.#fail(item, `Its original "${relative(root, path)}" was changed`);
        return;
      }
      await originals.receive(createReadStream(path), LIMITS.uploadBytes);
    } catch (error) {
      this.#fail(
        item,
        `Its original cannot be read: ${
          error instanceof Error ? error.message : String(error)
        }`,
      );
    }
  }
}

/** Resolves a path of a file; nothing outside the folder is read. */
function inside(root: string, folder: string, path: string): string {
  const found = resolve(folder, path);
  const isIn = found.startsWith(root + sep);
  const stat = isIn ? lstatSync(found, { throwIfNoEntry: false }) : undefined;
  if (stat?.isFile() === true) return found;
  throw new KbError(
    "invalid_input",
    isIn
      ? `"${path}" is missing`
      : `"${path}" is outside the folder that is imported`,
  );
}

function toSkill(
  record: Extract<ArchiveRecord, { kind: "skill" }>,
): Parameters<typeof storeSkill>[1] {
  return {
    name: record.name,
    description: record.description,
    body: record.body,
    arguments: record.arguments.map(({ name, description, required }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      ...(required === undefined ? {} : { required }),
    })),
  };
}
