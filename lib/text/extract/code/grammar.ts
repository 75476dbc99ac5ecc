import { fileURLToPath } from "node:url";
import kotlin from "@lumis-sh/wasm-kotlin";
import treeSitter from "@vscode/tree-sitter-wasm";
import type { Language, Node, Parser } from "@vscode/tree-sitter-wasm";

/** A node of a syntax tree. */
export type SyntaxNode = Node;

/**
 * Most times the parser reports for one text, which it does every 100 steps: about 10 s. What takes more
 * is cut at blank lines instead.
 */
const MAX_REPORTS = 100_000;

/** Grammars that are not in the package of the runtime. */
const OTHERS: ReadonlyMap<string, URL> = new Map([["kotlin", kotlin]]);

let runtime: Promise<{ parser: Parser; folder: string }> | undefined;
const grammars = new Map<string, Promise<Language>>();

/**
 * Reads the syntax of a text. Nothing is loaded before it is needed; what is loaded stays.
 *
 * @param text Source code.
 * @param grammar Name of a grammar, e.g. `python`.
 * @param read Takes what it needs of the tree, which is gone when it returns.
 * @returns What `read` returned; `undefined` if the text takes too long.
 * @throws {Error} If the grammar cannot be loaded.
 */
export async function readSyntax<T>(
  text: string,
  grammar: string,
  read: (root: SyntaxNode) => T,
): Promise<T | undefined> {
  runtime ??= startRuntime();
  const { parser, folder } = await runtime;
  let loading = grammars.get(grammar);
  if (loading === undefined) {
    const other = OTHERS.get(grammar);
    loading = treeSitter.Language.load(
      other === undefined
        ? `${folder}tree-sitter-${grammar}.wasm`
        : fileURLToPath(other),
    );
    grammars.set(grammar, loading);
  }
  // From here on nothing waits, as all texts share the parser.
  const language = await loading;
  parser.setLanguage(language);
  let reports = 0;
  const tree = parser.parse(text, null, {
    progressCallback: () => ++reports > MAX_REPORTS,
  });
  if (tree === null) {
    parser.reset();
    return undefined;
  }
  try {
    return read(tree.rootNode);
  } finally {
    tree.delete();
  }
}

/** Starts the runtime, whose package has the grammars beside it. */
async function startRuntime(): Promise<{ parser: Parser; folder: string }> {
  let folder = "";
  await treeSitter.Parser.init({
    locateFile: (name, beside) => {
      folder = beside;
      return `${beside}${name}`;
    },
  });
  return { parser: new treeSitter.Parser(), folder };
}
