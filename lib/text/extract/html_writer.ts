import { escapeLineStarts, type SourceBlock } from "./blocks_to_sections.ts";
import {
  attribute,
  findElement,
  type HtmlElement,
  type HtmlNode,
  isElement,
  textOf,
} from "./html_tree.ts";

/** Elements that begin and end a block. */
const BLOCKS: ReadonlySet<string> = new Set(
  ("address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption " +
    "figure footer form header hgroup hr html legend li main nav ol p pre section summary table tbody " +
    "td tfoot th thead tr ul").split(" "),
);
const HEADING = /^h([1-6])$/;
/** Most columns of a table that is written as one. */
const COLUMNS = 64;

/** What to leave out. */
export type Leaves = (element: HtmlElement) => boolean;

/** Writes the content of a page as blocks of Markdown. */
export class HtmlWriter {
  readonly blocks: SourceBlock[] = [];
  readonly #leaves: Leaves;
  #inline = "";
  #first = 0;
  #last = 0;

  /** Takes what is left out. */
  constructor(leaves: Leaves) {
    this.#leaves = leaves;
  }

  /** Writes the children of an element. */
  writeChildren(element: HtmlElement): void {
    for (const child of element.childNodes) this.#write(child);
    this.#flush();
  }

  #write(node: HtmlNode): void {
    if ("value" in node) return this.#addText(node.value, node);
    if (!isElement(node) || this.#leaves(node)) return;
    const { tagName } = node;
    const heading = HEADING.exec(tagName);
    if (heading !== null) return this.#writeHeading(node, Number(heading[1]));
    if (!BLOCKS.has(tagName)) return this.#writeInline(node);
    this.#flush();
    if (tagName === "pre") this.#writeCode(node);
    else if (tagName === "table") this.#writeTable(node);
    else if (tagName === "ul" || tagName === "ol") this.#writeList(node);
    else if (tagName === "dl") this.#writeTerms(node);
    else if (tagName === "blockquote") this.#writeQuote(node);
    else this.writeChildren(node);
  }

