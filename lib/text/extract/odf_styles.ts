import { isCodeStyle } from "./html_builder.ts";
import { attr, descendantsOf, type XmlElement } from "./xml_tree.ts";

/** Longest chain of styles that build on others. */
const CHAIN = 20;

/** What the styles of an OpenDocument say of its lists and paragraphs. */
export class OdfStyles {
  /** Names of the styles that others build on. */
  readonly #parents = new Map<string, string>();
  /** Levels of lists that are numbered, as `style level`. */
  readonly #numbered = new Set<string>();

  /** Reads the styles of the document and those of its content. */
  constructor(roots: readonly (XmlElement | undefined)[]) {
    for (const root of roots) {
      if (root === undefined) continue;
      for (const style of descendantsOf(root, "style")) {
        const parent = attr(style, "parent-style-name");
        if (parent === undefined) continue;
        this.#parents.set(attr(style, "name") ?? "", parent);
      }
      for (const list of descendantsOf(root, "list-style")) {
        for (const level of descendantsOf(list, "list-level-style-number")) {
          // Without a format the number is not shown.
          if ((attr(level, "num-format") ?? "") === "") continue;
          this.#numbered.add(`${attr(list, "name")} ${attr(level, "level")}`);
        }
      }
    }
  }

  /** Says whether a list of a style is numbered; `level` from 0. */
  isNumbered(style: string | undefined, level: number): boolean {
    return style !== undefined && this.#numbered.has(`${style} ${level + 1}`);
  }

  /** Says whether a paragraph of a style is a line of code. */
  isCode(style: string | undefined): boolean {
    let name = style;
    for (let count = 0; name !== undefined && count < CHAIN; count++) {
      if (isCodeStyle(name.replaceAll(/_20_|_/g, " "))) return true;
      name = this.#parents.get(name);
    }
    return false;
  }
}
