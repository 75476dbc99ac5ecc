import {
  attribute,
  elementsOf,
  findElement,
  type HtmlElement,
  isElement,
} from "./html_tree.ts";

/** Elements that show no text of the page. */
const INVISIBLE: ReadonlySet<string> = new Set(
  ("script style noscript template head iframe object embed canvas audio video map " +
    "button input select textarea option svg dialog").split(" "),
);

/** Roles of what stands around the content of a page. */
const AROUND_ROLES: ReadonlySet<string> = new Set([
  "navigation",
  "banner",
  "contentinfo",
  "search",
  "menu",
  "menubar",
  "dialog",
]);

/** Names that sites give to what stands around their content. */
const AROUND_NAMES =
  /(?:^|[\s_-])(?:nav(?:bar|igation)?|menu|sidebar|side-?bar|breadcrumbs?|toc|cookies?|consent|footer|ads?|advert\w*|sponsor\w*|share|sharing|social|related|newsletter|subscribe|pagination|pager|skip-?link|edit-?section|editsection)(?:$|[\s_-])/i;

/** Share of words in links above which a part with such a name is dropped. */
const LINK_SHARE = 0.4;
/** Below so many characters it is dropped whatever it holds. */
const SHORT_CHARS = 120;
/** Part of the words of a page that its main element must have. */
const MAIN_SHARE = 0.3;

/** How many characters of words an element has, and how many of them in links. */
interface Amount {
  readonly chars: number;
  readonly linkChars: number;
}

/** Decides what of a page is content. */
export class MainContent {
  readonly #amounts = new Map<HtmlElement, Amount>();
  /** Where the content is. */
  readonly root: HtmlElement;

  /** Measures a page and finds the element that has its content. */
  constructor(html: HtmlElement) {
    const body = findElement(html, "body") ?? html;
    this.#measure(html);
    this.root = this.#pick(body);
  }

  /** Says whether an element shows nothing that belongs to the content. */
  isAround(element: HtmlElement): boolean {
    const { tagName } = element;
    if (isInvisible(element)) return true;
    if (tagName === "nav" || AROUND_ROLES.has(attribute(element, "role"))) {
      return true;
    }
    if (tagName === "footer") return true;
    if (tagName === "header") return !hasHeading(element);
    // The name of a heading is made of its words, such as "related-links".
    if (/^h[1-6]$/.test(tagName)) return false;
    const isNamed = AROUND_NAMES.test(
      `${attribute(element, "class")} ${attribute(element, "id")}`,
    );
    if (!isNamed && tagName !== "aside") return false;
    const { chars, linkChars } = this.#amountOf(element);
    return linkChars > chars * LINK_SHARE || (isNamed && chars < SHORT_CHARS);
  }

  #amountOf(element: HtmlElement): Amount {
    return this.#amounts.get(element) ?? { chars: 0, linkChars: 0 };
  }

  /** Measures elements from the innermost outwards. */
  #measure(html: HtmlElement): void {
    const all = [html, ...elementsOf(html)];
    for (const element of all.toReversed()) {
      if (isInvisible(element)) continue;
      let chars = 0;
      let linkChars = 0;
      for (const child of element.childNodes) {
        if ("value" in child) chars += child.value.trim().length;
        else if (isElement(child)) {
          const amount = this.#amountOf(child);
          chars += amount.chars;
          linkChars += amount.linkChars;
        }
      }
      this.#amounts.set(element, {
        chars,
        linkChars: element.tagName === "a" ? chars : linkChars,
      });
    }
  }

  /** The main element, or the only article, if most of the words are in it. */
  #pick(body: HtmlElement): HtmlElement {
    const enough = this.#amountOf(body).chars * MAIN_SHARE;
    const all = [...elementsOf(body)];
    const mains = all.filter((element) =>
      element.tagName === "main" || attribute(element, "role") === "main"
    );
    const articles = all.filter(({ tagName }) => tagName === "article");
    const [main] = mains;
    if (main !== undefined && this.#amountOf(main).chars >= enough) return main;
    const [article] = articles;
    return articles.length === 1 && article !== undefined &&
        this.#amountOf(article).chars >= enough
      ? article
      : body;
  }
}

/** Says whether a browser would show nothing of an element, or nothing that can be read. */
export function isInvisible(element: HtmlElement): boolean {
  return INVISIBLE.has(element.tagName) ||
    element.attrs.some(({ name, value }) =>
      (name === "hidden" && value !== "until-found") ||
      (name === "aria-hidden" && value === "true") ||
      (name === "style" && /display\s*:\s*none/i.test(value))
    );
}

/** Says whether an element holds the heading of a page. */
function hasHeading(element: HtmlElement): boolean {
  for (const { tagName } of elementsOf(element)) {
    if (tagName === "h1" || tagName === "h2") return true;
  }
  return false;
}