  /** Adds words to the block at hand. */
  #addText(value: string, node: HtmlNode): void {
    const text = value.replace(/\s+/g, " ");
    if (text.trim() !== "") this.#note(node);
    this.#inline += text;
  }

  /** Widens the lines of the block at hand by those of a node. */
  #note(node: HtmlNode): void {
    const { startLine = 0, endLine = startLine } = node.sourceCodeLocation ??
      {};
    if (startLine === 0) return;
    this.#first = this.#first === 0
      ? startLine
      : Math.min(this.#first, startLine);
    this.#last = Math.max(this.#last, endLine);
  }

  /** Ends the block at hand. */
  #flush(): void {
    const text = this.#inline.replace(/ *\n */g, "\n").replace(/ {2,}/g, " ")
      .trim();
    if (text !== "") {
      this.#push(escapeLineStarts(text), this.#first, this.#last);
    }
    this.#inline = "";
    this.#first = 0;
    this.#last = 0;
  }

  #push(text: string, lineStart: number, lineEnd: number): void {
    const before = this.blocks.at(-1)?.lineEnd ?? 1;
    const start = lineStart === 0 ? before : lineStart;
    this.blocks.push({
      text,
      lineStart: start,
      lineEnd: Math.max(start, lineEnd),
    });
  }

  /** Adds a block that has the lines of an element. */
  #pushOf(element: HtmlElement, text: string): void {
    if (text.trim() === "") return;
    const { startLine = 0, endLine = startLine } = element.sourceCodeLocation ??
      {};
    this.#push(text, startLine, endLine);
  }

  #writeHeading(element: HtmlElement, level: number): void {
    this.#flush();
    const text = this.#inlineOf(element);
    if (text !== "") this.#pushOf(element, `${"#".repeat(level)} ${text}`);
  }

  /** The content of an element on one line. */
  #inlineOf(element: HtmlElement): string {
    return this.#blocksOf(element).map(({ text }) => text).join(" ")
      .replace(/\s+/g, " ").trim();
  }

  #blocksOf(element: HtmlElement): SourceBlock[] {
    const inner = new HtmlWriter(this.#leaves);
    inner.writeChildren(element);
    return inner.blocks;
  }

  /** The blocks of an element that is one itself. */
  #blocksIn(element: HtmlElement): SourceBlock[] {
    const inner = new HtmlWriter(this.#leaves);
    inner.#write(element);
    return inner.blocks;
  }

  #writeInline(element: HtmlElement): void {
    const { tagName } = element;
    if (tagName === "br") this.#inline += "\n";
    else if (tagName === "img") this.#writeImage(element);
    else if (tagName === "a") this.#writeLink(element);
    else if (tagName === "math") {
      this.#addText(attribute(element, "alttext") || textOf(element), element);
    } else if (/^(?:code|kbd|samp|tt)$/.test(tagName)) {
      const code = textOf(element);
      this.#note(element);
      this.#inline += code === "" || code.includes("`") ? code : `\`${code}\``;
    } else for (const child of element.childNodes) this.#write(child);
  }

  #writeImage(element: HtmlElement): void {
    const alt = attribute(element, "alt").replace(/[[\]\s]+/g, " ").trim();
    const source = attribute(element, "src");
    if (alt === "") return;
    this.#note(element);
    this.#inline += source === "" || source.startsWith("data:")
      ? alt
      : `![${alt}](${toTarget(source)})`;
  }

  /** Links within the page and scripts are left as their words. */
  #writeLink(element: HtmlElement): void {
    const target = attribute(element, "href");
    const hasBlocks = element.childNodes.some((child) =>
      isElement(child) &&
      (BLOCKS.has(child.tagName) || HEADING.test(child.tagName))
    );
    if (isNoteMark(element)) {
      const mark = this.#inlineOf(element).replace(/^[[(]|[\])]$/g, "");
      this.#note(element);
      this.#inline = `${this.#inline.trimEnd()} (${mark})`;
      return;
    }
    // A mark that only links to the heading it stands in is no word of it.
    if (target.startsWith("#") && !/[\p{L}\p{N}]/u.test(textOf(element))) {
      return;
    }
    if (
      target === "" || /^(?:#|javascript:|data:)/i.test(target) || hasBlocks
    ) {
      for (const child of element.childNodes) this.#write(child);
      return;
    }
    const text = this.#inlineOf(element);
    if (text === "") return;
    this.#note(element);
    // Brackets at both ends would be those of a wiki link.
    const isPlain = isBalanced(text) && !text.startsWith("[");
    const label = isPlain ? text : text.replace(/[[\]]/g, "\\$&");
    this.#inline += `[${label}](${toTarget(target)})`;
  }

  #writeCode(element: HtmlElement): void {
    const text = rawTextOf(element).replace(/^\n|\s+$/g, "");
    const inner = findElement(element, "code") ?? element;
    const language = /(?:lang(?:uage)?-|highlight-source-)([\w+#-]+)/.exec(
      `${attribute(inner, "class")} ${attribute(element, "class")}`,
    )?.[1] ?? "";
    const longest = Math.max(
      2,
      ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length),
    );
    const fence = "`".repeat(longest + 1);
    if (text.trim() !== "") {
      this.#pushOf(element, `${fence}${language}\n${text}\n${fence}`);
    }
  }

  #writeList(element: HtmlElement): void {
    const isNumbered = element.tagName === "ol";
    let number = Number.parseInt(attribute(element, "start") || "1", 10) || 1;
    const lines: string[] = [];
    for (const child of element.childNodes) {
      if (!isElement(child) || this.#leaves(child)) continue;
      // A list may stand in a list without an item around it.
      const isList = /^[ou]l$/.test(child.tagName);
      const found = isList ? this.#blocksIn(child) : this.#blocksOf(child);
      const blocks = found.map(({ text }) => text);
      if (blocks.length === 0) continue;
      if (isList) {
        const space = lines.length === 0 ? "" : isNumbered ? "   " : "  ";
        lines.push(blocks.join("\n").replace(/^/gm, space));
        continue;
      }
      const mark = isNumbered ? `${number++}. ` : "- ";
      const indent = " ".repeat(mark.length);
      const text = blocks.join("\n").split("\n").join(`\n${indent}`);
      lines.push(`${mark}${text}`);
    }
    this.#pushOf(element, lines.join("\n"));
  }

  #writeTerms(element: HtmlElement): void {
    const lines: string[] = [];
    let terms: string[] = [];
    // Terms may stand in groups.
    const children = element.childNodes.filter(isElement).flatMap((child) =>
      child.tagName === "div" ? child.childNodes.filter(isElement) : [child]
    );
    for (const child of children) {
      if (child.tagName === "dt") terms.push(this.#inlineOf(child));
      else if (child.tagName === "dd") {
        const text = this.#inlineOf(child);
        lines.push(`- ${[terms.join(", "), text].filter(Boolean).join(": ")}`);
        terms = [];
      }
    }
    if (terms.length > 0) lines.push(`- ${terms.join(", ")}`);
    this.#pushOf(element, lines.join("\n"));
  }

  #writeQuote(element: HtmlElement): void {
    const text = this.#blocksOf(element).map((block) => block.text).join(
      "\n\n",
    );
    if (text === "") return;
    this.#pushOf(
      element,
      text.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n"),
    );
  }

  /** A table of data becomes a table, one that only puts things in their place its contents. */
  #writeTable(element: HtmlElement): void {
    const rows = rowsOf(element).filter((row) => !this.#leaves(row));
    const isLayout = findElement(element, "table") !== undefined ||
      rows.every((row) => cellsOf(row).length < 2);
    if (isLayout) return this.writeChildren(element);
    const caption = element.childNodes.find((child) =>
      isElement(child) && child.tagName === "caption"
    );
    if (caption !== undefined && isElement(caption)) {
      this.#pushOf(caption, escapeLineStarts(this.#inlineOf(caption)));
    }
    const cells = rows.map((row) =>
      cellsOf(row).flatMap((cell) => [
        this.#inlineOf(cell).replace(/\|/g, "\\|"),
        ...Array.from({ length: spanOf(cell) - 1 }, () => ""),
      ]).slice(0, COLUMNS)
    ).filter((row) => row.some((cell) => cell !== ""));
    const width = Math.max(0, ...cells.map((row) => row.length));
    const lines = cells.map((row) =>
      `| ${Array.from({ length: width }, (_, i) => row[i] ?? "").join(" | ")} |`
    );
    const rule = `|${" --- |".repeat(width)}`;
    this.#pushOf(
      element,
      [...lines.slice(0, 1), rule, ...lines.slice(1)].join("\n"),
    );
  }
}

