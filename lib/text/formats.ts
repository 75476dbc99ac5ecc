import { normalizeText } from "./preprocess.ts";
import type { DocType } from "./types.ts";

/** A format that is not text. */
interface BinaryFormat {
  /** With its article, to end the sentence "The file is …". */
  readonly name: string;
  readonly state: "binary" | "unsupported";
}

/** Bytes (as Latin-1) at an offset, and the format they mark. */
const MAGIC:
  readonly (readonly [offset: number, bytes: string, name: string])[] = [
    [0, "\x89PNG\r\n", "a PNG image"],
    [0, "\xff\xd8\xff", "a JPEG image"],
    [0, "GIF87a", "a GIF image"],
    [0, "GIF89a", "a GIF image"],
    [8, "WEBP", "a WebP image"],
    [0, "RIFF", "a RIFF media file"],
    [0, "II*\0", "a TIFF image"],
    [0, "MM\0*", "a TIFF image"],
    [0, "\0\0\x01\0", "an icon"],
    [4, "ftyp", "an MPEG-4 media file"],
    [0, "ID3", "an MP3 file"],
    [0, "OggS", "an Ogg media file"],
    [0, "fLaC", "a FLAC file"],
    [0, "\x1a\x45\xdf\xa3", "a Matroska media file"],
    [0, "\x1f\x8b", "a gzip archive"],
    [0, "BZh9", "a bzip2 archive"],
    [0, "\xfd7zXZ\0", "an xz archive"],
    [0, "7z\xbc\xaf\x27\x1c", "a 7-Zip archive"],
    [0, "Rar!\x1a\x07", "a RAR archive"],
    [0, "\x28\xb5\x2f\xfd", "a Zstandard archive"],
    [0, "\x7fELF", "an ELF program"],
    [0, "MZ\x90\0", "a Windows program"],
    [0, "\xca\xfe\xba\xbe", "a Java class or Mach-O program"],
    [0, "\xcf\xfa\xed\xfe", "a Mach-O program"],
    [0, "\0asm", "a WebAssembly module"],
    [0, "SQLite format 3\0", "an SQLite database"],
    [0, "wOFF", "a font"],
    [0, "wOF2", "a font"],
  ];

/** Formats that hold text, which is not read here. */
const DOCUMENT_MAGIC: readonly (readonly [bytes: string, name: string])[] = [
  ["%PDF-", "a PDF document"],
  ["{\\rtf", "an RTF document"],
  ["\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"],
];

const ZIP_DOCUMENT =
  /\.(?:docx|odt|epub|pptx|xlsx|ods|odp|pages|key|numbers)$/i;

/** Recognises a binary format by its first bytes; `undefined` if it may be text. */
export function findBinaryFormat(
  bytes: Uint8Array,
  path: string,
): BinaryFormat | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 16));
  for (const [magic, name] of DOCUMENT_MAGIC) {
    if (head.startsWith(magic)) return { name, state: "unsupported" };
  }
  if (head.startsWith("PK\x03\x04") || head.startsWith("PK\x05\x06")) {
    const extension = ZIP_DOCUMENT.exec(path)?.[0].slice(1).toUpperCase();
    return extension === undefined
      ? { name: "a ZIP archive", state: "binary" }
      : { name: `a document of type ${extension}`, state: "unsupported" };
  }
  for (const [offset, magic, name] of MAGIC) {
    if (!head.startsWith(magic, offset)) continue;
    // Four letters can begin a text too; only a binary file has a NUL byte near them.
    const isSure = /[^\x20-\x7e]/.test(magic) || magic.startsWith("GIF8");
    if (isSure || bytes.subarray(0, 512).includes(0)) {
      return { name, state: "binary" };
    }
  }
  return undefined;
}

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
    "txt text log rst adoc asciidoc org tex vtt srt diff patch",
  ),
  ...entries("text/html", "text", "html htm xhtml"),
  ...entries("text/csv", "text", "csv"),
  ...entries("text/tab-separated-values", "text", "tsv"),
  ...entries(
    "application/json",
    "json",
    "json jsonc json5 geojson webmanifest ipynb",
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

/** Finds the media type of a text by its name, else by how it begins. */
export function findMime(
  text: string,
  path: string,
): { mime: string; docType: DocType } {
  const [mime, docType] = findByName(path) ?? sniff(text) ??
    ["text/plain", "text"];
  return { mime, docType };
}

/** Looks a path up by its extension; a name without a dot, such as Makefile, as a whole. */
function findByName(path: string): readonly [string, DocType] | undefined {
  const name = path.slice(
    Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1,
  );
  return BY_EXTENSION.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase());
}

/** Says whether a file has a name that kbdb knows as that of a text; says nothing of its content. */
export function isTextName(path: string): boolean {
  return findByName(path) !== undefined;
}

/** Recognises a script by its first line, or HTML by its first tag. */
function sniff(text: string): readonly [string, DocType] | undefined {
  const start = normalizeText(text.slice(0, 256)).trimStart();
  if (start.startsWith("#!")) {
    const line = start.split("\n", 1)[0] ?? "";
    for (const [pattern, extension] of SHEBANGS) {
      if (pattern.test(line)) return BY_EXTENSION.get(extension);
    }
  }
  return /^<(?:!doctype html|html)\b/i.test(start)
    ? BY_EXTENSION.get("html")
    : undefined;
}
