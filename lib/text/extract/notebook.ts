import { blocksToSections } from "./blocks_to_sections.ts";
import { type Extracted, ExtractError, type ExtractInput } from "./types.ts";

/** Extracts a Jupyter notebook by the headings of its texts: texts, code, and what it put out as text. */
export function extractNotebook(
  { text = "" }: ExtractInput,
): Promise<Extracted> {
  const root = parse(text);
  const language = readLanguage(root);
  const blocks: string[] = [];
  let pictures = 0;
  for (const cell of cellsOf(root)) {
    const source = joinText(cell["source"] ?? cell["input"]).trimEnd();
    const type = cell["cell_type"];
    if (type === "code") {
      addCode(blocks, source, language);
      for (const output of listOf(cell["outputs"])) {
        const words = wordsOf(output);
        addCode(blocks, words, "");
        if (words === "") pictures++;
      }
    } else if (type === "heading") {
      const level = Math.min(6, Math.max(1, Number(cell["level"]) || 1));
      blocks.push(`${"#".repeat(level)} ${source.replace(/\s+/g, " ")}`);
    } else if (source.trim() !== "") blocks.push(source);
  }
  const { title, sections } = blocksToSections(
    blocks.map((block) => ({ text: block, lineStart: 1, lineEnd: 1 })),
  );
  return Promise.resolve({
    title,
    docType: "notebook",
    tags: [],
    metadata: language === "" ? {} : { language },
    sections,
    warnings: pictures === 0
      ? []
      : [`Outputs without text, such as pictures, are left out: ${pictures}.`],
  });
}

type Fields = Readonly<Record<string, unknown>>;

function parse(text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ExtractError(
      "corrupted",
      "The notebook is damaged: it is no valid JSON; save it again.",
      error,
    );
  }
  return fieldsOf(value);
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

/** Cells, those of the third version of the format among them. */
function cellsOf(root: Fields): Fields[] {
  return [
    ...listOf(root["cells"]),
    ...listOf(root["worksheets"]).flatMap((sheet) => listOf(sheet["cells"])),
  ];
}

function readLanguage(root: Fields): string {
  const metadata = fieldsOf(root["metadata"]);
  const name = fieldsOf(metadata["language_info"])["name"] ??
    fieldsOf(metadata["kernelspec"])["language"];
  return typeof name === "string" && /^[\w+#-]{1,30}$/.test(name) ? name : "";
}

/** A text, or the lines of one. */
function joinText(value: unknown): string {
  const parts = Array.isArray(value) ? value : [value];
  return parts.filter((part) => typeof part === "string").join("")
    .toWellFormed();
}

/** Colours and marks of a terminal. */
// deno-lint-ignore no-control-regex -- the control character begins what is taken out
const TERMINAL = /\x1b\[[0-9;?]*[A-Za-z]/g;

/** What a cell put out, as text; `""` if there is none. */
function wordsOf(output: Fields): string {
  const data = fieldsOf(output["data"]);
  const traceback = Array.isArray(output["traceback"])
    ? output["traceback"].filter((line) => typeof line === "string").join("\n")
    : "";
  const hasPicture = Object.keys(data).some((type) =>
    type.startsWith("image/")
  );
  const plain = joinText(output["text"]) || joinText(data["text/plain"]);
  const words = plain || traceback ||
    [output["ename"], output["evalue"]].filter((part) =>
      typeof part === "string"
    ).join(": ");
  // The words beside a picture only name its class.
  return hasPicture && /^<[^>]*>$/.test(words.trim())
    ? ""
    : words.replace(TERMINAL, "").trimEnd();
}

function addCode(blocks: string[], code: string, language: string): void {
  if (code.trim() === "") return;
  const longest = Math.max(
    2,
    ...[...code.matchAll(/`{3,}/g)].map(([run]) => run.length),
  );
  const fence = "`".repeat(longest + 1);
  blocks.push(`${fence}${language}\n${code}\n${fence}`);
}
