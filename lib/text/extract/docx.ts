import { DocxStyles } from "./docx_styles.ts";
import {
  escapeHtml,
  HtmlBuilder,
  type HtmlCell,
  htmlToSections,
} from "./html_builder.ts";
import { readCoreFacts, readRelations, type Relation } from "./office_facts.ts";
import { Package } from "./package.ts";
import type { Extracted, ExtractInput } from "./types.ts";
import {
  attr,
  childrenOf,
  descendantsOf,
  findPath,
  prefixedAttr,
  wordsOf,
  type XmlElement,
} from "./xml_tree.ts";

const DOCUMENT = "word/document.xml";

/**
 * Extracts a Word document by its headings: text, lists, tables, links, notes and comments. What was
 * deleted under tracked changes is left out, as are page headers and footers.
 */
export function extractDocx(
  { bytes, limits }: ExtractInput,
): Promise<Extracted> {
  const parts = new Package(bytes, limits);
  const writer = new DocxWriter(parts);
  const body = findPath(parts.getXml(DOCUMENT), "body");
  const html = body === undefined ? "" : writer.write(body);
  const { depth } = limits;
  const { title, sections } = htmlToSections(html, { depth });
  const facts = readCoreFacts(parts);
  return Promise.resolve({
    ...facts,
    title: facts.title ?? title,
    docType: "document",
    tags: [],
    sections,
    warnings: [],
  });
}

/** Elements around blocks that say nothing themselves. */
const WRAPPERS: ReadonlySet<string> = new Set([
  "sdt",
  "sdtContent",
  "customXml",
  "smartTag",
  "ins",
  "moveTo",
]);
/** What is no text of the document any more, or none at all. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "del",
  "moveFrom",
  "Fallback",
  "instrText",
  "delText",
  "rPr",
  "pPr",
  "sdtPr",
  "posOffset",
  "align",
  "pctWidth",
  "pctHeight",
]);

/** Writes the body of a document as HTML. */
class DocxWriter {
  readonly #styles: DocxStyles;
  readonly #relations: ReadonlyMap<string, Relation>;
  /** Notes and comments by their kind and id. */
  readonly #notes = new Map<string, XmlElement>();
  /** Footnotes and endnotes so far. */
  #noteCount = 0;
  /** Levels that a title puts its headings down by. */
  #shift = 0;
  /** What stands below the paragraph at hand: notes, comments and text boxes. */
  #below: string[] = [];

  constructor(parts: Package) {
    this.#styles = new DocxStyles(parts);
    this.#relations = readRelations(parts, DOCUMENT);
    for (const kind of ["footnote", "endnote", "comment"]) {
      const root = parts.findXml(`word/${kind}s.xml`);
      for (const note of root === undefined ? [] : childrenOf(root, kind)) {
        this.#notes.set(`${kind} ${attr(note, "id")}`, note);
      }
    }
  }

  write(element: XmlElement): string {
    const builder = new HtmlBuilder();
    this.#writeBlocks(element, builder);
    return builder.finish();
  }

  #writeBlocks(element: XmlElement, builder: HtmlBuilder): void {
    for (const child of childrenOf(element)) {
      if (child.name === "p") this.#writeParagraph(child, builder);
      else if (child.name === "tbl") this.#writeTable(child, builder);
      else if (WRAPPERS.has(child.name)) this.#writeBlocks(child, builder);
    }
  }

  #writeParagraph(element: XmlElement, builder: HtmlBuilder): void {
    const { heading, item, isCode } = this.#styles.kindOf(
      findPath(element, "pPr"),
    );
    const above = this.#below;
    this.#below = [];
    const html = this.#inlineOf(element);
    if (heading !== undefined && html.trim() !== "") {
      if (heading === 0) this.#shift = 1;
      builder.addHeading(Math.max(1, heading + this.#shift), html);
    } else if (item !== undefined) {
      builder.addItem(item.level, item.isNumbered, html);
    } else if (isCode === true) builder.addCode(html);
    else builder.addParagraph(html);
    for (const block of this.#below) builder.addBlock(block);
    this.#below = above;
  }

  #writeTable(element: XmlElement, builder: HtmlBuilder): void {
    const rows = [...rowsOf(element)].map((row): HtmlCell[] =>
      cellsOf(row).map((cell) => {
        const properties = findPath(cell, "tcPr");
        const span = findPath(properties, "gridSpan");
        return {
          html: this.write(cell),
          span: Number.parseInt(span && attr(span, "val") || "1", 10) || 1,
        };
      })
    );
    builder.addTable(rows);
  }

  /** Words, links and breaks of a paragraph as HTML. */
  #inlineOf(element: XmlElement): string {
    const parts: string[] = [];
    for (const child of childrenOf(element)) {
      const { name } = child;
      if (LEFT_OUT.has(name)) continue;
      if (name === "t") parts.push(escapeHtml(wordsOf(child)));
      else if (name === "tab") parts.push(" ");
      else if (name === "br" || name === "cr") parts.push("<br>");
      else if (name === "noBreakHyphen") parts.push("-");
      else if (name === "hyperlink") parts.push(this.#linkOf(child));
      else if (name === "docPr") parts.push(imageOf(child));
      else if (name === "txbxContent") this.#below.push(this.write(child));
      else if (name.endsWith("Reference")) parts.push(this.#noteOf(child));
      else parts.push(this.#inlineOf(child));
    }
    return parts.join("");
  }

  #linkOf(element: XmlElement): string {
    const html = this.#inlineOf(element);
    const found = this.#relations.get(prefixedAttr(element, "id") ?? "");
    return found?.isExternal === true
      ? `<a href="${escapeHtml(found.target)}">${html}</a>`
      : html;
  }

  /** Puts a note or comment below the paragraph that refers to it. */
  #noteOf(element: XmlElement): string {
    const kind = element.name.slice(0, -"Reference".length);
    const id = attr(element, "id") ?? "";
    const note = this.#notes.get(`${kind} ${id}`);
    if (note === undefined) return "";
    // A note that refers to itself would never end.
    this.#notes.delete(`${kind} ${id}`);
    const words = [...descendantsOf(note, "p")].map((paragraph) =>
      this.#inlineOf(paragraph)
    ).join(" ").trim();
    if (words === "") return "";
    if (kind === "comment") {
      const author = attr(note, "author");
      const by = author === undefined ? "" : ` by ${escapeHtml(author)}`;
      this.#below.push(`<p>Comment${by}: ${words}</p>`);
      return "";
    }
    // Their ids are not what a reader sees.
    const mark = `(${++this.#noteCount})`;
    this.#below.push(`<p>${mark} ${words}</p>`);
    return ` ${mark}`;
  }
}

/** Rows of a table, those in wrappers among them. */
function* rowsOf(table: XmlElement): Generator<XmlElement> {
  for (const child of childrenOf(table)) {
    if (child.name === "tr") yield child;
    else if (WRAPPERS.has(child.name)) yield* rowsOf(child);
  }
}

function cellsOf(row: XmlElement): XmlElement[] {
  return childrenOf(row).flatMap((child) =>
    child.name === "tc"
      ? [child]
      : WRAPPERS.has(child.name)
      ? cellsOf(child)
      : []
  );
}

/** The words that stand for a picture. */
function imageOf(element: XmlElement): string {
  const words = attr(element, "descr") ?? "";
  return words === "" ? "" : `<img alt="${escapeHtml(words)}">`;
}
