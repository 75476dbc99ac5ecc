import { normalizeText } from "../preprocess.ts";
import { type Heading, linesOf, toOutlined, toParts } from "./outline.ts";
import type { Extracted, ExtractInput } from "./types.ts";

/** What was found in a text. */
interface Found {
  readonly headings: readonly Heading[];
  readonly title?: string;
  readonly tags?: readonly string[];
}

/** Texts with headings that are cut as they stand, by media type. */
const SCANNERS: Readonly<Record<string, (text: string) => Found>> = {
  "text/x-rst": scanRst,
  "text/asciidoc": scanAsciidoc,
  "text/x-org": scanOrg,
  "text/x-tex": scanTex,
};

/** Extracts reStructuredText, AsciiDoc, Org and LaTeX: one section a heading, the text as it stands. */
export function extractMarkup(
  { text = "", mime }: ExtractInput,
): Promise<Extracted> {
  const normal = normalizeText(text);
  const { headings, title, tags = [] } = SCANNERS[mime]?.(normal) ??
    { headings: [] };
  const parts = toParts(headings);
  // A heading above all others names the text.
  const [top, second] = parts.filter(({ level }) => level === 1);
  return Promise.resolve(toOutlined(normal, parts, {
    mime,
    docType: "text",
    title: title ?? (second === undefined ? top?.title ?? null : null),
    tags,
  }));
}

/** Lines of one repeated punctuation character, as reStructuredText underlines titles. */
const RULE = /^([!-/:-@[-`{-~])\1+\s*$/;

/** Finds titles with a rule below, or above and below; each style of rule is a level, in their order. */
function scanRst(text: string): Found {
  const styles: string[] = [];
  const headings: Heading[] = [];
  const lines = [...linesOf(text)];
  for (let at = 0; at < lines.length; at++) {
    const under = lines[at]?.text ?? "";
    const title = lines[at - 1]?.text ?? "";
    if (!RULE.test(under) || !/^\s*\S/.test(title) || RULE.test(title)) {
      continue;
    }
    const over = lines[at - 2]?.text ?? "";
    const isOver = RULE.test(over) && over.trimEnd() === under.trimEnd();
    // A title without a rule above stands behind a blank line, in the first column.
    if (!isOver && (over.trim() !== "" || /^\s|^\.\. /.test(title))) continue;
    const length = under.trimEnd().length;
    if (length < title.trimEnd().length && length < 4) continue;
    const style = `${under[0]}${isOver ? "2" : "1"}`;
    if (!styles.includes(style)) styles.push(style);
    headings.push({
      start: lines[isOver ? at - 2 : at - 1]?.start ?? 0,
      level: styles.indexOf(style) + 1,
      title: title.replace(
        /``([^`]*)``|:[\w-]+:`([^`<]*)[^`]*`|`([^`<]*)[^`]*`_{0,2}/g,
        "$1$2$3",
      ).trim(),
    });
  }
  return { headings };
}

/** Finds titles that begin with `=`, outside of blocks between two equal lines. */
function scanAsciidoc(text: string): Found {
  const headings: Heading[] = [];
  let fence: string | undefined;
  for (const line of linesOf(text)) {
    const end = line.text.trimEnd();
    if (
      /^(?:-{4,}|\.{4,}|={4,}|\*{4,}|\+{4,}|_{4,}|\/{4,}|`{3,}|\|={3,})$/.test(
        end,
      )
    ) {
      if (fence === undefined) fence = end;
      else if (fence === end) fence = undefined;
      continue;
    }
    if (fence !== undefined) continue;
    const [, marks = "", title = ""] = /^(={1,6}|#{1,6})\s+(\S.*)$/.exec(end) ??
      [];
    if (marks === "") continue;
    headings.push({
      start: line.start,
      level: marks.length,
      title: title.replace(/\s(?:=+|#+)$/, "").replace(
        /[`*_+]{1,2}([^`*_+]+)[`*_+]{1,2}/g,
        "$1",
      ),
    });
  }
  return { headings };
}

