import { getDocument } from "unpdf/pdfjs";
import { cleanTitle } from "../frontmatter.ts";
import type { TextSection } from "../types.ts";
import { toFacts } from "./pdf_facts.ts";
import {
  joinRuns,
  joinWords,
  orderRuns,
  type PdfLine,
  toLines,
} from "./pdf_layout.ts";
import { type Heading, toParts } from "./outline.ts";
import { checkPdfStreams } from "./pdf_streams.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";

/** Fewest pages that tell what is repeated on each. */
const REPEATED_PAGES = 3;

type PdfDocument = Awaited<ReturnType<typeof getDocument>["promise"]>;
type OutlineNode = NonNullable<
  Awaited<ReturnType<PdfDocument["getOutline"]>>
>[number];

/** An entry of the outline and the page it leads to. */
interface Mark {
  readonly title: string;
  readonly level: number;
  /** From 1. */
  readonly page: number;
  /** Height on the page at which it leads there, in points from below. */
  readonly top: number | undefined;
}

/**
 * Extracts a PDF: its text in reading order, one section a page and entry of the outline. Nothing in
 * the file is run or loaded from elsewhere.
 */
export async function extractPdf(input: ExtractInput): Promise<Extracted> {
  checkPdfStreams(input.bytes, input.limits.inflatedBytes);
  const missing = new Set<string>();
  const task = getDocument({
    BinaryDataFactory: toMissingData(missing),
    useWorkerFetch: false,
    // The library takes the bytes it is given for its own, and refuses a Buffer.
    data: new Uint8Array(input.bytes),
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    stopAtErrors: false,
    enableXfa: false,
  });
  try {
    return await readDocument(await task.promise, input, missing);
  } catch (error) {
    throw toExtractError(error);
  } finally {
    await task.destroy();
  }
}

/**
 * Stands for the tables of characters that a PDF may name instead of holding them, and which are not
 * part of kbdb; keeps the names of those a file asks for.
 */
function toMissingData(missing: Set<string>): new () => unknown {
  return class {
    fetch({ kind, filename }: { kind?: string; filename?: string }): Promise<
      never
    > {
      if (kind === "cMapUrl" && filename !== undefined) {
        missing.add(filename.replace(/\.bcmap$/, ""));
      }
      return Promise.reject(new Error("Not part of kbdb"));
    }
  };
}

function toExtractError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof ExtractError) return error;
  return error.name === "PasswordException"
    ? new ExtractError(
      "password_required",
      "The PDF opens only with a password; add a copy without one.",
      error,
    )
    : new ExtractError(
      "corrupted",
      "The PDF is damaged; make it anew.",
      error,
    );
}

async function readDocument(
  document: PdfDocument,
  { limits }: ExtractInput,
  missing: ReadonlySet<string>,
): Promise<Extracted> {
  const { numPages } = document;
  if (numPages > limits.pages) {
    throw new ExtractError(
      "too_large",
      `The PDF has ${numPages} pages, the limit is ${limits.pages}; split it.`,
    );
  }
  const pages: PdfLine[][] = [];
  let chars = 0;
  for (let number = 1; number <= numPages; number++) {
    const lines = await readPage(document, number);
    chars += lines.reduce((sum, { text }) => sum + text.length, 0);
    if (chars > limits.textChars) {
      throw new ExtractError(
        "too_large",
        `The PDF holds more than ${limits.textChars} characters; split it.`,
      );
    }
    pages.push(lines);
  }
  const tables = [...missing].toSorted().join(", ");
  if (chars === 0 && tables !== "") {
    throw new ExtractError(
      "unsupported",
      `The PDF writes its text by tables that are not in it (${tables}); save it with its fonts embedded.`,
    );
  }
  if (chars === 0) {
    throw new ExtractError(
      "no_text",
      "The PDF holds no text, as scans do; recognise its text first (OCR).",
    );
  }
  const empty = pages.filter((lines) => lines.length === 0).length;
  const { kept, warnings } = dropRepeated(pages);
  const marks = await readOutline(document, limits.entries);
  if (tables !== "") {
    warnings.push(
      `Text by tables that are not in the PDF is left out: ${tables}.`,
    );
  }
  if (empty > 0) warnings.push(`${empty} of ${numPages} pages hold no text.`);
  return {
    ...toFacts(document.numPages, (await document.getMetadata()).info),
    docType: "pdf",
    tags: [],
    sections: toPdfSections(kept, marks),
    warnings,
  };
}

