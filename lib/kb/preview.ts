import { Buffer } from "node:buffer";
import { resolve } from "node:path";
import {
  openMeasure,
  type PreparedSection,
  previewFile,
  workerPlanner,
} from "../ingest/mod.ts";
import type { FileReport } from "../ingest/mod.ts";
import { type JsonObject, workerUrl } from "../core/mod.ts";

/** A section as it would be stored. */
export interface ExtractedSection {
  /** Heading, or `null`. */
  readonly title: string | null;
  /** Headings from the outermost to its own. */
  readonly headingPath: readonly string[];
  /** Media type. */
  readonly type: string;
  /** What it is about, or `null`. */
  readonly description: string | null;
  /** First line in the file, from 1. */
  readonly lineStart: number;
  /** Last line in the file, from 1. */
  readonly lineEnd: number;
  /** Page, slide or sheet it begins on, from 1; `null` in files that have none. */
  readonly page: number | null;
  /** Its text; `""` for an image. */
  readonly content: string;
  /** Bytes of its content. */
  readonly sizeBytes: number;
}

/** What would be stored of a file. */
export interface ExtractedDocument {
  /** Title. */
  readonly title: string;
  /** `markdown`, `code`, `pdf`, … */
  readonly docType: string;
  /** Media type of the file. */
  readonly mime: string;
  /** Tags it has of its own. */
  readonly tags: readonly string[];
  /** Facts beside the text. */
  readonly metadata: JsonObject;
  /** In the order of the text. */
  readonly sections: readonly ExtractedSection[];
}

/** What would become of a file. */
export interface ExtractReport {
  /** How it would end. */
  readonly report: FileReport;
  /** Bytes that were read. */
  readonly readBytes: number;
  /** `undefined` if it would not be stored. */
  readonly document?: ExtractedDocument;
}

/**
 * Reads a file as adding it would, in a thread of its own, and stores nothing. Needs no base.
 *
 * @throws {KbError} `not_found` if it does not exist; `invalid_input` if it is a folder.
 */
export async function extractFile(path: string): Promise<ExtractReport> {
  const source = { model: undefined, windowTokens: 512 };
  await using planner = workerPlanner({
    url: workerUrl("text_worker"),
    setup: { source },
    fallback: { measure: openMeasure(source) },
  });
  const { report, readBytes, document } = await previewFile(
    resolve(path),
    planner,
  );
  if (document === undefined) return { report, readBytes };
  const { title, docType, mime, metadata } = document.document;
  return {
    report,
    readBytes,
    document: {
      title,
      docType,
      mime,
      tags: document.tags,
      metadata,
      sections: document.sections.map(toExtracted),
    },
  };
}

function toExtracted({ section, place }: PreparedSection): ExtractedSection {
  const { title, description = null, sectionType, content } = section;
  const isText = typeof content === "string";
  return {
    title,
    headingPath: place.headingPath,
    type: sectionType,
    description,
    lineStart: place.lineStart,
    lineEnd: place.lineEnd,
    page: place.page ?? null,
    content: isText ? content : "",
    sizeBytes: isText ? Buffer.byteLength(content) : content.length,
  };
}