/** Finds lines that begin with stars, outside of blocks; keywords and tags are no part of a title. */
function scanOrg(text: string): Found {
  const headings: Heading[] = [];
  const tags = new Set<string>();
  let title: string | undefined;
  let block: string | undefined;
  for (const line of linesOf(text)) {
    const [, edge = "", name = ""] =
      /^\s*#\+(begin|end)_(\w+)/i.exec(line.text) ?? [];
    if (edge.toLowerCase() === "begin") block ??= name.toLowerCase();
    else if (edge !== "" && block === name.toLowerCase()) block = undefined;
    if (block !== undefined) continue;
    const [, key = "", value = ""] =
      /^#\+(title|filetags):\s*(\S.*?)\s*$/i.exec(line.text) ?? [];
    if (key.toLowerCase() === "title") title ??= value;
    else if (key !== "") {
      for (const tag of value.split(":")) {
        if (tag.trim() !== "") tags.add(tag.trim());
      }
    }
    const [, stars = "", words = ""] = /^(\*+) +(\S.*)$/.exec(line.text) ?? [];
    if (stars === "") continue;
    headings.push({
      start: line.start,
      level: stars.length,
      title: words.replace(/^(?:TODO|DONE|NEXT|WAITING|CANCELLED)\s+/, "")
        .replace(/^\[#[A-Z]\]\s+/, "").replace(/\s+:[\w@#%:]+:\s*$/, "")
        .replace(/\[\[(?:[^\]]*\]\[)?([^\]]*)\]\]/g, "$1"),
    });
  }
  return {
    headings,
    tags: [...tags],
    ...(title === undefined ? {} : { title }),
  };
}

const TEX_LEVELS = [
  "part",
  "chapter",
  "section",
  "subsection",
  "subsubsection",
  "paragraph",
];
const TEX_HEADING =
  /^\s*\\(part|chapter|section|subsection|subsubsection|paragraph)\*?\s*(?:\[[^\]]*\]\s*)?\{/;
const TEX_RAW =
  /\\(begin|end)\{(verbatim|lstlisting|minted|comment|Verbatim)\*?\}/;

/** Finds `\section{…}` and its kin at the start of lines, outside of comments and verbatim text. */
function scanTex(text: string): Found {
  const headings: Heading[] = [];
  let title: string | undefined;
  let raw: string | undefined;
  for (const line of linesOf(text)) {
    const [, edge, name] = TEX_RAW.exec(line.text) ?? [];
    if (edge === "begin") raw ??= name;
    else if (edge === "end" && raw === name) raw = undefined;
    if (raw !== undefined) continue;
    const named = /^\s*\\title\s*(?:\[[^\]]*\]\s*)?\{/.exec(line.text);
    if (named !== null) {
      title ??= plainTex(braced(text, line.start + named[0].length));
    }
    const found = TEX_HEADING.exec(line.text);
    if (found === null) continue;
    headings.push({
      start: line.start,
      level: TEX_LEVELS.indexOf(found[1] ?? "") + 1,
      title: plainTex(braced(text, line.start + found[0].length)),
    });
  }
  return { headings, ...(title ? { title } : {}) };
}

/** Longest argument of a command that is read as a title, in UTF-16 units. */
const ARGUMENT_CHARS = 500;

/** The text up to the brace that closes one that is open. */
function braced(text: string, start: number): string {
  let open = 1;
  const end = Math.min(text.length, start + ARGUMENT_CHARS);
  for (let at = start; at < end; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "{") open++;
    else if (char === "}" && --open === 0) return text.slice(start, at);
  }
  return text.slice(start, text.indexOf("\n", start) >>> 0);
}

/** Takes one argument of each command that has two: the plain one, and the words of a link. */
function takeSecond(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (const found of text.matchAll(/\\(?:texorpdfstring|href)\s*\{/g)) {
    if (found.index < from) continue;
    const first = found.index + found[0].length;
    const second = first + braced(text, first).length + 1;
    if (text[second] !== "{") continue;
    const words = braced(text, second + 1);
    parts.push(text.slice(from, found.index), words);
    from = second + 1 + words.length + 1;
  }
  return parts.join("") + text.slice(from);
}

/** Takes the commands out of a title. */
function plainTex(text: string): string {
  return takeSecond(text).replace(
    /\\(?:label|footnote|thanks|index)\{[^{}]*\}/g,
    "",
  )
    .replace(/\\\\(?:\[[^\]]*\])?/g, " ")
    .replace(/\\([&%$#_{}])/g, "$1").replace(/\\[a-zA-Z]+\*?\s?/g, "")
    .replace(/[{}]/g, "").replace(/~/g, " ").replace(/\s+/g, " ").trim();
}
