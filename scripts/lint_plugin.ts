/**
 * Lint rule that keeps the folder map in docs/architecture.md true.
 *
 * @module
 */
import { pathToFileURL } from "node:url";

/** What each folder of lib/ may import, besides itself. This table is the architecture. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  text: ["core"],
  store: ["core"],
  embed: ["core"],
  ingest: ["core", "text", "store", "embed"],
  search: ["core", "text", "store", "embed"],
  compose: ["core", "text"],
  kb: ["core", "text", "store", "embed", "ingest", "search", "compose"],
  wire: ["core", "kb"],
  client: ["core", "kb", "wire"],
  http: ["core", "kb", "wire"],
  mcp: ["core", "kb", "wire"],
  cli: ["core", "kb", "client", "http", "mcp"],
};

/** Files other folders may import beside each `mod.ts`: what has to be there before the rest, or is no part of the library. */
const SIDE_DOORS: ReadonlySet<string> = new Set([
  "kb/about.ts",
  "kb/folders.ts",
]);

const LIB_URL = new URL("../lib/", import.meta.url).href;

/** Splits a file URL into folder and file under lib/, or `undefined` outside it. */
function locate(url: string): { folder: string; file: string } | undefined {
  if (!url.startsWith(LIB_URL)) return undefined;
  const [folder = "", ...rest] = url.slice(LIB_URL.length).split("/");
  return { folder, file: rest.join("/") };
}

/** Says what is wrong with one import, or `undefined` if nothing is. */
function objection(fileUrl: string, specifier: string): string | undefined {
  const from = locate(fileUrl);
  if (from === undefined || !specifier.startsWith(".")) return undefined;
  const to = locate(new URL(specifier, fileUrl).href);
  if (to === undefined) {
    return `lib/${from.folder} must not import "${specifier}" from outside lib: pass it in as an argument`;
  }
  if (to.folder === from.folder) return undefined;
  const allowed = MAY_IMPORT[from.folder];
  if (allowed === undefined) {
    return `Add lib/${from.folder} to MAY_IMPORT in scripts/lint_plugin.ts`;
  }
  if (!allowed.includes(to.folder)) {
    return `lib/${from.folder} must not import lib/${to.folder}`;
  }
  const isDoor = to.file === "mod.ts" ||
    SIDE_DOORS.has(`${to.folder}/${to.file}`);
  if (!isDoor) {
    return `Import lib/${to.folder}/mod.ts, not lib/${to.folder}/${to.file}`;
  }
  return undefined;
}

const plugin: Deno.lint.Plugin = {
  name: "kbdb",
  rules: {
    layers: {
      create(context) {
        const fileUrl = pathToFileURL(context.filename).href;
        function check(node: Deno.lint.Node, specifier: unknown): void {
          if (typeof specifier !== "string") return;
          const message = objection(fileUrl, specifier);
          if (message !== undefined) context.report({ node, message });
        }
        return {
          ImportDeclaration: (node) => check(node, node.source.value),
          ExportAllDeclaration: (node) => check(node, node.source.value),
          ExportNamedDeclaration: (node) => check(node, node.source?.value),
          ImportExpression(node) {
            if (node.source.type === "Literal") check(node, node.source.value);
          },
        };
      },
    },
  },
};

export default plugin;
