import type { JsonObject } from "../../core/mod.ts";
import { cleanTitle } from "../frontmatter.ts";
import { type Package, resolvePart } from "./package.ts";
import type { Extracted } from "./types.ts";
import { attr, childrenOf, wordsOf, type XmlElement } from "./xml_tree.ts";

/** What a document says of itself. */
export type OfficeFacts = Pick<
  Extracted,
  "title" | "metadata" | "createdAt" | "updatedAt"
>;

/** Names of facts in the metadata of Office, OpenDocument and EPUB, and what they are called here. */
const FACTS: ReadonlyMap<string, string> = new Map([
  ["creator", "author"],
  ["initial-creator", "author"],
  ["subject", "subject"],
  ["description", "description"],
  ["keywords", "keywords"],
  ["keyword", "keywords"],
  ["language", "language"],
  ["publisher", "publisher"],
]);
const CREATED: ReadonlySet<string> = new Set(["created", "creation-date"]);
const UPDATED: ReadonlySet<string> = new Set(["modified", "date"]);
/** What tools write where nobody said anything. */
const PLACEHOLDER =
  /^(?:(?:word|powerpoint|excel) (?:document|presentation)|powerpoint-präsentation|python-docx|generated (?:by|using) python-.+|untitled|openpyxl|pptx)$/i;

/** Takes facts from the children of an element. */
export function readFacts(element: XmlElement | undefined): OfficeFacts {
  const metadata: Record<string, JsonObject[string]> = {};
  let title: string | null = null;
  const times: { createdAt?: string; updatedAt?: string } = {};
  for (const child of element === undefined ? [] : childrenOf(element)) {
    const words = cleanTitle(wordsOf(child));
    if (words === null || PLACEHOLDER.test(words)) continue;
    const fact = FACTS.get(child.name);
    if (child.name === "title") title ??= words;
    else if (fact !== undefined) {
      const before = metadata[fact];
      metadata[fact] = typeof before === "string" && before !== words
        ? `${before}, ${words}`
        : words;
    }
    const ms = /^\d{4}-\d\d-\d\d/.test(words) ? Date.parse(words) : Number.NaN;
    if (Number.isNaN(ms)) continue;
    const time = new Date(ms).toISOString();
    if (CREATED.has(child.name)) times.createdAt ??= time;
    if (UPDATED.has(child.name)) times.updatedAt ??= time;
  }
  return { title, metadata, ...times };
}

/** What an Office document says of itself. */
export function readCoreFacts(parts: Package): OfficeFacts {
  return readFacts(parts.findXml("docProps/core.xml"));
}

/** A reference of one part to another or to a place elsewhere. */
export interface Relation {
  /** Last word of its type, e.g. `slide`. */
  readonly type: string;
  /** Name of a part, or an address if it is external. */
  readonly target: string;
  readonly isExternal: boolean;
}

/** Reads where the references of a part lead, by their ids. */
export function readRelations(
  parts: Package,
  part: string,
): ReadonlyMap<string, Relation> {
  const at = part.lastIndexOf("/") + 1;
  const root = parts.findXml(
    `${part.slice(0, at)}_rels/${part.slice(at)}.rels`,
  );
  const relations = new Map<string, Relation>();
  for (const one of root === undefined ? [] : childrenOf(root)) {
    const target = attr(one, "Target") ?? "";
    const isExternal = attr(one, "TargetMode") === "External";
    relations.set(attr(one, "Id") ?? "", {
      type: (attr(one, "Type") ?? "").split("/").at(-1) ?? "",
      target: isExternal ? target : resolvePart(part, target),
      isExternal,
    });
  }
  return relations;
}
