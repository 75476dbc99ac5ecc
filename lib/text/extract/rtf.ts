import type { JsonObject } from "../../core/mod.ts";
import { cleanTitle } from "../frontmatter.ts";
import { escapeHtml, HtmlBuilder, htmlToSections } from "./html_builder.ts";
import { readRtf, type RtfEvents } from "./rtf_tokens.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";

/**
 * Extracts an RTF document: text, tables, notes, and headings where it marks them. Page headers and
 * footers, fields' instructions and pictures are left out.
 */
export function extractRtf(
  { bytes, limits }: ExtractInput,
): Promise<Extracted> {
  const writer = new RtfWriter(limits.textChars);
  const isWhole = readRtf(bytes, limits.depth, writer);
  const { title, sections } = htmlToSections(writer.finish(), {
    depth: limits.depth,
  });
  if (!isWhole && sections.length === 0) {
    throw new ExtractError(
      "corrupted",
      "The RTF document is cut off or damaged; make it anew.",
    );
  }
  const metadata: Record<string, JsonObject[string]> = {};
  for (const name of ["author", "subject", "keywords"]) {
    const value = cleanTitle(writer.facts.get(name) ?? "");
    if (value !== null) metadata[name] = value;
  }
  return Promise.resolve({
    title: cleanTitle(writer.facts.get("title") ?? "") ?? title,
    docType: "document",
    tags: [],
    metadata,
    sections,
    warnings: isWhole
      ? []
      : ["The file is cut off; what is there of it is indexed."],
  });
}

/** Control words that part words. */
const BREAKS: ReadonlySet<string> = new Set(
  "par line sect page cell row".split(" "),
);

/** Turns the events of an RTF document into HTML. */
class RtfWriter implements RtfEvents {
  readonly facts = new Map<string, string>();
  readonly #max: number;
  readonly #builder = new HtmlBuilder();
  #chars = 0;
  #words = "";
  /** Words of the footnote that is read. */
  #note: string | undefined;
  /** Footnotes of the paragraph at hand. */
  #notes: string[] = [];
  #noteCount = 0;
  #level: number | undefined;
  /** Mark of the item at hand, and how deep it is. */
  #mark = "";
  #depth = 0;
  #isInTable = false;
  #cells: string[] = [];
  #rows: string[][] = [];

  constructor(max: number) {
    this.#max = max;
  }

  addText(text: string): void {
    this.#chars += text.length;
    if (this.#chars > this.#max) {
      throw new ExtractError(
        "too_large",
        `The document holds more than ${this.#max} characters; split it.`,
      );
    }
    if (this.#note === undefined) this.#words += text;
    else this.#note += text;
  }

  addMark(text: string): void {
    this.#mark += text;
  }

  startNote(): void {
    this.#note = "";
  }

  /** Puts a note below the paragraph that refers to it. */
  endNote(): void {
    const words = (this.#note ?? "").trim().replace(/\s+/g, " ");
    this.#note = undefined;
    if (words === "") return;
    const mark = `(${++this.#noteCount})`;
    this.#words = `${this.#words.trimEnd()} ${mark}`;
    this.#notes.push(`${mark} ${words}`);
  }

  addFact(name: string, text: string): void {
    this.facts.set(name, (this.facts.get(name) ?? "") + text);
  }

  control(word: string, value: number | undefined): void {
    if (this.#note !== undefined) {
      // What makes a paragraph of a note is none of the one around it.
      if (BREAKS.has(word)) this.#note += " ";
      return;
    }
    switch (word) {
      case "pard":
        this.#level = undefined;
        this.#isInTable = false;
        this.#depth = 0;
        break;
      case "ilvl":
        this.#depth = value ?? 0;
        break;
      case "outlinelevel":
        this.#level = (value ?? 0) < 9 ? value ?? 0 : undefined;
        break;
      case "intbl":
        this.#isInTable = true;
        break;
      case "cell":
        this.#cells.push(this.#take());
        break;
      case "row":
        if (this.#cells.length > 0) this.#rows.push(this.#cells);
        this.#cells = [];
        break;
      case "par":
      case "sect":
      case "page":
        this.#endParagraph();
        break;
      case "line":
        this.#words += "\n";
        break;
    }
  }

  #take(): string {
    const html = escapeHtml(this.#words.trim()).replaceAll("\n", "<br>");
    this.#words = "";
    return html;
  }

  #endParagraph(): void {
    if (this.#isInTable) {
      this.#words += "\n";
      return;
    }
    this.#endTable();
    const html = this.#take();
    const mark = this.#mark.trim();
    this.#mark = "";
    if (this.#level !== undefined) {
      if (html !== "") this.#builder.addHeading(this.#level + 1, html);
    } else if (mark !== "") {
      this.#builder.addItem(this.#depth, /^\(?\w{1,5}[.)]/.test(mark), html);
    } else this.#builder.addParagraph(html);
    this.#addNotes();
  }

  #addNotes(): void {
    for (const note of this.#notes) {
      this.#builder.addParagraph(escapeHtml(note));
    }
    this.#notes = [];
  }

  #endTable(): void {
    if (this.#cells.length > 0) this.#rows.push(this.#cells);
    this.#cells = [];
    this.#builder.addTable(
      this.#rows.map((row) => row.map((html) => ({ html, span: 1 }))),
    );
    this.#rows = [];
  }

  finish(): string {
    if (this.#note !== undefined) this.endNote();
    this.#isInTable = false;
    this.#endParagraph();
    return this.#builder.finish();
  }
}
