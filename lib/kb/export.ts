import { randomUUID } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { basename, dirname, extname, join, resolve } from "node:path";
import { KbError } from "../core/mod.ts";
import {
  type ArchiveRecord,
  readArchiveDocument,
  readSkill,
  toArchiveSection,
} from "../ingest/mod.ts";
import {
  type DocumentFilter,
  type DocumentRow,
  isRestricting,
  listDocumentsAfter,
  listLooseSections,
  listSkillSections,
  listWholeLinks,
  openStore,
  type Store,
  toFilterSql,
} from "../store/mod.ts";
import { writeArchiveFile } from "../text/mod.ts";
import type { Attachment } from "./archive_file.ts";
import { DATABASE, ORIGINALS } from "./base_files.ts";
import { copyFile, syncFolder } from "./copy_file.ts";
import { toFileError } from "./file_errors.ts";

/** File that says that a folder is an export. */
export const EXPORT_NAME = "kbdb-export.json";
/** Folder of the images in an export. */
export const ATTACHMENTS = "files";
/** Folder of the originals in an export. */
export const EXPORT_ORIGINALS = "originals";
/** Version of the form of exports. */
export const EXPORT_VERSION = 1;

/** How to export. */
export interface ExportOptions extends DocumentFilter {
  /** Stops it; nothing is left then. */
  readonly signal?: AbortSignal;
  /** Current time in ISO 8601 UTC. */
  readonly now?: () => string;
}

/** What an export came to. */
export interface ExportReport {
  /** Folder or file. */
  readonly path: string;
  /** Documents written, agents among them. */
  readonly documents: number;
  /** Skills written. */
  readonly skills: number;
  /** Sections written that are in no document. */
  readonly sections: number;
  /** Originals written. */
  readonly originals: number;
  /** Originals that are in the base and not in the export: JSONL holds none. */
  readonly originalsLeftOut: number;
}

interface Counts {
  documents: number;
  skills: number;
  sections: number;
  originals: number;
  originalsLeftOut: number;
}

/** Where records go. */
interface Sink {
  put(record: ArchiveRecord, original: string | undefined): Promise<void>;
  finish(header: unknown): Promise<void>;
}

const PAGE = 100;
const NAME_CHARS = 100;

/**
 * Writes a base in an open form: a folder of Markdown files, or one JSONL file if the name ends in
 * `.jsonl`. With a filter, the documents that pass it and nothing else.
 *
 * @param dir Directory of the base.
 * @param target Folder or file that does not exist; it has its name only once it is whole.
 * @throws {KbError} `not_found` if there is no base; `conflict` if the target exists; `busy` if the
 * disk is full; `cancelled` if `signal` aborts.
 */
export async function exportBase(
  dir: string,
  target: string,
  options: ExportOptions = {},
): Promise<ExportReport> {
  const path = resolve(target);
  if (!existsSync(join(dir, DATABASE))) {
    throw new KbError("not_found", `There is no base at "${dir}"`);
  }
  if (lstatSync(path, { throwIfNoEntry: false }) !== undefined) {
    throw new KbError(
      "conflict",
      `Cannot export to "${path}": that exists already; choose another name`,
      { details: { path } },
    );
  }
  const { now = () => new Date().toISOString() } = options;
  const partial = `${path}.partial-${randomUUID().slice(0, 8)}`;
  const isLines = path.endsWith(".jsonl");
  try {
    mkdirSync(isLines ? dirname(partial) : partial, { recursive: true });
    using store = openStore(join(dir, DATABASE));
    const counts: Counts = {
      documents: 0,
      skills: 0,
      sections: 0,
      originals: 0,
      originalsLeftOut: 0,
    };
    const sink = isLines
      ? await openLines(partial, counts)
      : await openFolder(partial, counts);
    await writeAll(store, dir, sink, counts, options);
    await sink.finish({
      kind: "kbdb-export",
      version: EXPORT_VERSION,
      created_at: now(),
      ...counts,
    });
    await rename(partial, path);
    await syncFolder(dirname(path));
    return { path, ...counts };
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw toFileError(`Cannot export to "${path}"`, error);
  }
}

async function writeAll(
  store: Store,
  dir: string,
  sink: Sink,
  counts: Counts,
  options: ExportOptions,
): Promise<void> {
  const { signal } = options;
  // Skills first, as agents refer to them.
  if (!isRestricting(options)) {
    for (const { kbid, content } of listSkillSections(store)) {
      const { kbid: _, ...skill } = readSkill(kbid, String(content));
      await sink.put({ kind: "skill", ...skill }, undefined);
      counts.skills++;
    }
  }
  const where = toFilterSql(options);
  for (let after = 0;;) {
    const rows = listDocumentsAfter(store, after, { where, limit: PAGE });
    for (const row of rows) {
      stopIfAborted(signal);
      const record = store.read(() => readArchiveDocument(store, row));
      await sink.put(record, findUpload(dir, row));
      counts.documents++;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) break;
    after = last.id;
  }
  if (isRestricting(options)) return;
  for (let after = 0;;) {
    const page = listLooseSections(store, after, PAGE);
    for (const whole of page) {
      const links = listWholeLinks(store, null, whole.id);
      await sink.put({
        kind: "section",
        section: toArchiveSection(whole, links),
      }, undefined);
      counts.sections++;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) break;
    after = last.id;
  }
}

function stopIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) {
    throw new KbError("cancelled", "Exporting was stopped; nothing was kept");
  }
}

/** The original of an uploaded document, if the base has it. */
function findUpload(
  dir: string,
  { sourcePath, contentHash }: DocumentRow,
): string | undefined {
  const path = join(dir, ORIGINALS, contentHash);
  return sourcePath !== null && existsSync(path) ? path : undefined;
}

/** One JSON record a line. */
async function openLines(path: string, counts: Counts): Promise<Sink> {
  const file: FileHandle = await open(path, "wx", 0o600);
  await file.writeFile(
    JSON.stringify({ kind: "kbdb-export", version: EXPORT_VERSION }) + "\n",
  );
  return {
    async put(record, original): Promise<void> {
      if (original !== undefined) counts.originalsLeftOut++;
      await file.writeFile(JSON.stringify(record) + "\n");
    },
    async finish(): Promise<void> {
      await file.sync();
      await file.close();
    },
  };
}

/** One Markdown file a record, in folders by collection. */
async function openFolder(root: string, counts: Counts): Promise<Sink> {
  // Loaded only here, so that a command that opens a base starts no slower.
  const { toRecordFile } = await import("./archive_file.ts");
  const taken = new Set<string>();
  function write(path: string, content: string | Uint8Array): void {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content, { flag: "wx", mode: 0o600 });
  }
  function keep({ name, bytes }: Attachment): void {
    const path = `${ATTACHMENTS}/${name}`;
    if (!taken.has(path)) write(path, bytes);
    taken.add(path);
  }
  return {
    async put(record, original): Promise<void> {
      const path = toPath(record, taken);
      const toRoot = "../".repeat(path.split("/").length - 1);
      const name = original && record.kind === "document"
        ? toFileName(basename(record.source_path ?? record.title))
        : "";
      const hash = record.kind === "document" ? record.content_hash : "";
      const kept = `${EXPORT_ORIGINALS}/${hash.slice(0, 16)}/${name}`;
      const { file, attachments } = toRecordFile(record, {
        toFiles: `${toRoot}${ATTACHMENTS}/`,
        ...(original === undefined ? {} : { original: toRoot + kept }),
      });
      attachments.forEach(keep);
      write(path, writeArchiveFile(file));
      if (original === undefined) return;
      if (!taken.has(kept)) {
        mkdirSync(dirname(join(root, kept)), { recursive: true });
        await copyFile(original, join(root, kept));
      }
      taken.add(kept);
      counts.originals++;
    },
    finish(header): Promise<void> {
      write(EXPORT_NAME, JSON.stringify(header, null, 2) + "\n");
      return syncFolder(root);
    },
  };
}

/** Where a record goes; a name that is taken, in whatever case, gets the docid behind it. */
function toPath(record: ArchiveRecord, taken: Set<string>): string {
  const [folder, name, id] = record.kind === "skill"
    ? ["skills", record.name, ""]
    : record.kind === "section"
    ? [
      "sections",
      record.section.title ?? record.section.kbid ?? "section",
      record.section.kbid ?? "",
    ]
    : record.doc_type === "agent"
    ? ["agents", record.title, record.docid]
    : [
      `documents/${toFileName(record.collection)}`,
      toDocumentName(record.source_path, record.title),
      record.docid,
    ];
  const stem = toFileName(name);
  for (let n = 1;; n++) {
    const more = n === 1 ? "" : n === 2 && id !== "" ? ` (${id})` : ` (${n})`;
    const path = `${folder}/${stem}${toFileName(more, "")}.md`;
    const key = path.toLowerCase();
    if (taken.has(key)) continue;
    taken.add(key);
    return path;
  }
}

/** A file is named as it was, so that links between files by name still lead there. */
function toDocumentName(sourcePath: string | null, title: string): string {
  if (sourcePath === null) return title;
  const name = sourcePath.split(/[\\/]/).at(-1) ?? title;
  return basename(name, extname(name)) || name;
}

/** A name that every file system takes. */
function toFileName(name: string, fallback = "untitled"): string {
  const clean = name.replaceAll(/[\p{Cc}<>:"/\\|?*#^[\]]/gu, "-")
    .slice(0, NAME_CHARS).toWellFormed().replace(/^\.+|[. ]+$/g, "");
  if (clean === "") return fallback;
  return /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(clean)
    ? `_${clean}`
    : clean;
}
