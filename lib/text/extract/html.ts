import type { JsonObject } from "../../core/mod.ts";
import { blocksToSections, type SourceBlock } from "./blocks_to_sections.ts";
import { isInvisible, MainContent } from "./html_main.ts";
import {
  attribute,
  elementsOf,
  findElement,
  type HtmlElement,
  parseHtml,
  textOf,
} from "./html_tree.ts";
import { HtmlWriter, type Leaves } from "./html_writer.ts";
import type { Extracted, ExtractInput } from "./types.ts";

/**
 * Extracts a page: the content without what stands around it, as Markdown with headings, tables, code
 * and links. Nothing is loaded and no script is run.
 */
export function extractHtml(input: ExtractInput): Promise<Extracted> {
  return Promise.resolve(
    htmlToDocument(input.text ?? "", { depth: input.limits.depth }),
  );
}

/** How to read a page. */
export interface HtmlOptions {
  /** Deepest nesting. */
  readonly depth: number;
  /** Whether all of it is content, as in a chapter of a book; otherwise what stands around is dropped. */
  readonly isAllContent?: boolean;
}

/**
 * Makes a document of a page.
 *
 * @throws {ExtractError} `too_large` if it is nested too deep.
 */
export function htmlToDocument(
  text: string,
  { depth, isAllContent = false }: HtmlOptions,
): Extracted {
  const html = parseHtml(text, depth);
  const body = findElement(html, "body") ?? html;
  const main = new MainContent(html);
  const blocks = isAllContent
    ? []
    : write(main.root, (element) => main.isAround(element));
  const found = blocksToSections(
    blocks.length > 0 ? blocks : write(body, isInvisible),
  );
  const base = findElement(html, "base");
  const hasBase = base !== undefined && attribute(base, "href") !== "";
  const { facts, createdAt, updatedAt } = readMeta(html);
  return {
    title: chooseTitle(findElement(html, "title"), found.title),
    docType: "html",
    tags: [],
    metadata: facts,
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(updatedAt === undefined ? {} : { updatedAt }),
    sections: found.sections.map((section) => ({
      ...section,
      links: section.links.filter(({ target }) => isOfFile(target, hasBase)),
    })),
    warnings: [],
  };
}

/** Says whether a link can be followed from the file: one from the root of a site cannot. */
function isOfFile(target: string, hasBase: boolean): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(target) ||
    (!hasBase && !target.startsWith("/"));
}

function write(root: HtmlElement, leaves: Leaves): readonly SourceBlock[] {
  const writer = new HtmlWriter(leaves);
  writer.writeChildren(root);
  return writer.blocks;
}

/** Sites add their name to the title; the heading alone says it better if it is a part of that. */
function chooseTitle(
  element: HtmlElement | undefined,
  heading: string | null,
): string | null {
  const title = element === undefined ? "" : textOf(element);
  if (title === "") return heading;
  return heading !== null && title.includes(heading) ? heading : title;
}

/** Names of facts worth keeping, and what they are called here. */
const FACTS: ReadonlyMap<string, string> = new Map([
  ["description", "description"],
  ["og:description", "description"],
  ["author", "author"],
  ["article:author", "author"],
  ["keywords", "keywords"],
  ["og:site_name", "site"],
  ["og:url", "url"],
]);
const CREATED: ReadonlySet<string> = new Set([
  "article:published_time",
  "date",
  "dc.date",
  "dcterms.created",
  "datepublished",
]);
const UPDATED: ReadonlySet<string> = new Set([
  "article:modified_time",
  "last-modified",
  "dcterms.modified",
  "datemodified",
]);

/** Reads what the head of a page says of it. */
function readMeta(
  html: HtmlElement,
): { facts: JsonObject; createdAt?: string; updatedAt?: string } {
  const facts: Record<string, string> = {};
  const times: { createdAt?: string; updatedAt?: string } = {};
  const language = attribute(html, "lang");
  if (language !== "") facts["language"] = language;
  for (const element of elementsOf(html)) {
    if (
      element.tagName === "link" && attribute(element, "rel") === "canonical"
    ) {
      facts["url"] ??= attribute(element, "href");
    }
    if (element.tagName !== "meta") continue;
    const name =
      (attribute(element, "name") || attribute(element, "property") ||
        attribute(element, "itemprop")).toLowerCase();
    const content = attribute(element, "content");
    if (content === "") continue;
    const fact = FACTS.get(name);
    if (fact !== undefined) facts[fact] ??= content;
    const time = CREATED.has(name) || UPDATED.has(name)
      ? toIso(content)
      : undefined;
    if (time === undefined) continue;
    if (CREATED.has(name)) times.createdAt ??= time;
    else times.updatedAt ??= time;
  }
  return { facts, ...times };
}

function toIso(text: string): string | undefined {
  const ms = Date.parse(text);
  return /^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(ms)
    ? new Date(ms).toISOString()
    : undefined;
}
