import { escapeHtml, HtmlBuilder } from "./html_builder.ts";
import type { OdfStyles } from "./odf_styles.ts";
import { attr, childrenOf, isXmlElement, type XmlElement } from "./xml_tree.ts";

/** What is no text of the document. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "tracked-changes",
  "sequence-decls",
  "variable-decls",
  "forms",
  "notes",
  "note-citation",
  "page-number",
  "event-listeners",
  "settings",
]);
/** Longest run of spaces that is written out. */
const SPACES = 100;

/** Writes the blocks of an OpenDocument as HTML. */
export class OdfWriter {
  readonly #styles: OdfStyles;
  /** What stands below the paragraph at hand: notes, comments and text boxes. */
  #below: string[] = [];

  /** Takes the styles of the document. */
  constructor(styles: OdfStyles) {
    this.#styles = styles;
  }

  /** Writes what is in an element. */
  write(element: XmlElement): string {
    const builder = new HtmlBuilder();
    this.#writeBlocks(element, builder);
    return builder.finish();
  }

  #writeBlocks(element: XmlElement, builder: HtmlBuilder): void {
    for (const child of childrenOf(element)) {
      const { name } = child;
      if (LEFT_OUT.has(name)) continue;
      if (name === "h" || name === "p") this.#writeParagraph(child, builder);
      else if (name === "list") this.#writeList(child, builder, { level: 0 });
      else if (name === "table") this.#writeTable(child, builder);
      else if (name === "desc") {
        builder.addParagraph(`<img alt="${this.#inlineOf(child)}">`);
      } else if (name === "frame" && isTitle(child)) {
        builder.addHeading(1, this.#inlineOfBlocks(child));
      } else this.#writeBlocks(child, builder);
    }
  }

  #writeParagraph(element: XmlElement, builder: HtmlBuilder): void {
    const above = this.#below;
    this.#below = [];
    const html = this.#inlineOf(element);
    if (element.name === "h" && html.trim() !== "") {
      const level = Number.parseInt(attr(element, "outline-level") ?? "1", 10);
      builder.addHeading(level || 1, html);
    } else if (this.#styles.isCode(attr(element, "style-name"))) {
      builder.addCode(html);
    } else builder.addParagraph(html);
    for (const block of this.#below) builder.addBlock(block);
    this.#below = above;
  }

  #writeList(
    element: XmlElement,
    builder: HtmlBuilder,
    { level, style: above }: { level: number; style?: string | undefined },
  ): void {
    const style = attr(element, "style-name") ?? above;
    const isNumbered = this.#styles.isNumbered(style, level);
    for (const item of childrenOf(element)) {
      for (const child of childrenOf(item)) {
        if (child.name === "list") {
          this.#writeList(child, builder, { level: level + 1, style });
        } else if (child.name === "h") this.#writeParagraph(child, builder);
        else builder.addItem(level, isNumbered, this.#inlineOf(child));
      }
    }
  }

  #writeTable(element: XmlElement, builder: HtmlBuilder): void {
    builder.addTable(
      [...rowsOf(element)].map((row) =>
        childrenOf(row, "table-cell").map((cell) => ({
          html: this.write(cell),
          span:
            Number.parseInt(attr(cell, "number-columns-spanned") ?? "1", 10) ||
            1,
        }))
      ),
    );
  }

  #inlineOfBlocks(element: XmlElement): string {
    return childrenOf(element).map((child) =>
      child.name === "p" || child.name === "h"
        ? this.#inlineOf(child)
        : this.#inlineOfBlocks(child)
    ).join(" ").trim();
  }

  /** Words, links and breaks of a paragraph as HTML. */
  #inlineOf(element: XmlElement): string {
    return element.children.map((child) => {
      if (!isXmlElement(child)) return escapeHtml(child.replace(/\s+/g, " "));
      const { name } = child;
      if (LEFT_OUT.has(name)) return "";
      if (name === "s") return " ".repeat(spacesOf(child));
      if (name === "tab") return " ";
      if (name === "line-break") return "<br>";
      if (name === "a") return this.#linkOf(child);
      if (name === "note") return this.#noteOf(child);
      if (name === "annotation") {
        this.#below.push(this.write(child));
        return "";
      }
      if (name === "frame" || name === "text-box" || name === "custom-shape") {
        this.#below.push(this.write(child));
        return "";
      }
      return this.#inlineOf(child);
    }).join("");
  }

  #linkOf(element: XmlElement): string {
    const html = this.#inlineOf(element);
    const target = attr(element, "href") ?? "";
    return target === "" || target.startsWith("#")
      ? html
      : `<a href="${escapeHtml(target)}">${html}</a>`;
  }

  /** Puts a note below the paragraph that refers to it. */
  #noteOf(element: XmlElement): string {
    const [citation] = childrenOf(element, "note-citation");
    const [body] = childrenOf(element, "note-body");
    const mark = citation === undefined ? "*" : this.#inlineOf(citation);
    const words = body === undefined ? "" : this.#inlineOfBlocks(body);
    if (words === "") return "";
    this.#below.push(`<p>(${mark}) ${words}</p>`);
    return ` (${mark})`;
  }
}

function isTitle(frame: XmlElement): boolean {
  return Object.entries(frame.attributes).some(([name, value]) =>
    name.endsWith(":class") && value === "title"
  );
}

function spacesOf(element: XmlElement): number {
  const count = Number.parseInt(attr(element, "c") ?? "1", 10) || 1;
  return Math.min(SPACES, Math.max(1, count));
}

/** Rows of a table, those in groups and headers among them. */
function* rowsOf(table: XmlElement): Generator<XmlElement> {
  for (const child of childrenOf(table)) {
    if (child.name === "table-row") yield child;
    else if (/^table-(?:header-rows|row-group|rows)$/.test(child.name)) {
      yield* rowsOf(child);
    }
  }
}
