import type { DocumentId } from "../core/mod.ts";
import {
  type EmbedMark,
  findMarks,
  type HeadingMark,
  withoutFrontmatter,
} from "../text/mod.ts";
import { toAgentBlocks } from "./agent.ts";
import {
  clampLevel,
  shiftHeading,
  toFence,
  toHeading,
  toLabel,
  toLanguage,
} from "./markdown.ts";
import { toImageBlocks } from "./image.ts";
import type { ComposeScope } from "./scope.ts";
import { toSkillBlocks } from "./skill.ts";
import type {
  ComposeDocument,
  ComposeItem,
  ComposeSection,
  EmbedPlace,
  PlacedComposeSection,
} from "./types.ts";

/** Sections read at a time. */
const PAGE = 200;

/** Composes a document whose headings begin at a level. */
export function* composeDocument(
  scope: ComposeScope,
  document: ComposeDocument,
  level: number,
): Generator<string> {
  const item: ComposeItem = { kind: "document", document };
  yield* scope.write(
    item,
    document.docType === "agent"
      ? toAgentBlocks(scope.reader, document, level)
      : composeText(scope, document, level),
  );
}

/** The sections of a document, read page by page. */
function* listAll(
  scope: ComposeScope,
  id: DocumentId,
): Generator<PlacedComposeSection> {
  for (let from = 0;;) {
    const page = scope.reader.listSections(id, from, PAGE);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = last.position + 1;
  }
}

/** Composes a document of text. */
function* composeText(
  scope: ComposeScope,
  document: ComposeDocument,
  level: number,
): Generator<string> {
  const { hasTitle, topLevel } = measure(scope, document);
  if (!hasTitle) yield toHeading(level, document.title);
  const first = hasTitle ? level : level + 1;
  const shift = first - topLevel;
  let open: readonly string[] = [];
  for (const section of listAll(scope, document.id)) {
    const path = pathOf(section, hasTitle ? undefined : document.title);
    const text = readText(scope, section);
    const known = showsTitle(section, text) && path.at(-1) === section.title
      ? path.slice(0, -1)
      : path;
    const missing = known.findIndex((title, depth) => open[depth] !== title);
    if (missing !== -1) {
      for (let depth = missing; depth < known.length; depth++) {
        yield toHeading(first + depth, known[depth] ?? "");
      }
    }
    open = path;
    // Under a heading that its text does not have, the text's own headings go deeper.
    const around = first + path.length - 1;
    const top = topLevelOf(text) + shift;
    const extra = missing !== -1 && known === path && top <= around
      ? around + 1 - top
      : 0;
    const item: ComposeItem = {
      kind: "section",
      section,
      documentId: document.id,
    };
    yield* scope.write(
      item,
      renderSection(scope, item, {
        text,
        shift: shift + extra,
        level: standsForItself(section) ? first + known.length : around,
      }),
    );
  }
}

/** The highest level of a text's headings; 6 if it has none. */
function topLevelOf(text: MarkedText | undefined): number {
  return (text?.headings ?? []).reduce(
    (highest, { level }) => Math.min(highest, level),
    6,
  );
}

/** Whether a document's text begins with its title, and the highest level of its headings. */
function measure(
  scope: ComposeScope,
  document: ComposeDocument,
): { hasTitle: boolean; topLevel: number } {
  let hasTitle = false;
  let topLevel = Number.POSITIVE_INFINITY;
  let isFirst = true;
  for (const section of listAll(scope, document.id)) {
    const text = readText(scope, section);
    const [heading] = text?.headings ?? [];
    if (isFirst && text?.startsWithHeading === true) {
      hasTitle = isSame(heading?.title, document.title);
    }
    isFirst = false;
    if (text !== undefined && text.headings.length > 0) {
      topLevel = Math.min(topLevel, topLevelOf(text));
    }
    // No heading can stand higher, so the rest need not be read twice.
    if (topLevel === 1) break;
  }
  return { hasTitle, topLevel: Number.isFinite(topLevel) ? topLevel : 1 };
}

/** Says whether two titles are alike; a link in one may be written with its brackets. */
function isSame(a: string | null | undefined, b: string): boolean {
  const [one, other] = [a ?? "", b].map((title) =>
    title.replace(/[[\]]/g, "").replace(/\s+/g, " ").trim()
  );
  return one === other;
}

/** Says whether what a section says begins with its title, or needs none. */
function showsTitle(
  section: ComposeSection,
  text: MarkedText | undefined,
): boolean {
  if (text === undefined) return standsForItself(section);
  const { title } = section;
  return text.startsWithHeading &&
    (title === null || isSame(text.headings[0]?.title, title));
}

/** The headings a section stands under, the document's title taken off where it is written already. */
function pathOf(
  { headingPath, title, sectionType }: PlacedComposeSection,
  written: string | undefined,
): readonly string[] {
  const own = title === null || sectionType === "skill" ||
      sectionType.startsWith("image/")
    ? []
    : [title];
  const path = headingPath.length === 0 ? own : headingPath;
  return written !== undefined && path[0] !== undefined &&
      isSame(path[0], written)
    ? path.slice(1)
    : path;
}

