import { Buffer } from "node:buffer";
import { isDeepStrictEqual } from "node:util";
import { type Json, type JsonObject, sha256Hex } from "../core/mod.ts";
import {
  type ArchiveDocument,
  type ArchiveRecord,
  type ArchiveSection,
  editArchiveDocument,
} from "../ingest/mod.ts";
import { type ArchiveFile, preprocess } from "../text/mod.ts";
import { type ReadRecord, readRecord } from "./archive_schema.ts";

/** Longest metadata that stands in the frontmatter, in UTF-16 units; longer ones are hidden. */
const METADATA_CHARS = 16_000;

/** Bytes beside a file of an export. */
export interface Attachment {
  /** Name in the folder of attachments. */
  readonly name: string;
  /** Its bytes. */
  readonly bytes: Uint8Array;
}

/** A record as a Markdown file, and the images in it. */
export interface RecordFile {
  /** The file. */
  readonly file: ArchiveFile;
  /** Images its text shows. */
  readonly attachments: readonly Attachment[];
}

/** Says what a Markdown file of an export is; `undefined` for a file of another origin. */
export function kindOf({ fields }: ArchiveFile): string | undefined {
  const { kbdb } = fields;
  return typeof kbdb === "string" ? kbdb : undefined;
}

/**
 * Writes a record as a Markdown file.
 *
 * The text is what a person reads. What cannot be told from it, such as which lines are which
 * section, is hidden at the end and holds as long as the text is as it was.
 *
 * @param toFiles Path from the file to the folder of attachments, with a slash at its end.
 * @param original Path from the file to the original, if there is one.
 */
export function toRecordFile(
  record: ArchiveRecord,
  { toFiles, original }: {
    readonly toFiles: string;
    readonly original?: string;
  },
): RecordFile {
  if (record.kind === "skill") {
    const { body, name, description, arguments: args } = record;
    const fields = {
      kbdb: "skill",
      name,
      description,
      arguments: args as unknown as Json,
    };
    return {
      file: { fields, body, hidden: { body_sha256: sha256Hex(body), body } },
      attachments: [],
    };
  }
  const attachments: Attachment[] = [];
  const sections = record.kind === "section"
    ? [record.section]
    : record.sections;
  const texts = sections.map((section) => {
    const image = toImage(section);
    if (image === undefined) return section.content ?? "";
    attachments.push(image);
    const alt = (section.title ?? "image").replaceAll(/[[\]\n]/g, " ");
    return `![${alt}](${toFiles}${image.name})`;
  });
  const isAgent = record.kind === "document" && record.doc_type === "agent";
  const body = isAgent
    ? String(record.metadata["persona"] ?? "")
    : texts.join("\n\n");
  const hidden = {
    body_sha256: sha256Hex(preprocess(body)),
    sections: sections.map((section, index) => {
      const { content: _, content_base64: __, ...rest } = section;
      const image = toImage(section)?.name;
      return {
        ...rest,
        chars: texts[index]?.length ?? 0,
        ...(image === undefined ? {} : { file: toFiles + image }),
      };
    }) as unknown as Json,
  };
  if (record.kind === "section") {
    return { file: { fields: { kbdb: "section" }, body, hidden }, attachments };
  }
  return {
    file: {
      fields: toFields(record, original),
      body,
      hidden: {
        ...hidden,
        document: {
          mime: record.mime,
          content_hash: record.content_hash,
          updated_at: record.updated_at,
          warnings: record.warnings,
          history: record.history as unknown as Json,
          metadata: record.metadata,
        },
      },
    },
    attachments,
  };
}

/** What a person may read and change. */
function toFields(
  record: ArchiveDocument,
  original: string | undefined,
): JsonObject {
  const metadata = toShownMetadata(record);
  return {
    kbdb: record.doc_type === "agent" ? "agent" : "document",
    docid: record.docid,
    title: record.title,
    tags: record.tags,
    collection: record.collection,
    doc_type: record.doc_type,
    created_at: record.created_at,
    ...(record.updated_at === null ? {} : { updated_at: record.updated_at }),
    ...(record.source_path === null ? {} : { source_path: record.source_path }),
    ...(original === undefined ? {} : { original }),
    ...(metadata === undefined ? {} : { metadata }),
  };
}