/** Says whether a link is the number that leads to a footnote. */
function isNoteMark(link: HtmlElement): boolean {
  const kind = ["role", "epub:type", "class"].map((name) =>
    attribute(link, name)
  ).join(" ");
  return /\b(?:noteref|footnote-?ref|sd(?:foot|end)noteanc)\b/i.test(kind) &&
    /^[[(]?[\p{L}\p{N}*†‡§]{1,6}[\])]?$/u.test(textOf(link).trim());
}

/** Rows of a table, those of tables in it not among them. */
function rowsOf(table: HtmlElement): HtmlElement[] {
  return table.childNodes.filter(isElement).flatMap((child) =>
    child.tagName === "tr"
      ? [child]
      : /^(?:thead|tbody|tfoot)$/.test(child.tagName)
      ? child.childNodes.filter(isElement).filter(({ tagName }) =>
        tagName === "tr"
      )
      : []
  );
}

function cellsOf(row: HtmlElement): HtmlElement[] {
  return row.childNodes.filter(isElement).filter(({ tagName }) =>
    tagName === "td" || tagName === "th"
  );
}

function spanOf(cell: HtmlElement): number {
  const span = Number.parseInt(attribute(cell, "colspan"), 10);
  return span > 1 ? Math.min(span, COLUMNS) : 1;
}

/** Says whether every bracket of a text is closed in order. */
function isBalanced(text: string): boolean {
  let open = 0;
  for (const char of text) {
    if (char === "[") open++;
    else if (char === "]" && --open < 0) return false;
  }
  return open === 0;
}

/** A link target that Markdown reads back as it is. */
function toTarget(target: string): string {
  const text = target.replace(/\s/g, "%20");
  return /[()<>]/.test(text)
    ? text.replace(
      /[()<>]/g,
      (char) =>
        encodeURIComponent(char).replace("(", "%28").replace(")", "%29"),
    )
    : text;
}

/** The words of preformatted text as they stand. */
function rawTextOf(element: HtmlElement): string {
  const parts: string[] = [];
  const stack: HtmlNode[] = element.childNodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ("value" in node) parts.push(node.value);
    else if (isElement(node)) {
      if (node.tagName === "br") parts.push("\n");
      for (const child of node.childNodes.toReversed()) stack.push(child);
    }
  }
  return parts.join("");
}
