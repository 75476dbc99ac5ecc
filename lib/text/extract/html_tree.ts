import {
  defaultTreeAdapter,
  type DefaultTreeAdapterTypes,
  parse,
} from "parse5";
import { ExtractError } from "./types.ts";

/** An element of a page. */
export type HtmlElement = DefaultTreeAdapterTypes.Element;
/** Any node of a page. */
export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;

/**
 * Reads a page into a tree, as browsers do.
 *
 * @param depth Deepest nesting.
 * @returns The element `html`.
 * @throws {ExtractError} `too_large` if it is nested deeper.
 */
export function parseHtml(text: string, depth: number): HtmlElement {
  let open = 0;
  const document = parse(text, {
    sourceCodeLocationInfo: true,
    treeAdapter: {
      ...defaultTreeAdapter,
      onItemPush(): void {
        if (++open > depth) {
          throw new ExtractError(
            "too_large",
            `The page is nested deeper than ${depth} elements.`,
          );
        }
      },
      onItemPop(): void {
        open--;
      },
    },
  });
  const root = document.childNodes.find(isElement);
  if (root === undefined) throw new TypeError("A page has no root");
  return root;
}

/** Says whether a node is an element. */
export function isElement(
  node: DefaultTreeAdapterTypes.Node,
): node is HtmlElement {
  return "tagName" in node;
}

/** Value of an attribute, trimmed; `""` if it is not there. */
export function attribute(element: HtmlElement, name: string): string {
  return element.attrs.find((attr) => attr.name === name)?.value.trim() ?? "";
}

/** All elements below one, in the order of the page. */
export function* elementsOf(root: HtmlElement): Generator<HtmlElement> {
  const stack: HtmlNode[] = root.childNodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (!isElement(node)) continue;
    yield node;
    for (const child of node.childNodes.toReversed()) stack.push(child);
  }
}

/** Finds the first element of a name. */
export function findElement(
  root: HtmlElement,
  tagName: string,
): HtmlElement | undefined {
  for (const element of elementsOf(root)) {
    if (element.tagName === tagName) return element;
  }
  return undefined;
}

/** The words in an element, white space collapsed. */
export function textOf(root: HtmlElement): string {
  const parts: string[] = [];
  const stack: HtmlNode[] = root.childNodes.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if ("value" in node) parts.push(node.value);
    else if (isElement(node)) stack.push(...node.childNodes.toReversed());
  }
  return parts.join("").replace(/\s+/g, " ").trim();
}
