import type { TextSection } from "../types.ts";
import { htmlToDocument } from "./html.ts";

/** Deepest list that is written as one. */
const LIST_LEVELS = 9;

/** Writes words so that HTML reads them back. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);
}

/** Puts HTML together from the blocks of an office document. What it takes is HTML already. */
export class HtmlBuilder {
  readonly #parts: string[] = [];
  readonly #lists: ("ol" | "ul")[] = [];
  /** Lines of code that are not written yet. */
  #code: string[] = [];

  /** Adds a heading; `level` from 1. */
  addHeading(level: number, html: string): void {
    const tag = `h${Math.min(6, Math.max(1, level))}`;
    this.addBlock(`<${tag}>${html}</${tag}>`);
  }

  /** Adds a paragraph; one without words is left out. */
  addParagraph(html: string): void {
    if (html.trim() !== "") this.addBlock(`<p>${html}</p>`);
  }

  /** Adds a line of code, or several, to the code at hand, or begins one. */
  addCode(html: string): void {
    const lines = html.replaceAll("<br>", "\n").replace(/<[^>]*>/g, "");
    if (this.#code.length > 0 || lines.trim() !== "") this.#code.push(lines);
  }

  /** Adds an item to the list at hand, or begins one; `level` from 0. */
  addItem(level: number, isNumbered: boolean, html: string): void {
    if (html.trim() === "") return;
    this.#endCode();
    const count = Math.min(LIST_LEVELS, Math.max(0, level)) + 1;
    const tag = isNumbered ? "ol" : "ul";
    while (this.#lists.length > count) this.#closeList();
    if (this.#lists.length === count) {
      if (this.#lists.at(-1) === tag) this.#parts.push("</li><li>");
      else this.#closeList();
    }
    while (this.#lists.length < count) {
      this.#lists.push(tag);
      this.#parts.push(`<${tag}><li>`);
    }
    this.#parts.push(html);
  }

  /** Adds a table by the HTML of its cells. */
  addTable(rows: readonly (readonly HtmlCell[])[]): void {
    const html = rows.map((cells) =>
      `<tr>${
        cells.map(({ html, span }) =>
          `<td${span > 1 ? ` colspan="${span}"` : ""}>${html}</td>`
        ).join("")
      }</tr>`
    ).join("");
    if (html !== "") this.addBlock(`<table>${html}</table>`);
  }

  /** Adds a block as it is. */
  addBlock(html: string): void {
    this.#closeLists();
    this.#endCode();
    this.#parts.push(html);
  }

  /** All blocks so far. */
  finish(): string {
    this.#closeLists();
    this.#endCode();
    return this.#parts.join("\n");
  }

  #closeLists(): void {
    while (this.#lists.length > 0) this.#closeList();
  }

  #endCode(): void {
    if (this.#code.length === 0) return;
    const code = this.#code.join("\n").trimEnd();
    this.#code = [];
    this.#closeLists();
    this.#parts.push(`<pre><code>${code}</code></pre>`);
  }

  #closeList(): void {
    this.#parts.push(`</li></${this.#lists.pop()}>`);
  }
}

/** Says whether a style of paragraphs is one for code, by the name it has in English. */
export function isCodeStyle(name: string): boolean {
  return /^(?:source ?code|(?:html )?preformatted(?: text)?|code(?: block)?)$/i
    .test(name.trim());
}

/** A cell of a table. */
export interface HtmlCell {
  readonly html: string;
  /** Columns it takes, from 1. */
  readonly span: number;
}

/** How to cut what was put together. */
export interface BuiltOptions {
  /** Deepest nesting. */
  readonly depth: number;
  /** Slide, from 1. */
  readonly page?: number;
}

/** Cuts HTML at its headings. It is none of the file, so its lines are not told. */
export function htmlToSections(
  html: string,
  { depth, page }: BuiltOptions,
): { title: string | null; sections: TextSection[] } {
  const { title, sections } = htmlToDocument(html, {
    depth,
    isAllContent: true,
  });
  return {
    title,
    sections: sections.map((section) => ({
      ...section,
      lineStart: 1,
      lineEnd: 1,
      links: section.links.map((link) => ({ ...link, line: 1 })),
      ...(page === undefined ? {} : { page }),
    })),
  };
}
