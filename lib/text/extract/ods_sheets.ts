import type { Sheet } from "./sheets.ts";
import { type Row, TABLE_COLUMNS } from "./table.ts";
import { ExtractError } from "./types.ts";
import { attr, readXml, type XmlAttributes } from "./xml_tree.ts";

/** Reads the sheets of an OpenDocument spreadsheet one after the other. */
export function* readOdsSheets(text: string, depth: number): Generator<Sheet> {
  const reader = new OdsReader();
  const steps = readXml(text, depth, {
    open: (name, attributes) => reader.open(name, attributes),
    text: (part) => reader.text(part),
    close: (name) => reader.close(name),
  });
  /** Rows up to the end of the sheet at hand. */
  function* rows(): Generator<Row> {
    for (;;) {
      while (typeof reader.found[0] === "object") {
        const row = reader.found.shift();
        if (typeof row === "object") yield row;
      }
      if (reader.found.length > 0 || steps.next().done === true) return;
    }
  }
  for (;;) {
    // What is left of the sheet before, if it was not read to its end.
    while (typeof reader.found[0] === "object") reader.found.shift();
    const name = reader.found.shift();
    if (typeof name === "string") yield { name, rows: rows() };
    else if (steps.next().done === true && reader.found.length === 0) return;
  }
}

/** Turns the events of a parser into names of sheets and their rows. */
class OdsReader {
  /** A name begins a sheet, the rows after it are its own. */
  readonly found: (string | Row)[] = [];
  #row = 1;
  #rowCount = 1;
  #cells: string[] = [];
  #column = 0;
  #cellCount = 1;
  #value = "";
  #paragraphs = 0;
  #open = 0;
  #isNote = false;

  open(name: string, attributes: XmlAttributes): void {
    if (name === "table") {
      this.found.push(attr({ attributes }, "name") ?? "");
      this.#row = 1;
    } else if (name === "table-row") {
      this.#rowCount = countOf(attributes, "number-rows-repeated");
      this.#cells = [];
      this.#column = 0;
    } else if (name === "table-cell" || name === "covered-table-cell") {
      this.#cellCount = countOf(attributes, "number-columns-repeated");
      this.#value = "";
      this.#paragraphs = 0;
    } else if (name === "annotation") this.#isNote = true;
    else if (name === "p" && !this.#isNote) {
      this.#open++;
      if (this.#paragraphs++ > 0) this.#value += "\n";
    } else if (/^(?:s|tab|line-break)$/.test(name) && this.#open > 0) {
      this.#value += " ";
    }
  }

  text(part: string): void {
    if (this.#open > 0 && !this.#isNote) this.#value += part;
  }

  close(name: string): void {
    if (name === "annotation") this.#isNote = false;
    else if (name === "p" && !this.#isNote) this.#open--;
    else if (name === "table-cell" || name === "covered-table-cell") {
      this.#closeCell();
    } else if (name === "table-row") {
      if (this.#cells.length > 0) {
        this.found.push({
          cells: this.#cells,
          lineStart: this.#row,
          lineEnd: this.#row + this.#rowCount - 1,
        });
      }
      this.#row += this.#rowCount;
    }
  }

  /** Empty cells are only counted: sheets end in thousands of them. */
  #closeCell(): void {
    if (this.#value.trim() !== "") {
      if (this.#column + this.#cellCount > TABLE_COLUMNS) {
        throw new ExtractError(
          "too_large",
          `Row ${this.#row} has more than ${TABLE_COLUMNS} columns.`,
        );
      }
      while (this.#cells.length < this.#column) this.#cells.push("");
      for (let count = 0; count < this.#cellCount; count++) {
        this.#cells.push(this.#value);
      }
    }
    this.#column += this.#cellCount;
  }
}

function countOf(attributes: XmlAttributes, name: string): number {
  const count = Number.parseInt(attr({ attributes }, name) ?? "1", 10) || 1;
  return Math.min(10_000_000, Math.max(1, count));
}