async function readPage(
  document: PdfDocument,
  number: number,
): Promise<PdfLine[]> {
  const page = await document.getPage(number);
  const { items } = await page.getTextContent();
  page.cleanup();
  const runs = joinRuns(items.flatMap((item) => {
    if (!("str" in item) || item.str === "") return [];
    const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = item.transform;
    return [{
      text: clean(item.str),
      x,
      y,
      width: item.width,
      size: item.height || Math.hypot(c, d) || Math.hypot(a, b) || 1,
    }];
  }));
  return toLines(orderRuns(runs));
}

/** Writes ligatures as letters, and takes out what no text holds. */
function clean(text: string): string {
  return text.replace(/[\ufb00-\ufb06]/g, (char) => char.normalize("NFKC"))
    // deno-lint-ignore no-control-regex -- control characters are what is taken out
    .replace(/[\x00-\x08\x0e-\x1f]/g, "").toWellFormed();
}

/** Takes out first and last lines that stand on most pages, with whatever numbers in them. */
function dropRepeated(
  pages: readonly (readonly PdfLine[])[],
): { kept: PdfLine[][]; warnings: string[] } {
  const counts = new Map<string, number>();
  for (const lines of pages) {
    for (const key of new Set(edgesOf(lines).map(keyOf))) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  const least = Math.max(REPEATED_PAGES, pages.length * 0.6);
  const repeated = new Set<string>();
  const examples: string[] = [];
  const kept = pages.map((lines) => {
    const edges = new Set(
      edgesOf(lines).filter((line) => (counts.get(keyOf(line)) ?? 0) >= least),
    );
    for (const line of edges) {
      if (!repeated.has(keyOf(line))) examples.push(line.text.slice(0, 80));
      repeated.add(keyOf(line));
    }
    return lines.filter((line) => !edges.has(line));
  });
  const isAll = kept.every((lines) => lines.length === 0);
  if (isAll || examples.length === 0) {
    return { kept: pages.map((lines) => [...lines]), warnings: [] };
  }
  const quoted = examples.map((text) => JSON.stringify(text)).join(", ");
  return {
    kept,
    warnings: [`Lines that repeat on each page are left out: ${quoted}.`],
  };
}

/** The topmost and the lowest line. */
function edgesOf(lines: readonly PdfLine[]): PdfLine[] {
  const [first] = lines;
  if (first === undefined) return [];
  let top = first;
  let bottom = first;
  for (const line of lines) {
    if (line.y > top.y) top = line;
    if (line.y < bottom.y) bottom = line;
  }
  return top === bottom ? [top] : [top, bottom];
}

function keyOf({ text, y }: PdfLine): string {
  return `${Math.round(y / 3)} ${text.replace(/\d+/g, "#")}`;
}

/** Reads where the outline leads to; an entry that leads to no page holds no text. */
async function readOutline(
  document: PdfDocument,
  max: number,
): Promise<Mark[]> {
  const marks: Mark[] = [];
  const stack: { node: OutlineNode; level: number }[] = [];
  function push(nodes: readonly OutlineNode[], level: number): void {
    for (const node of nodes.toReversed()) stack.push({ node, level });
  }
  push(await document.getOutline() ?? [], 1);
  for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
    const { node, level } = at;
    const place = await findPlace(document, node.dest);
    const title = cleanTitle(node.title.toWellFormed());
    if (place !== undefined && title !== null) {
      marks.push({ title, level, ...place });
    }
    if (marks.length > max) {
      throw new ExtractError(
        "too_large",
        `The outline of the PDF has more than ${max} entries; split it.`,
      );
    }
    push(node.items, level + 1);
  }
  return marks.toSorted((a, b) => a.page - b.page);
}