/** Says whether a section shows its title in its own way. */
function standsForItself({ sectionType }: ComposeSection): boolean {
  return sectionType === "skill" || sectionType.startsWith("image/");
}

/** Composes a section on its own, whose headings begin at a level. */
export function* composeSection(
  scope: ComposeScope,
  item: ComposeItem & { kind: "section" },
  level: number,
): Generator<string> {
  const { section } = item;
  const text = readText(scope, section);
  const isTitled = section.title === null || showsTitle(section, text);
  const first = isTitled ? level : level + 1;
  if (!isTitled) yield toHeading(level, section.title ?? "");
  yield* scope.write(
    item,
    renderSection(scope, item, {
      text,
      shift: first - topLevelOf(text),
      level: isTitled && !standsForItself(section) ? level - 1 : level,
    }),
  );
}

/** A Markdown text with what has to be changed in it. */
interface MarkedText {
  readonly body: string;
  readonly headings: readonly HeadingMark[];
  readonly embeds: readonly EmbedMark[];
  readonly startsWithHeading: boolean;
}

/** Reads a Markdown section; `undefined` for one of another type. */
function readText(
  scope: ComposeScope,
  { id, sectionType }: ComposeSection,
): MarkedText | undefined {
  if (sectionType !== "text/markdown") return undefined;
  const content = scope.reader.readContent(id);
  if (typeof content !== "string") return undefined;
  const body = withoutFrontmatter(content);
  const marks = findMarks(body);
  return { body, ...marks, startsWithHeading: marks.headings[0]?.start === 0 };
}

interface RenderOptions {
  /** The section's text, if it is Markdown. */
  readonly text: MarkedText | undefined;
  /** Added to the level of each heading. */
  readonly shift: number;
  /** Level of the heading the section stands under, or of its own. */
  readonly level: number;
}

/** Writes what a section says. */
function* renderSection(
  scope: ComposeScope,
  item: ComposeItem & { kind: "section" },
  options: RenderOptions,
): Generator<string> {
  const { section, documentId } = item;
  if (options.text !== undefined) {
    const place = { documentId, sectionId: section.id };
    return yield* renderText(scope, options.text, place, options);
  }
  if (section.sectionType.startsWith("image/")) {
    return yield* toImageBlocks(section, scope.reader);
  }
  const content = scope.reader.readContent(section.id);
  if (typeof content !== "string") {
    yield `[${section.sectionType}, ${section.size} bytes](kbdb://section/${section.kbid})`;
  } else if (section.sectionType === "skill") {
    yield* toSkillBlocks(content, section.title, options.level);
  } else {
    const language = toLanguage(section.sectionType);
    const text = language === undefined ? content : toFence(content, language);
    if (text !== "") yield text;
  }
}

/** Writes a Markdown text, its headings shifted and its embedding lines replaced. */
function* renderText(
  scope: ComposeScope,
  { body, headings, embeds }: MarkedText,
  place: EmbedPlace,
  { shift, level }: RenderOptions,
): Generator<string> {
  const marks = [...headings, ...embeds].sort((a, b) => a.start - b.start);
  let parts: string[] = [];
  let at = 0;
  let around = level;
  for (const mark of marks) {
    parts.push(body.slice(at, mark.start));
    at = mark.end;
    if ("level" in mark) {
      around = clampLevel(mark.level + shift);
      parts.push(shiftHeading(body.slice(mark.start, mark.end), mark, shift));
      continue;
    }
    yield* toBlock(parts.join(""));
    parts = [];
    yield* embed(scope, mark.target, place, clampLevel(around + 1));
  }
  yield* toBlock(parts.join("") + body.slice(at));
}

/** A text without blank lines around it; nothing if it is blank. */
function* toBlock(text: string): Generator<string> {
  const block = text.replace(/^(?:[ \t]*\n)+/, "").trimEnd();
  if (block !== "") yield block;
}

/** Writes what a line embeds, or a link that says why not. */
function* embed(
  scope: ComposeScope,
  target: string,
  place: EmbedPlace,
  level: number,
): Generator<string> {
  const item = scope.reader.findEmbedded(target, place);
  if (item.kind === "missing") {
    return yield `\`![[${target}]]\` (not embedded: ${item.reason})`;
  }
  const refusal = scope.refuse(item);
  if (refusal !== undefined) return yield `${toLink(item)} (${refusal})`;
  yield* scope.embed(
    item.kind === "document"
      ? composeDocument(scope, item.document, level)
      : composeSection(scope, item, level),
  );
}

function toLink(item: ComposeItem): string {
  return item.kind === "document"
    ? `[${toLabel(item.document.title)}](kbdb://document/${
      encodeURIComponent(item.document.docid)
    })`
    : `[${
      toLabel(item.section.title ?? "section")
    }](kbdb://section/${item.section.kbid})`;
}
