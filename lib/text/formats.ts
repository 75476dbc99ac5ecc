import { normalizeText } from "./preprocess.ts";
import type { DocType } from "./types.ts";

/** Media type and kind of the document, by extension without its dot. */
const BY_EXTENSION: ReadonlyMap<
  string,
  readonly [mime: string, docType: DocType]
> = new Map([
  ...entries(
    "text/markdown",
    "markdown",
    "md markdown mdown mkd mdx mdc qmd rmd",
  ),
  ...entries(
    "text/plain",
    "text",
    "txt text log vtt srt diff patch",
  ),
  ...entries("text/x-rst", "text", "rst rest"),
  ...entries("text/asciidoc", "text", "adoc asciidoc asc"),
  ...entries("text/x-org", "text", "org"),
  ...entries("text/x-tex", "text", "tex ltx latex"),
  ...entries("text/html", "html", "html htm xhtml"),
  ...entries("message/rfc822", "email", "eml"),
  ...entries("application/mbox", "email", "mbox"),
  ...entries("application/x-ipynb+json", "notebook", "ipynb"),
  ...entries("text/csv", "sheet", "csv"),
  ...entries("text/tab-separated-values", "sheet", "tsv"),
  ...entries(
    "application/json",
    "json",
    "json jsonc json5 geojson webmanifest",
  ),
  ...entries("application/x-ndjson", "json", "jsonl ndjson"),
  ...entries("text/typescript", "code", "ts tsx mts cts"),
  ...entries("text/javascript", "code", "js jsx mjs cjs"),
  ...entries("text/x-python", "code", "py pyi pyw"),
  ...entries("text/x-rust", "code", "rs"),
  ...entries("text/x-go", "code", "go"),
  ...entries("text/x-java", "code", "java"),
  ...entries("text/x-kotlin", "code", "kt kts"),
  ...entries("text/x-scala", "code", "scala sc"),
  ...entries("text/x-c", "code", "c h"),
  ...entries("text/x-c++", "code", "cc cpp cxx hh hpp hxx"),
  ...entries("text/x-csharp", "code", "cs"),
  ...entries("text/x-swift", "code", "swift"),
  ...entries("text/x-ruby", "code", "rb rake gemspec"),
  ...entries("text/x-php", "code", "php"),
  ...entries("text/x-perl", "code", "pl pm"),
  ...entries("text/x-lua", "code", "lua"),
  ...entries("text/x-r", "code", "r"),
  ...entries("text/x-julia", "code", "jl"),
  ...entries("text/x-haskell", "code", "hs"),
  ...entries("text/x-elixir", "code", "ex exs"),
  ...entries("text/x-erlang", "code", "erl hrl"),
  ...entries("text/x-clojure", "code", "clj cljs cljc edn"),
  ...entries("text/x-dart", "code", "dart"),
  ...entries("text/x-zig", "code", "zig"),
  ...entries("text/x-shellscript", "code", "sh bash zsh fish"),
  ...entries("text/x-powershell", "code", "ps1 psm1 psd1"),
  ...entries("text/x-sql", "code", "sql"),
  ...entries("text/x-vue", "code", "vue svelte astro"),
  ...entries("text/css", "code", "css scss sass less"),
  ...entries("text/x-yaml", "code", "yaml yml"),
  ...entries("text/x-toml", "code", "toml"),
  ...entries("text/x-ini", "code", "ini cfg conf properties env editorconfig"),
  ...entries("text/xml", "code", "xml xsd xsl xslt svg plist"),
  ...entries("text/x-graphql", "code", "graphql gql"),
  ...entries("text/x-protobuf", "code", "proto"),
  ...entries("text/x-terraform", "code", "tf hcl"),
  ...entries("text/x-dockerfile", "code", "dockerfile containerfile"),
  ...entries("text/x-makefile", "code", "makefile gnumakefile mk cmake"),
]);

/** Spreads one media type over its extensions. */
function entries(
  mime: string,
  docType: DocType,
  extensions: string,
): [string, readonly [string, DocType]][] {
  return extensions.split(" ").map((extension) => [extension, [mime, docType]]);
}

