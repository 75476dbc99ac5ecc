import { readCoreFacts, readRelations } from "./office_facts.ts";
import { Package } from "./package.ts";
import { type Sheet, sheetsToDocument } from "./sheets.ts";
import { type Row, TABLE_COLUMNS } from "./table.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";
import {
  attr,
  childrenOf,
  findPath,
  prefixedAttr,
  readXml,
  type XmlAttributes,
  type XmlElement,
} from "./xml_tree.ts";

const WORKBOOK = "xl/workbook.xml";

/** Extracts an Excel workbook: each sheet as a page, its rows as a table that repeats its header. */
export function extractXlsx(
  { bytes, limits }: ExtractInput,
): Promise<Extracted> {
  const parts = new Package(bytes, limits);
  const workbook = parts.getXml(WORKBOOK);
  const relations = readRelations(parts, WORKBOOK);
  const properties = findPath(workbook, "workbookPr");
  const is1904 = /^(?:1|true)$/.test(
    properties && attr(properties, "date1904") || "",
  );
  const styles = readStyles(parts.findXml("xl/styles.xml"));
  const shared = readStrings(parts, limits.depth);
  const sheets = childrenOf(findPath(workbook, "sheets") ?? workbook, "sheet");
  function* read(): Generator<Sheet> {
    for (const sheet of sheets) {
      const target = relations.get(prefixedAttr(sheet, "id") ?? "");
      if (target?.type !== "worksheet") continue;
      const reader = new SheetReader({ shared, styles, is1904 });
      yield {
        name: attr(sheet, "name") ?? "",
        rows: reader.read(parts.getText(target.target), limits.depth),
      };
    }
  }
  return Promise.resolve(
    sheetsToDocument(read(), readCoreFacts(parts), limits),
  );
}

/** Texts that cells share, in their order. */
function readStrings(parts: Package, depth: number): string[] {
  const text = parts.findText("xl/sharedStrings.xml");
  const strings: string[] = [];
  if (text === undefined) return strings;
  let words = "";
  let isText = false;
  // How words are spoken is written beside them.
  let isSpoken = false;
  const steps = readXml(text, depth, {
    open(name) {
      if (name === "si") words = "";
      if (name === "rPh") isSpoken = true;
      isText = name === "t" && !isSpoken;
    },
    text(part) {
      if (isText) words += part;
    },
    close(name) {
      if (name === "t") isText = false;
      if (name === "rPh") isSpoken = false;
      if (name === "si") strings.push(words);
    },
  });
  for (const _ of steps);
  return strings;
}

/** How the number of a cell with a style is shown. */
type Shown = "number" | "date" | "percent";

/** Formats of numbers that every workbook has. */
function builtIn(id: number): Shown {
  if (id === 9 || id === 10) return "percent";
  return id >= 14 && id <= 22 || id >= 27 && id <= 36 || id >= 45 && id <= 47 ||
      id >= 50 && id <= 58
    ? "date"
    : "number";
}

function readStyles(root: XmlElement | undefined): Shown[] {
  const formats = new Map<string, Shown>();
  const own = findPath(root, "numFmts");
  for (const format of own === undefined ? [] : childrenOf(own)) {
    const code = (attr(format, "formatCode") ?? "").replace(
      /"[^"]*"|\\.|\[[^\]]*\]/g,
      "",
    );
    formats.set(
      attr(format, "numFmtId") ?? "",
      /[ymdhs]/i.test(code) && !/general/i.test(code)
        ? "date"
        : code.includes("%")
        ? "percent"
        : "number",
    );
  }
  const cells = findPath(root, "cellXfs");
  return (cells === undefined ? [] : childrenOf(cells)).map((style) => {
    const id = attr(style, "numFmtId") ?? "0";
    return formats.get(id) ?? builtIn(Number(id));
  });
}

interface Book {
  readonly shared: readonly string[];
  readonly styles: readonly Shown[];
  readonly is1904: boolean;
}

/** Reads the rows of one sheet. */
class SheetReader {
  readonly #book: Book;
  #found: Row[] = [];
  #row = 0;
  #cells: string[] = [];
  #column = 0;
  #type = "";
  #style = 0;
  #value = "";
  #isValue = false;

  constructor(book: Book) {
    this.#book = book;
  }

  *read(text: string, depth: number): Generator<Row> {
    const steps = readXml(text, depth, {
      open: (name, attributes) => this.#open(name, attributes),
      text: (part) => {
        if (this.#isValue) this.#value += part;
      },
      close: (name) => this.#close(name),
    });
    for (const _ of steps) {
      const found = this.#found;
      this.#found = [];
      yield* found;
    }
  }

  #open(name: string, attributes: XmlAttributes): void {
    if (name === "row") {
      this.#row = Number.parseInt(attributes["r"] ?? "", 10) || this.#row + 1;
      this.#cells = [];
      this.#column = 0;
    } else if (name === "c") {
      this.#column = columnOf(attributes["r"]) ?? this.#column;
      if (this.#column >= TABLE_COLUMNS) {
        throw new ExtractError(
          "too_large",
          `Row ${this.#row} has more than ${TABLE_COLUMNS} columns.`,
        );
      }
      this.#type = attributes["t"] ?? "n";
      this.#style = Number(attributes["s"] ?? 0);
      this.#value = "";
    } else this.#isValue = name === "v" || name === "t";
  }

  #close(name: string): void {
    this.#isValue = false;
    if (name === "c") {
      const value = this.#show();
      // Cells that are not there are empty.
      while (value !== "" && this.#cells.length < this.#column) {
        this.#cells.push("");
      }
      if (value !== "") this.#cells[this.#column] = value;
      this.#column++;
    } else if (
      name === "row" && this.#cells.some((cell) => cell.trim() !== "")
    ) {
      const line = Math.max(1, this.#row);
      this.#found.push({ cells: this.#cells, lineStart: line, lineEnd: line });
    }
  }

  #show(): string {
    const value = this.#value;
    if (this.#type === "s") return this.#book.shared[Number(value)] ?? "";
    if (this.#type === "b") return value === "1" ? "TRUE" : "FALSE";
    if (this.#type !== "n" || value === "") return value;
    const number = Number(value);
    const shown = this.#book.styles[this.#style] ?? "number";
    if (Number.isNaN(number)) return value;
    if (shown === "date") return toDate(number, this.#book.is1904) ?? value;
    // 0.1 + 0.2 is stored with all its digits.
    const short = Number(number.toPrecision(15));
    return shown === "percent"
      ? `${Number((short * 100).toPrecision(12))}%`
      : String(short);
  }
}

/** Column of a reference such as `AB12`, from 0. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,4}/.exec(reference ?? "")?.[0];
  if (letters === undefined) return undefined;
  let column = 0;
  for (const letter of letters) {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return column - 1;
}

/** A number of days as a date, a time or both; `undefined` if it is none. */
function toDate(days: number, is1904: boolean): string | undefined {
  if (days < 0 || days > 2_958_466) return undefined;
  // Excel counts a 29 February 1900, which never was.
  const epoch = is1904
    ? Date.UTC(1904, 0, 1)
    : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const time = new Date(epoch + Math.round(days * 86_400) * 1_000)
    .toISOString();
  const [date = "", clock = ""] = time.replace(/\.\d+Z$/, "").split("T");
  if (days < 1) return clock;
  return Math.round(days * 86_400) % 86_400 === 0 ? date : `${date} ${clock}`;
}
