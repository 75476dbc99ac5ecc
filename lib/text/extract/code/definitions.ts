import type { SyntaxNode } from "./grammar.ts";
import type { CodeLanguage } from "./languages.ts";
import { childrenOf, nameOf } from "./names.ts";

/** Something that is defined in a text, with the comments and attributes before it. */
export interface Definition {
  /** UTF-16 offset of the comment before it, or of itself. */
  readonly start: number;
  /** Offset behind it. */
  readonly end: number;
  /** Qualified name, e.g. `Store.open`. */
  readonly name: string;
  /** What is defined in it; `[]` in a function. */
  readonly members: readonly Definition[];
}

/** Deepest nesting of types that is looked into. */
const DEPTH = 12;
/** What may stand between a definition and its documentation. */
const LEADING =
  /^(?:\w*comment|attribute_item|inner_attribute_item|decorator|attribute_list|attribute)$/;
/** Parts of a definition that hold its members. */
const BODIES =
  /^(?:\w*body|\w*block|declaration_list|field_declaration_list|body_statement|statement_block|enum_body_declarations)$/;
/** Definitions whose inside is not looked into. */
const FUNCTIONS =
  /^(?:function_definition|function_declaration|secondary_constructor|generator_function_declaration|method_definition|method_declaration|constructor_declaration|compact_constructor_declaration|destructor_declaration|property_declaration|operator_declaration|indexer_declaration|function_item|method|singleton_method|lexical_declaration|variable_declaration|function_statement|class_method_definition|macro_definition|preproc_function_def)$/;

/** UTF-16 offsets of a comment. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Where definitions are looked for. */
interface Scope {
  readonly text: string;
  readonly language: CodeLanguage;
  readonly name: string;
  readonly depth: number;
}

/** Finds what a tree defines, in the order of the text. */
export function findDefinitions(
  root: SyntaxNode,
  text: string,
  language: CodeLanguage,
): Definition[] {
  return collect(root, { text, language, name: "", depth: 0 });
}

function collect(parent: SyntaxNode, scope: Scope): Definition[] {
  const { text, language: { definitions, wrappers } } = scope;
  if (scope.depth > DEPTH) return [];
  const found: Definition[] = [];
  let lead: Range | undefined;
  for (const node of childrenOf(parent)) {
    const { type, startIndex } = node;
    if (LEADING.test(type)) {
      const endIndex = startIndex + node.text.trimEnd().length;
      lead = lead !== undefined && touches(text, lead.end, startIndex)
        ? { start: lead.start, end: endIndex }
        : startsLine(text, startIndex)
        ? { start: startIndex, end: endIndex }
        : undefined;
      continue;
    }
    const start = lead !== undefined && touches(text, lead.end, startIndex)
      ? lead.start
      : startIndex;
    lead = undefined;
    const definition = definitions.has(type)
      ? define(node, start, scope)
      : undefined;
    if (definition !== undefined) found.push(definition);
    else if (wrappers.has(type)) found.push(...unwrap(node, start, scope));
    else lead = lastComment(node);
  }
  return found;
}

/** The comment a statement ends with: the grammar of Kotlin takes what follows an import for a part of it. */
function lastComment(node: SyntaxNode): Range | undefined {
  let last = node.lastNamedChild;
  while (last !== null && !LEADING.test(last.type)) last = last.lastNamedChild;
  return last === null
    ? undefined
    : { start: last.startIndex, end: last.endIndex };
}

/** Members of a wrapper; a single one begins where the wrapper does. */
function unwrap(node: SyntaxNode, start: number, scope: Scope): Definition[] {
  const inner = collect(node, { ...scope, depth: scope.depth + 1 });
  const [only] = inner;
  const isOne = inner.length === 1 && only !== undefined &&
    !node.type.startsWith("preproc") && node.type !== "declaration_list";
  return isOne ? [{ ...only, start, end: node.endIndex }] : inner;
}

function define(
  node: SyntaxNode,
  start: number,
  scope: Scope,
): Definition | undefined {
  const own = nameOf(node);
  if (own === undefined) return undefined;
  const { language: { separator }, depth } = scope;
  const name = scope.name === "" ? own : `${scope.name}${separator}${own}`;
  const members = FUNCTIONS.test(node.type)
    ? []
    : bodiesOf(node).flatMap((body) =>
      collect(body, { ...scope, name, depth: depth + 1 })
    );
  return { start, end: node.endIndex, name, members };
}

/** Parts of a definition in which members stand. */
function bodiesOf(node: SyntaxNode): SyntaxNode[] {
  const holder = node.type === "expression_statement"
    ? node.firstNamedChild ?? node
    : node;
  const bodies = childrenOf(holder).filter(({ type }) => BODIES.test(type));
  // Some grammars give members no part of their own.
  return bodies.length > 0 || node.type === "expression_statement"
    ? bodies
    : [holder];
}

/** Says whether nothing but white space without a blank line is between two offsets. */
function touches(text: string, from: number, to: number): boolean {
  return /^\s*$/.test(text.slice(from, to)) &&
    (text.slice(from, to).match(/\n/g)?.length ?? 0) <= 1;
}

/** Says whether only white space stands before an offset in its line. */
function startsLine(text: string, offset: number): boolean {
  const line = text.lastIndexOf("\n", offset - 1) + 1;
  return text.slice(line, offset).trim() === "";
}