async function findPlace(
  document: PdfDocument,
  dest: OutlineNode["dest"],
): Promise<Pick<Mark, "page" | "top"> | undefined> {
  try {
    const found = typeof dest === "string"
      ? await document.getDestination(dest)
      : dest;
    const [target, ...view]: unknown[] = found ?? [];
    const top = topOf(view);
    if (typeof target === "number") return { page: target + 1, top };
    if (typeof target !== "object" || target === null) return undefined;
    if (!("num" in target) || !("gen" in target)) return undefined;
    const { num, gen } = target;
    if (typeof num !== "number" || typeof gen !== "number") return undefined;
    return { page: await document.getPageIndex({ num, gen }) + 1, top };
  } catch {
    // A destination that is not there: the entry says nothing of where its text is.
    return undefined;
  }
}

/** Height a view of a page begins at: `/XYZ left top zoom` or `/FitH top`. */
function topOf([kind, ...values]: readonly unknown[]): number | undefined {
  const name = typeof kind === "object" && kind !== null && "name" in kind
    ? kind.name
    : "";
  const top = name === "XYZ" ? values[1] : name === "FitH" ? values[0] : 0;
  return typeof top === "number" && top > 0 ? top : undefined;
}

/** Cuts each page at the titles of the outline that lead to it. */
function toPdfSections(
  pages: readonly (readonly PdfLine[])[],
  marks: readonly Mark[],
): TextSection[] {
  const compounds = new Set<string>();
  for (const lines of pages) {
    for (const { text } of lines) {
      for (const [word] of text.matchAll(/\p{L}+-\p{L}+/gu)) {
        compounds.add(word.toLowerCase());
      }
    }
  }
  const headings: Heading[] = marks.map(({ title, level }) => ({
    title,
    level,
    start: 0,
  }));
  const parts = toParts(headings);
  const sections: TextSection[] = [];
  let next = 0;
  for (const [index, lines] of pages.entries()) {
    const page = index + 1;
    let from = 0;
    const add = (to: number): void => {
      const part = parts[next - 1];
      sections.push({
        title: part?.title ?? null,
        headingPath: part?.headingPath ?? [],
        level: part?.level ?? 0,
        content: joinWords(toText(lines.slice(from, to)), compounds),
        mime: "text/plain",
        lineStart: 1,
        lineEnd: 1,
        page,
        links: [],
      });
      from = to;
    };
    for (; (marks[next]?.page ?? Infinity) <= page; next++) {
      const at = findMark(lines, marks[next], from);
      if (at > from) add(at);
    }
    add(lines.length);
  }
  return sections.filter(({ content }) => content !== "");
}

/** The line at which a title stands, else the one it leads to, else `from`. */
function findMark(
  lines: readonly PdfLine[],
  mark: Mark | undefined,
  from: number,
): number {
  const { title = "", top } = mark ?? {};
  const wanted = plain(title);
  const at = lines.findIndex(({ text }, index) => {
    const found = plain(text);
    return index >= from && found !== "" &&
      (found.endsWith(wanted) || wanted.startsWith(found) && found.length > 8);
  });
  if (at !== -1) return at;
  const below = lines.findIndex(({ y }, index) =>
    index >= from && top !== undefined && y < top
  );
  return below === -1 ? from : below;
}

function plain(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
}

function toText(lines: readonly PdfLine[]): string {
  return lines.map(({ text, isApart }, index) =>
    index === 0 ? text : `${isApart ? "\n\n" : "\n"}${text}`
  ).join("");
}
