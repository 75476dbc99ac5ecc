import type {
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType,
} from "@modelcontextprotocol/server";
import { Buffer } from "node:buffer";
import { LIMITS } from "../core/mod.ts";
import type { DocumentRecord, Section } from "../kb/mod.ts";
import type { McpBase } from "./base.ts";
import { invalidParams, notFound, toProtocolError } from "./errors.ts";

/** Where resources come from. */
export interface ResourceSource {
  /** Patterns of their URIs. */
  readonly templates: readonly ResourceTemplateType[];
  /** One page of those worth listing. */
  list(
    cursor: string | undefined,
  ): ListResourcesResult | Promise<ListResourcesResult>;
  /** Reads one; `undefined` if the URI is not one of these. */
  read(
    uri: string,
  ): ReadResourceResult | undefined | Promise<ReadResourceResult | undefined>;
}

/** A section or document by the URI of its resource. */
export type ResourceRef = { readonly kbid: string } | {
  readonly docid: string;
};

const PAGE = 50;
const SCHEME = "kbdb:";

/** URI patterns of sections and documents. */
export const RESOURCE_TEMPLATES: readonly ResourceTemplateType[] = [
  {
    name: "section",
    title: "Section",
    uriTemplate: "kbdb://section/{kbid}",
    description: "Section by kb-id",
    mimeType: "text/plain",
  },
  {
    name: "document",
    title: "Document",
    uriTemplate: "kbdb://document/{docid}",
    description: "Document + sections",
    mimeType: "application/json",
  },
];

/** URI of a section's or document's resource. */
export function toUri(ref: ResourceRef): string {
  return "kbdb" +
    ("kbid" in ref
      ? `://section/${encodeURIComponent(ref.kbid)}`
      : `://document/${encodeURIComponent(ref.docid)}`);
}

/**
 * Reads the URI of a section or document.
 *
 * @returns `undefined` if it is neither.
 *
 * @example A docid may hold any character
 * ```ts
 * import assert from "node:assert/strict";
 *
 * assert.deepEqual(readUri("kbdb://document/a%20b"), { docid: "a b" });
 * assert.deepEqual(readUri("kbdb://section/0123"), { kbid: "0123" });
 * assert.equal(readUri("file:///etc/passwd"), undefined);
 * ```
 */
export function readUri(uri: string): ResourceRef | undefined {
  const [, kind, encoded = ""] = /^kbdb:\/\/(section|document)\/(.+)$/su
    .exec(uri) ?? [];
  if (kind === undefined) return undefined;
  const id = decode(encoded);
  if (id === undefined) return undefined;
  return kind === "section" ? { kbid: id } : { docid: id };
}

/** Sections and documents of a base as resources. */
export function baseResources(kb: McpBase): ResourceSource {
  return {
    templates: RESOURCE_TEMPLATES,
    async list(cursor): Promise<ListResourcesResult> {
      const offset = readCursor(cursor);
      const { documents, total } = await kb.list({
        limit: PAGE,
        offset,
        sort: "recent",
      });
      const next = offset + documents.length;
      return {
        resources: documents.map((document) => ({
          uri: toUri(document),
          name: document.docid,
          title: document.title,
          description: describe(document),
          mimeType: "application/json",
        })),
        ...(next < total && documents.length > 0
          ? { nextCursor: String(next) }
          : {}),
      };
    },
    async read(uri): Promise<ReadResourceResult | undefined> {
      const ref = readUri(uri);
      if (ref === undefined) {
        if (!uri.startsWith(SCHEME)) return undefined;
        throw notFound(`Resource not found: ${uri}`, { uri });
      }
      try {
        return {
          contents: [
            "kbid" in ref
              ? toSectionContents(uri, await kb.getSection(ref.kbid))
              : await toDocumentContents(
                uri,
                kb,
                await kb.getDocument(ref.docid),
              ),
          ],
        };
      } catch (error) {
        throw toProtocolError(error, { uri });
      }
    },
  };
}

function describe(
  { docType, collection, path }: {
    readonly docType: string;
    readonly collection: string;
    readonly path: string | null;
  },
): string {
  return `${docType} in ${collection}${path === null ? "" : `, ${path}`}`;
}

/** Reads the offset a cursor stands for. */
function readCursor(cursor: string | undefined): number {
  if (cursor === undefined) return 0;
  if (/^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw invalidParams(`Invalid cursor: ${cursor.slice(0, 60)}`);
}

type Contents = ReadResourceResult["contents"][number];

function toSectionContents(
  uri: string,
  { content, sectionType }: Section,
): Contents {
  const mimeType = toMime(sectionType);
  return typeof content === "string"
    ? { uri, mimeType, text: content }
    : { uri, mimeType, blob: Buffer.from(content).toString("base64") };
}

/** A skill is kept as JSON. */
function toMime(sectionType: string): string {
  return sectionType === "skill" ? "application/json" : sectionType;
}

/** A document as JSON with its sections in order; those past the limit without content. */
async function toDocumentContents(
  uri: string,
  kb: McpBase,
  document: DocumentRecord,
): Promise<Contents> {
  let left: number = LIMITS.resourceChars;
  const sections: object[] = [];
  for (const head of document.sections) {
    if (left <= 0) {
      sections.push({ ...head, truncated: true });
      continue;
    }
    const { content } = await kb.getSection(head.kbid);
    if (typeof content !== "string") {
      sections.push({ ...head, uri: toUri({ kbid: head.kbid }) });
      continue;
    }
    left -= content.length;
    sections.push(
      left >= 0 ? { ...head, content } : { ...head, truncated: true },
    );
  }
  const { docid, title, docType, path, collection, tags, metadata } = document;
  const record = {
    docid,
    title,
    type: docType,
    path,
    collection,
    tags,
    metadata,
    created_at: document.createdAt,
    updated_at: document.updatedAt,
    sections,
  };
  return {
    uri,
    mimeType: "application/json",
    text: JSON.stringify(record, null, 2),
  };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