const SHEBANGS: readonly (readonly [pattern: RegExp, extension: string])[] = [
  [/\bpython[\d.]*\b/, "py"],
  [/\b(?:node|deno|bun)\b/, "js"],
  [/\bruby\b/, "rb"],
  [/\bperl\b/, "pl"],
  [/\b(?:ba|z|da|k)?sh\b/, "sh"],
];

/** Media type and kind of a text. */
export interface TextFormat {
  readonly mime: string;
  readonly docType: DocType;
}

/** Names that say little: what the text begins with may say more. */
const VAGUE: ReadonlySet<string> = new Set(["text/plain", "application/json"]);

/** Finds the media type of a text by its name, else, or if that says little, by its content. */
export function findMime(text: string, path: string): TextFormat {
  const named = findByName(path);
  const found = named === undefined || VAGUE.has(named[0])
    ? sniff(text, named?.[0]) ?? named
    : named;
  const [mime, docType] = found ?? ["text/plain", "text"];
  return { mime, docType };
}

/** Extension of the last part of a path, lower case; the whole name if it has no dot. */
export function extensionOf(path: string): string {
  const name = path.slice(
    Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1,
  );
  return name.slice(name.lastIndexOf(".") + 1).toLowerCase();
}

/** Looks a path up by its extension; a name without a dot, such as Makefile, as a whole. */
function findByName(path: string): readonly [string, DocType] | undefined {
  return BY_EXTENSION.get(extensionOf(path));
}

/** Says whether a file has a name that kbdb knows as that of a text; says nothing of its content. */
export function isTextName(path: string): boolean {
  return findByName(path) !== undefined;
}

/** UTF-16 units of a text that are looked at to tell what it is. */
const SNIFF_CHARS = 4096;

/** Recognises a script by its first line, a page, a message or a notebook by what it begins with. */
function sniff(
  text: string,
  named: string | undefined,
): readonly [string, DocType] | undefined {
  const start = normalizeText(text.slice(0, SNIFF_CHARS)).trimStart();
  if (named !== "text/plain" && start.startsWith("{")) {
    return isNotebook(start) ? BY_EXTENSION.get("ipynb") : undefined;
  }
  if (named === "application/json") return undefined;
  if (isMessage(start)) return BY_EXTENSION.get("eml");
  if (named !== undefined) return undefined;
  if (start.startsWith("#!")) {
    const line = start.split("\n", 1)[0] ?? "";
    for (const [pattern, extension] of SHEBANGS) {
      if (pattern.test(line)) return BY_EXTENSION.get(extension);
    }
  }
  if (/^From \S+.*\d{4}$/m.test(start.split("\n", 1)[0] ?? "")) {
    return BY_EXTENSION.get("mbox");
  }
  if (start.startsWith("<?xml")) {
    return BY_EXTENSION.get(/<html\b/i.test(start) ? "html" : "xml");
  }
  return /^<(?:!doctype html|html)\b/i.test(start)
    ? BY_EXTENSION.get("html")
    : undefined;
}

/** Says whether a JSON text begins with the keys of a Jupyter notebook. */
function isNotebook(start: string): boolean {
  return /^\{\s*"cells"\s*:\s*\[/.test(start) &&
      /"cell_type"\s*:/.test(start) ||
    /"nbformat"\s*:\s*\d/.test(start);
}

/** Says whether a text begins with header lines that only an e-mail has. */
function isMessage(start: string): boolean {
  const head = start.split("\n\n", 1)[0] ?? "";
  const names = new Set(
    [...head.matchAll(/^([A-Za-z-]+):[ \t]/gm)].map((match) =>
      match[1]?.toLowerCase()
    ),
  );
  const isHeader = head.split("\n").every((line) =>
    /^(?:[\w-]+:|[ \t])/.test(line)
  );
  return isHeader && names.has("from") &&
    (names.has("message-id") || names.has("mime-version") ||
      names.has("received") || names.has("delivered-to"));
}
