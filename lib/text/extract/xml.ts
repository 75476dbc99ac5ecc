import { SaxesParser } from "saxes";
import { cleanTitle } from "../frontmatter.ts";
import { normalizeText } from "../preprocess.ts";
import {
  blocksToSections,
  escapeLineStarts,
  type SourceBlock,
} from "./blocks_to_sections.ts";
import { GROUP_CHARS, toWhole } from "./outline.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";

/** An element that is open. */
interface Open {
  readonly name: string;
  readonly line: number;
  /** Words since the last block. */
  words: string;
  wordsLine: number;
  /** Whether elements were in it. */
  hasChildren: boolean;
  /** Whether words stand beside its elements. */
  isMixed: boolean;
}

/** Elements that name what they stand in. */
const TITLES: ReadonlySet<string> = new Set(["title", "name", "head", "label"]);
/** Text is handed to the parser in parts of this length, in UTF-16 units. */
const PART_CHARS = 64 * 1024;

/**
 * Extracts XML: its words as `element: words`, with a heading for each element that has a title. Names
 * of an element's attributes and short values are kept. No entity but those of XML itself is expanded
 * and nothing is loaded. What is not well formed is indexed as it stands.
 */
export function extractXml(input: ExtractInput): Promise<Extracted> {
  const normal = normalizeText(input.text ?? "");
  const reader = new XmlReader(input.limits.depth);
  try {
    reader.read(normal);
  } catch (error) {
    if (error instanceof ExtractError) throw error;
    const { mime } = input;
    return Promise.resolve(toWhole(normal, {
      mime,
      docType: "code",
      warnings: [
        `The file is not well-formed XML (${
          error instanceof Error ? error.message : error
        }); it is indexed as text.`,
      ],
    }));
  }
  const { title, sections } = blocksToSections(reader.blocks);
  return Promise.resolve({
    title,
    docType: "code",
    tags: [],
    metadata: {},
    sections,
    warnings: reader.warnings,
  });
}

/** Turns the events of a parser into blocks of Markdown. */
class XmlReader {
  readonly blocks: SourceBlock[] = [];
  readonly warnings: string[] = [];
  readonly #depth: number;
  readonly #open: Open[] = [];
  readonly #parser = new SaxesParser({ position: true });
  /** Lines of `name: words` that are not yet a block, and where they begin. */
  #lines: string[] = [];
  #chars = 0;
  #first = 1;
  #last = 1;
  #failure: Error | undefined;

  constructor(depth: number) {
    this.#depth = depth;
    const parser = this.#parser;
    parser.on("error", (error) => this.#takeError(error));
    parser.on("opentag", ({ name, attributes }) => {
      this.#enter(
        name,
        Object.entries(attributes).map(([key, value]) =>
          [key, typeof value === "string" ? value : value.value] as const
        ),
      );
    });
    parser.on("text", (text) => this.#addText(text));
    parser.on("cdata", (text) => this.#addText(text));
    parser.on("closetag", () => this.#leave());
  }

  read(text: string): void {
    for (let at = 0; at < text.length; at += PART_CHARS) {
      this.#parser.write(text.slice(at, at + PART_CHARS));
      if (this.#failure !== undefined) throw this.#failure;
    }
    this.#parser.close();
    if (this.#failure !== undefined) throw this.#failure;
    this.#flush();
  }

  /** An entity that the file declares stays as it is written; any other fault ends the reading. */
  #takeError(error: Error): void {
    if (/undefined entity/i.test(error.message)) {
      if (this.warnings.length === 0) {
        this.warnings.push("Entities that the file declares are not expanded.");
      }
      return;
    }
    this.#failure ??= new Error(error.message.replace(/\s+/g, " "));
  }

  #enter(
    name: string,
    attributes: readonly (readonly [name: string, value: string])[],
  ): void {
    if (this.#open.length >= this.#depth) {
      throw new ExtractError(
        "too_large",
        `The file is nested deeper than ${this.#depth} elements.`,
      );
    }
    const parent = this.#open.at(-1);
    const line = this.#parser.line;
    if (parent !== undefined) {
      parent.hasChildren = true;
      if (parent.words.trim() !== "") parent.isMixed = true;
    }
    this.#open.push({
      name,
      line,
      words: "",
      wordsLine: line,
      hasChildren: false,
      isMixed: false,
    });
    const facts = attributes.filter(([key, value]) =>
      !/^xmlns(?::|$)|:schemaLocation$/.test(key) && /\p{L}/u.test(value) &&
      value.length <= 1_000
    ).map(([key, value]) => `${localName(key)}: ${value.replace(/\s+/g, " ")}`);
    if (facts.length > 0 && parent?.isMixed !== true) {
      this.#addLine(`${localName(name)} (${facts.join(", ")})`, line);
    }
  }

  #addText(text: string): void {
    const open = this.#open.at(-1);
    if (open === undefined) return;
    // White space between elements adds up to much in a long list.
    if (open.words === "" && text.trim() === "") return;
    if (open.words === "") open.wordsLine = this.#parser.line;
    open.words += text;
    if (open.hasChildren && text.trim() !== "") open.isMixed = true;
  }

  #leave(): void {
    const open = this.#open.pop();
    const parent = this.#open.at(-1);
    if (open === undefined) return;
    const words = open.words.replace(/\s+/g, " ").trim();
    if (words === "") return;
    // Words with marks in them, as `a <b>bold</b> word`, belong to the paragraph around them.
    if (parent?.isMixed === true) {
      parent.words += open.words;
      return;
    }
    const name = localName(open.name);
    const level = this.#open.length;
    if (TITLES.has(name) && level > 0 && words.length <= 300) {
      this.#flush();
      const title = cleanTitle(words) ?? "";
      this.#push(
        `${"#".repeat(Math.min(6, level))} ${title}`,
        open.line,
        this.#parser.line,
      );
    } else {
      this.#addLine(open.isMixed ? words : `${name}: ${words}`, open.line);
    }
  }

  /** Adds a line to the block at hand. */
  #addLine(text: string, line: number): void {
    if (this.#chars > 0 && this.#chars + text.length > GROUP_CHARS) {
      this.#flush();
    }
    if (this.#lines.length === 0) this.#first = line;
    this.#lines.push(text);
    this.#last = this.#parser.line;
    this.#chars += text.length;
  }

  #flush(): void {
    if (this.#lines.length > 0) {
      const text = escapeLineStarts(this.#lines.join("\n"));
      this.#push(text, this.#first, this.#last);
    }
    this.#lines = [];
    this.#chars = 0;
  }

  #push(text: string, lineStart: number, lineEnd: number): void {
    this.blocks.push({
      text,
      lineStart,
      lineEnd: Math.max(lineStart, lineEnd),
    });
  }
}

/** A name without its prefix. */
function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
