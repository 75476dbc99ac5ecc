import MarkdownIt, {
  type Env,
  type MarkdownIt as Parser,
  type StateInline,
  type Token,
} from "markdown-it";

/** Reads `[[target#heading|alias]]` and `![[target]]`, which Markdown itself does not know. */
function readWikiLink(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const isEmbed = src.charCodeAt(pos) === 0x21;
  const open = isEmbed ? pos + 1 : pos;
  if (src.charCodeAt(open) !== 0x5b || src.charCodeAt(open + 1) !== 0x5b) {
    return false;
  }
  let close = open + 2;
  for (; close < state.posMax; close++) {
    const unit = src.charCodeAt(close);
    if (unit === 0x5d) break;
    if (unit === 0x5b || unit === 0x0a) return false;
  }
  if (close + 1 >= state.posMax || src.charCodeAt(close + 1) !== 0x5d) {
    return false;
  }
  const inner = src.slice(open + 2, close);
  const bar = inner.indexOf("|");
  // In a table the bar before the alias is written with a backslash.
  const target = (bar === -1 ? inner : inner.slice(0, bar)).replace(/\\$/, "")
    .trim();
  if (target === "") return false;
  if (!silent) {
    const token = state.push("wikilink", "", 0);
    token.content = bar === -1 ? target : inner.slice(bar + 1).trim();
    token.meta = { ...token.meta, target, isEmbed };
  }
  state.pos = close + 2;
  return true;
}

/** Makes the parser: blocks only by `parse()`, inline on request, targets left as written. */
function createParser(): Parser {
  const parser = new MarkdownIt("default", {
    html: true,
    linkify: false,
    typographer: false,
  });
  parser.core.ruler.disable([
    "inline",
    "linkify",
    "replacements",
    "smartquotes",
    "text_join",
  ]);
  parser.inline.ruler.before("link", "wikilink", readWikiLink);
  parser.normalizeLink = keepTarget;
  // Every token remembers where it began, as links are reported with their line.
  const Base = parser.inline.State;
  parser.inline.State = class extends Base {
    override pushPending(): Token {
      const token = super.pushPending();
      token.meta = { pos: this.pos - token.content.length };
      return token;
    }
    override push(type: string, tag: string, nesting: -1 | 0 | 1): Token {
      const token = super.push(type, tag, nesting);
      if (nesting >= 0) token.meta = { pos: this.pos };
      return token;
    }
  };
  parser.inline.ruler2.before("fragments_join", "keep_pos", keepFirstPos);
  return parser;
}

/** Hands the place of a text on to the texts that touch it, as the last one stands for them all. */
function keepFirstPos({ tokens }: StateInline): void {
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (token.type === "text" && before?.type === "text") {
      token.meta = before.meta;
    }
  }
}

/** Keeps a link target as written instead of percent-encoding it. */
function keepTarget(target: string): string {
  return target;
}

const PARSER = createParser();

/** The block structure of a Markdown text. */
export interface MarkdownBlocks {
  /** Block tokens; those of type `inline` have no children yet. */
  readonly tokens: readonly Token[];
  /** Link definitions, to be handed to `parseInline()`. */
  readonly env: Env;
  /** Whether the text defines links, so that `[text]` alone can be one. */
  readonly hasDefinitions: boolean;
}

/** Reads the block structure of a Markdown text with LF line ends. */
export function parseBlocks(text: string): MarkdownBlocks {
  const env: Env = {};
  const tokens = PARSER.parse(text, env);
  const { references } = env;
  return {
    tokens,
    env,
    hasDefinitions: references !== undefined &&
      Object.keys(references).length > 0,
  };
}

/** Reads the inline structure of one block; `token.meta.pos` is the offset a token began at. */
export function parseInline(content: string, env: Env): Token[] {
  const tokens: Token[] = [];
  PARSER.inline.parse(content, PARSER, env, tokens);
  return tokens;
}

const MARKUP = /[*_`[\]<&\\~!]/;

/** Takes the markup out of a line of Markdown, e.g. of a heading. */
export function toPlainText(content: string, env: Env): string {
  if (!MARKUP.test(content)) return content;
  return joinText(parseInline(content, env));
}

/** Joins the text of inline tokens; line breaks become spaces, HTML tags nothing. */
export function joinText(tokens: readonly Token[]): string {
  let text = "";
  for (const token of tokens) {
    if (token.type === "softbreak" || token.type === "hardbreak") text += " ";
    else if (token.type === "image") text += joinText(token.children ?? []);
    else if (token.type !== "html_inline") text += token.content;
  }
  return text;
}
