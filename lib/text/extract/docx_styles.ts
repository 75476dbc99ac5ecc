import { isCodeStyle } from "./html_builder.ts";
import type { Package } from "./package.ts";
import { attr, childrenOf, findPath, type XmlElement } from "./xml_tree.ts";

/** What a paragraph is by its style and its own marks. */
export interface ParagraphKind {
  /** From 1; 0 is the title of the document. */
  readonly heading?: number;
  /** Level from 0 in a list. */
  readonly item?: { readonly level: number; readonly isNumbered: boolean };
  /** Whether it is a line of code. */
  readonly isCode?: boolean;
}

/** Longest chain of styles that build on others. */
const CHAIN = 20;

/** Headings and lists of a Word document, which its styles and list definitions tell. */
export class DocxStyles {
  readonly #styles = new Map<string, XmlElement>();
  /** Number formats by list and level. */
  readonly #formats = new Map<string, string>();

  /** Reads styles and lists. */
  constructor(parts: Package) {
    const styles = parts.findXml("word/styles.xml");
    for (const style of styles === undefined ? [] : childrenOf(styles)) {
      const id = attr(style, "styleId");
      if (id !== undefined) this.#styles.set(id, style);
    }
    const numbering = parts.findXml("word/numbering.xml");
    if (numbering !== undefined) this.#readNumbering(numbering);
  }

  #readNumbering(numbering: XmlElement): void {
    const abstracts = new Map(
      childrenOf(numbering, "abstractNum").map((one) =>
        [attr(one, "abstractNumId"), one] as const
      ),
    );
    for (const num of childrenOf(numbering, "num")) {
      const ref = findPath(num, "abstractNumId");
      const found = ref && abstracts.get(attr(ref, "val"));
      for (const level of found === undefined ? [] : childrenOf(found, "lvl")) {
        const format = findPath(level, "numFmt");
        this.#formats.set(
          `${attr(num, "numId")} ${attr(level, "ilvl")}`,
          format && attr(format, "val") || "",
        );
      }
    }
  }

  /** Tells what a paragraph is. */
  kindOf(properties: XmlElement | undefined): ParagraphKind {
    if (properties === undefined) return {};
    const own = findPath(properties, "pStyle");
    const chain = [properties];
    let id = own && attr(own, "val");
    let heading: number | undefined;
    for (let count = 0; id !== undefined && count < CHAIN; count++) {
      const style = this.#styles.get(id);
      heading ??= toHeading(id, style);
      if (isCodeStyle(nameOf(id, style))) return { isCode: true };
      const inStyle = findPath(style, "pPr");
      if (inStyle !== undefined) chain.push(inStyle);
      const base = findPath(style, "basedOn");
      id = base && attr(base, "val");
    }
    heading ??= this.#outlineOf(chain);
    if (heading !== undefined) return { heading };
    return this.#itemOf(chain);
  }

  #outlineOf(chain: readonly XmlElement[]): number | undefined {
    const level = firstValue(chain, "outlineLvl");
    return level !== undefined && level >= 0 && level < 9
      ? level + 1
      : undefined;
  }

  #itemOf(chain: readonly XmlElement[]): ParagraphKind {
    const list = chain.find((one) => findPath(one, "numPr", "numId"));
    const numId = findPath(list, "numPr", "numId");
    const number = numId && attr(numId, "val");
    if (number === undefined || number === "0") return {};
    const levels = chain.flatMap((one) => findPath(one, "numPr") ?? []);
    const level = firstValue(levels, "ilvl") ?? 0;
    const format = this.#formats.get(`${number} ${level}`) ?? "bullet";
    if (format === "none") return {};
    return { item: { level, isNumbered: format !== "bullet" } };
  }
}

/** Number in the first of several elements that has a child of a name. */
function firstValue(
  elements: readonly XmlElement[],
  name: string,
): number | undefined {
  for (const element of elements) {
    const found = findPath(element, name);
    const value = Number.parseInt(found && attr(found, "val") || "", 10);
    if (!Number.isNaN(value)) return value;
  }
  return undefined;
}

function nameOf(id: string, style: XmlElement | undefined): string {
  const found = findPath(style, "name");
  return found && attr(found, "val") || id;
}

/** Styles have English names in the file whatever the language of Word is. */
function toHeading(
  id: string,
  style: XmlElement | undefined,
): number | undefined {
  const name = nameOf(id, style).toLowerCase();
  if (name === "title") return 0;
  const level = /^heading ?([1-9])$/.exec(name)?.[1];
  return level === undefined ? undefined : Number(level);
}
