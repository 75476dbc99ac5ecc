import { cleanTitle } from "../frontmatter.ts";
import type { TextSection } from "../types.ts";
import { htmlToSections } from "./html_builder.ts";
import { readFacts } from "./office_facts.ts";
import { Package, resolvePart } from "./package.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";
import {
  attr,
  childrenOf,
  descendantsOf,
  findPath,
  wordsOf,
  type XmlElement,
} from "./xml_tree.ts";

/** Obfuscated fonts are no lock. */
const FONTS = /(?:idpf\.org\/2008\/embedding|adobe\.com\/pdf\/enc#RC)/;

/** Extracts a book: its chapters in the order of reading, by their headings. */
export function extractEpub(input: ExtractInput): Promise<Extracted> {
  const { bytes, limits } = input;
  const parts = new Package(bytes, limits);
  checkLock(parts.findXml("META-INF/encryption.xml"));
  const [rootFile] = descendantsOf(
    parts.getXml("META-INF/container.xml"),
    "rootfile",
  );
  const path = rootFile && attr(rootFile, "full-path") || "";
  const book = parts.getXml(path);
  const facts = readFacts(findPath(book, "metadata"));
  const warnings: string[] = [];
  const sections: TextSection[] = [];
  let chars = 0;
  const labels = readLabels(parts, book, path);
  for (const name of chaptersOf(book, path)) {
    const text = parts.findText(name);
    if (text === undefined) {
      warnings.push(`The chapter ${name} is missing in the book.`);
      continue;
    }
    chars += text.length;
    if (chars > limits.textChars) {
      throw new ExtractError(
        "too_large",
        `The book holds more than ${limits.textChars} characters; split it.`,
      );
    }
    sections.push(
      ...readChapter(text, {
        book: facts.title,
        label: labels.get(name),
        depth: limits.depth,
      }),
    );
  }
  return Promise.resolve({
    ...facts,
    docType: "book",
    tags: [],
    sections,
    warnings,
  });
}

function checkLock(encryption: XmlElement | undefined): void {
  if (encryption === undefined) return;
  for (const method of descendantsOf(encryption, "EncryptionMethod")) {
    if (!FONTS.test(attr(method, "Algorithm") ?? "")) {
      throw new ExtractError(
        "password_required",
        "The book is locked by its seller (DRM); add a copy without that.",
      );
    }
  }
}

/** Names of the parts of a book in the order of reading, its table of contents not among them. */
function chaptersOf(book: XmlElement, path: string): string[] {
  const items = new Map<string, XmlElement>();
  for (const item of descendantsOf(book, "item")) {
    items.set(attr(item, "id") ?? "", item);
  }
  const spine = findPath(book, "spine");
  const names = childrenOf(spine ?? book, "itemref").flatMap((ref) => {
    const item = items.get(attr(ref, "idref") ?? "");
    if (item === undefined) return [];
    const isContents = /\bnav\b/.test(attr(item, "properties") ?? "");
    const isPage = /html|xml/.test(attr(item, "media-type") ?? "html");
    return isContents || !isPage
      ? []
      : [resolvePart(path, decodeTarget(attr(item, "href") ?? ""))];
  });
  return [...new Set(names)];
}

function decodeTarget(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** Elements that XHTML closes in place and HTML does not. */
const CLOSED_IN_PLACE =
  /<((?:title|script|style|a|b|i|em|strong|div|span|p|td|th|li|ul|ol|section|textarea|iframe|h[1-6])\b(?:[^<>"']|"[^"]*"|'[^']*')*)\/>/gi;

/**
 * Reads what the table of contents calls each chapter, by the names of their parts. One that cannot be
 * read names none.
 */
function readLabels(
  parts: Package,
  book: XmlElement,
  path: string,
): Map<string, string> {
  const labels = new Map<string, string>();
  for (const item of descendantsOf(book, "item")) {
    const isNav = /\bnav\b/.test(attr(item, "properties") ?? "");
    if (!isNav && !/dtbncx/.test(attr(item, "media-type") ?? "")) continue;
    const contents = resolvePart(path, decodeTarget(attr(item, "href") ?? ""));
    try {
      const root = parts.findXml(contents);
      for (const [target, label] of root === undefined ? [] : entriesOf(root)) {
        const [file = ""] = decodeTarget(target).split("#", 1);
        const name = resolvePart(contents, file);
        const title = cleanTitle(label);
        if (title !== null && !labels.has(name)) labels.set(name, title);
      }
    } catch (error) {
      if (!(error instanceof ExtractError) || error.state !== "corrupted") {
        throw error;
      }
    }
  }
  return labels;
}

/** Targets and labels of a table of contents, of either kind. */
function* entriesOf(root: XmlElement): Generator<[string, string]> {
  for (const point of descendantsOf(root, "navPoint")) {
    const [content] = childrenOf(point, "content");
    const target = content && attr(content, "src") || "";
    yield [target, wordsOf(findPath(point, "navLabel"))];
  }
  for (const link of descendantsOf(root, "a")) {
    yield [attr(link, "href") ?? "", wordsOf(link)];
  }
}

/** What is known of a chapter besides its text. */
interface ChapterFacts {
  /** Title of the book. */
  readonly book: string | null;
  /** What the table of contents calls it. */
  readonly label: string | undefined;
  readonly depth: number;
}

/**
 * A chapter by its headings; one without any is named by its title, or as the table of contents calls
 * it.
 */
function readChapter(
  text: string,
  { book, label, depth }: ChapterFacts,
): TextSection[] {
  const html = text.replace(/^\s*<\?xml[^>]*\?>/, "").replace(
    CLOSED_IN_PLACE,
    (whole, inner: string) =>
      `<${inner}></${/^\w+/.exec(whole.slice(1))?.[0]}>`,
  );
  const { title, sections } = htmlToSections(html, { depth });
  const name = title === null || title === book
    ? label ?? null
    : cleanTitle(title);
  return sections.map((section) => ({
    ...section,
    ...(section.title === null && name !== null
      ? { title: name, headingPath: [name], level: 1 }
      : {}),
    // A link from chapter to chapter leads to no file.
    links: section.links.filter(({ target }) =>
      /^[a-z][a-z0-9+.-]*:/i.test(target)
    ),
  }));
}
