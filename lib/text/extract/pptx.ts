import { escapeHtml, HtmlBuilder } from "./html_builder.ts";
import { readCoreFacts, readRelations, type Relation } from "./office_facts.ts";
import { Package } from "./package.ts";
import { type Slide, slidesToDocument } from "./slides.ts";
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

const PRESENTATION = "ppt/presentation.xml";
/** What stands on every slide. */
const AROUND: ReadonlySet<string> = new Set(["sldNum", "ftr", "dt", "hdr"]);

/** Extracts a PowerPoint presentation: each slide as a page, by its title, with its notes. */
export function extractPptx(
  { bytes, limits }: ExtractInput,
): Promise<Extracted> {
  const parts = new Package(bytes, limits);
  const relations = readRelations(parts, PRESENTATION);
  const list = findPath(parts.getXml(PRESENTATION), "sldIdLst");
  const slides = (list === undefined ? [] : childrenOf(list)).map((one) =>
    relations.get(prefixedAttr(one, "id") ?? "")?.target ?? ""
  );
  function* read(): Generator<Slide> {
    for (const part of slides) yield readSlide(parts, part);
  }
  return Promise.resolve(
    slidesToDocument(read(), readCoreFacts(parts), limits),
  );
}

function readSlide(parts: Package, part: string): Slide {
  const relations = readRelations(parts, part);
  const writer = new SlideWriter(relations);
  writer.write(parts.getXml(part));
  const notes = [...relations.values()].find(({ type }) =>
    type === "notesSlide"
  );
  const root = notes === undefined ? undefined : parts.findXml(notes.target);
  if (root === undefined) return { html: writer.finish(), notes: [] };
  const lines = [...descendantsOf(root, "sp")].filter((shape) =>
    placeholderOf(shape) === "body"
  ).flatMap((shape) =>
    [...descendantsOf(shape, "p")].map((line) => writer.inlineOf(line))
  );
  return { html: writer.finish(), notes: lines };
}

/** Kind of the place a shape takes; `""` for one that takes none of the layout. */
function placeholderOf(shape: XmlElement): string {
  const found = findPath(shape, "nvSpPr", "nvPr", "ph");
  return found === undefined ? "" : attr(found, "type") ?? "list";
}

/** Writes the shapes of a slide as HTML, its title first. */
class SlideWriter {
  readonly #relations: ReadonlyMap<string, Relation>;
  readonly #builder = new HtmlBuilder();
  #title = "";

  constructor(relations: ReadonlyMap<string, Relation>) {
    this.#relations = relations;
  }

  finish(): string {
    return `${this.#title}\n${this.#builder.finish()}`;
  }

  write(element: XmlElement): void {
    for (const child of childrenOf(element)) {
      if (child.name === "sp") this.#writeShape(child);
      else if (child.name === "tbl") this.#writeTable(child);
      else if (child.name === "cNvPr") this.#writeImage(child);
      else if (child.name === "dgm" || child.name === "Fallback") continue;
      else this.write(child);
    }
  }

  #writeShape(shape: XmlElement): void {
    const place = placeholderOf(shape);
    if (AROUND.has(place)) return;
    const lines = [...descendantsOf(shape, "p")];
    if (/^(?:title|ctrTitle)$/.test(place) && this.#title === "") {
      const html = lines.map((line) => this.inlineOf(line)).join(" ").trim();
      if (html !== "") this.#title = `<h1>${html}</h1>`;
      return;
    }
    for (const line of lines) {
      const html = this.inlineOf(line);
      const properties = findPath(line, "pPr");
      const level = Number(properties && attr(properties, "lvl") || 0) || 0;
      const isItem = (place === "list" || place === "body") && lines.length > 1;
      const isNumbered = findPath(properties, "buAutoNum") !== undefined;
      if (isItem || isNumbered) this.#builder.addItem(level, isNumbered, html);
      else this.#builder.addParagraph(html);
    }
  }

  #writeTable(table: XmlElement): void {
    this.#builder.addTable(
      childrenOf(table, "tr").map((row) =>
        childrenOf(row, "tc").filter((cell) => attr(cell, "hMerge") !== "1")
          .map((cell) => ({
            html: [...descendantsOf(cell, "p")].map((line) =>
              this.inlineOf(line)
            ).join("<br>"),
            span: Number.parseInt(attr(cell, "gridSpan") ?? "1", 10) || 1,
          }))
      ),
    );
  }

  /** The words that stand for a picture. */
  #writeImage(element: XmlElement): void {
    const words = attr(element, "descr") ?? "";
    if (/\p{L}/u.test(words) && !/^[\w-]+\.\w{2,4}$/.test(words)) {
      this.#builder.addParagraph(`<img alt="${escapeHtml(words)}">`);
    }
  }

  /** Words, links and breaks of a paragraph as HTML. */
  inlineOf(line: XmlElement): string {
    return childrenOf(line).map((child) => {
      if (child.name === "br") return "<br>";
      const words = escapeHtml(
        [...descendantsOf(child, "t")].map(wordsOf).join(""),
      );
      const click = findPath(child, "rPr", "hlinkClick");
      const link = click &&
        this.#relations.get(prefixedAttr(click, "id") ?? "");
      return link?.isExternal === true
        ? `<a href="${escapeHtml(link.target)}">${words}</a>`
        : words;
    }).join("");
  }
}
