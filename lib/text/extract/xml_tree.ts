import { SaxesParser } from "saxes";
import { LIMITS } from "../../core/mod.ts";
import { ExtractError } from "./types.ts";

/** Attributes of an element as they are written. */
export type XmlAttributes = Readonly<Record<string, string>>;

/** An element of XML. */
export interface XmlElement {
  /** Name without its prefix. */
  readonly name: string;
  readonly attributes: XmlAttributes;
  readonly children: readonly (XmlElement | string)[];
}

/** What is told of XML while it is read. Names are without their prefixes. */
export interface XmlEvents {
  readonly open: (name: string, attributes: XmlAttributes) => void;
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
}

/** Text is handed to the parser in parts of this length, in UTF-16 units. */
const PART_CHARS = 64 * 1024;

/**
 * Reads XML part by part; nothing is loaded and no entity of the file is expanded.
 *
 * @param depth Deepest nesting.
 * @returns A generator that stops after each part, so that what was found in it can be used.
 * @throws {ExtractError} `corrupted` if it is not well formed, `too_large` if it is nested deeper.
 */
export function* readXml(
  text: string,
  depth: number,
  events: XmlEvents,
): Generator<void> {
  const parser = new SaxesParser();
  let failure: ExtractError | undefined;
  let open = 0;
  parser.on("error", (error) => {
    failure ??= new ExtractError(
      "corrupted",
      "The file holds XML that is not well formed; make it anew.",
      error,
    );
  });
  parser.on("opentag", ({ name, attributes }) => {
    if (++open > depth) {
      throw new ExtractError(
        "too_large",
        `The file is nested deeper than ${depth} elements.`,
      );
    }
    events.open(localName(name), attributes);
  });
  parser.on("text", events.text);
  parser.on("cdata", events.text);
  parser.on("closetag", ({ name }) => {
    open--;
    events.close(localName(name));
  });
  for (let at = 0; at < text.length; at += PART_CHARS) {
    parser.write(text.slice(at, at + PART_CHARS));
    if (failure !== undefined) throw failure;
    yield;
  }
  parser.close();
  if (failure !== undefined) throw failure;
  yield;
}

interface Growing extends XmlElement {
  readonly children: (XmlElement | string)[];
}

/**
 * Reads XML into a tree.
 *
 * @returns Its outermost element.
 * @throws {ExtractError} As {@linkcode readXml}, and `too_large` if it has too many elements.
 */
export function parseXml(text: string, depth: number): XmlElement {
  const root: Growing = { name: "", attributes: {}, children: [] };
  const stack = [root];
  let count = 0;
  const steps = readXml(text, depth, {
    open(name, attributes) {
      if (++count > LIMITS.xmlElements) {
        throw new ExtractError(
          "too_large",
          `The file has more than ${LIMITS.xmlElements} elements; split it.`,
        );
      }
      const element: Growing = { name, attributes, children: [] };
      stack.at(-1)?.children.push(element);
      stack.push(element);
    },
    text: (words) => stack.at(-1)?.children.push(words),
    close: () => stack.pop(),
  });
  for (const _ of steps);
  const found = root.children.find(isXmlElement);
  if (found === undefined) {
    throw new ExtractError("corrupted", "The file holds XML without elements.");
  }
  return found;
}

/** Says whether a child is an element. */
export function isXmlElement(child: XmlElement | string): child is XmlElement {
  return typeof child !== "string";
}

/** Value of an attribute by its name without prefix; one without a prefix comes first. */
export function attr(
  { attributes }: { readonly attributes: XmlAttributes },
  name: string,
): string | undefined {
  return attributes[name] ?? prefixedAttr({ attributes }, name);
}

/** Value of the attribute that has a prefix and this name, as `r:id` beside `id`. */
export function prefixedAttr(
  { attributes }: { readonly attributes: XmlAttributes },
  name: string,
): string | undefined {
  const key = Object.keys(attributes).find((one) => one.endsWith(`:${name}`));
  return key === undefined ? undefined : attributes[key];
}

/** Children that are elements, of one name if it is given. */
export function childrenOf(element: XmlElement, name?: string): XmlElement[] {
  return element.children.filter(isXmlElement).filter((child) =>
    name === undefined || child.name === name
  );
}

/** Goes down by names; `undefined` if one is not there. */
export function findPath(
  element: XmlElement | undefined,
  ...names: readonly string[]
): XmlElement | undefined {
  let at = element;
  for (const name of names) {
    at = at?.children.find((child): child is XmlElement =>
      isXmlElement(child) && child.name === name
    );
  }
  return at;
}

/** All elements of a name below one, in order. */
export function* descendantsOf(
  root: XmlElement,
  name: string,
): Generator<XmlElement> {
  const stack = childrenOf(root).reverse();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (at.name === name) yield at;
    stack.push(...childrenOf(at).reverse());
  }
}

/** All words in an element. */
export function wordsOf(root: XmlElement | undefined): string {
  if (root === undefined) return "";
  const parts: string[] = [];
  const stack = root.children.toReversed();
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    if (typeof at === "string") parts.push(at);
    else for (const child of at.children.toReversed()) stack.push(child);
  }
  return parts.join("");
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}