/** Metadata for the frontmatter; `undefined` if there is none, or too much of it. */
function toShownMetadata(
  { metadata, doc_type }: ArchiveDocument,
): JsonObject | undefined {
  const { persona: _, ...rest } = metadata;
  const shown = doc_type === "agent" ? rest : metadata;
  const chars = JSON.stringify(shown).length;
  return chars === 2 || chars > METADATA_CHARS ? undefined : shown;
}

function toImage(
  { kbid = "", type, content_base64 }: ArchiveSection,
): Attachment | undefined {
  if (content_base64 === undefined) return undefined;
  const extension = /^image\/(\w+)/.exec(type)?.[1] ?? "bin";
  return {
    name: `${kbid}.${extension}`,
    bytes: Buffer.from(content_base64, "base64"),
  };
}

/**
 * Reads a record from a Markdown file that {@linkcode toRecordFile} wrote, edited since or not.
 *
 * @param readFile Reads an attachment by its path from the file.
 * @param changedAt ISO 8601 UTC; when the file was written last.
 */
export function readRecordFile(
  file: ArchiveFile,
  { readFile, changedAt }: {
    readonly readFile: (path: string) => Uint8Array;
    readonly changedAt: string;
  },
): ReadRecord {
  const kind = kindOf(file);
  if (kind === "skill") return readSkillFile(file);
  const { fields, body, hidden = {} } = file;
  const isAsWritten = hidden["body_sha256"] === sha256Hex(preprocess(body));
  const sections = isAsWritten ? readHidden(body, hidden, readFile) : [];
  if (kind === "section") {
    return readRecord({
      kind: "section",
      section: sections[0] ?? { content: preprocess(body) },
    });
  }
  const kept = toObject(hidden["document"]);
  const read = readRecord({
    mime: kept["mime"],
    content_hash: kept["content_hash"] ?? sha256Hex(preprocess(body)),
    warnings: kept["warnings"],
    history: kept["history"],
    ...fields,
    kind: "document",
    tags: fields["tags"] ?? [],
    doc_type: fields["doc_type"] ?? (kind === "agent" ? "agent" : "markdown"),
    metadata: toMetadata(file, kept, kind === "agent"),
    sections,
  });
  const isEdited = !isAsWritten && kind !== "agent";
  if (!("record" in read) || read.record.kind !== "document" || !isEdited) {
    return read;
  }
  return { record: editArchiveDocument(read.record, body, changedAt) };
}

/** The frontmatter counts where a person may have changed it. */
function toMetadata(
  { fields, body }: ArchiveFile,
  kept: JsonObject,
  isAgent: boolean,
): JsonObject {
  const old = toObject(kept["metadata"]);
  const shown = fields["metadata"];
  if (!isAgent) {
    return shown === undefined || isDeepStrictEqual(shown, old)
      ? old
      : toObject(shown);
  }
  const { description = "", skills = [] } = toObject(shown);
  const name = toObject(shown)["name"] ?? fields["title"] ?? "";
  return { name, description, persona: body.trim(), skills };
}

function readSkillFile({ fields, body, hidden }: ArchiveFile): ReadRecord {
  // The exact text, as a template may begin or end with white space that an editor drops.
  const { body_sha256: hash, body: exact } = hidden ?? {};
  const isAsWritten = typeof exact === "string" && hash === sha256Hex(body);
  return readRecord({
    kind: "skill",
    name: fields["name"],
    description: fields["description"] ?? "",
    arguments: fields["arguments"] ?? [],
    body: isAsWritten ? exact : body,
  });
}

/** Cuts a text that is as it was written into its sections. */
function readHidden(
  body: string,
  hidden: JsonObject,
  readFile: (path: string) => Uint8Array,
): JsonObject[] {
  const { sections } = hidden;
  if (!Array.isArray(sections)) return [];
  let at = 0;
  return sections.map((entry) => {
    const { chars, file, ...section } = toObject(entry);
    const length = typeof chars === "number" ? chars : 0;
    const content = body.slice(at, at + length);
    at += length + 2;
    return typeof file === "string"
      ? {
        ...section,
        content_base64: Buffer.from(readFile(file)).toString("base64"),
      }
      : { ...section, content };
  });
}

function toObject(value: Json | undefined): JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? value as JsonObject
    : {};
}
