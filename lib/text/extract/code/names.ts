import type { SyntaxNode } from "./grammar.ts";

/** Longest name in a heading, in UTF-16 units. */
const NAME_CHARS = 120;
/** Values that make a variable a definition of its own. */
const FUNCTION_VALUES: ReadonlySet<string> = new Set([
  "arrow_function",
  "function_expression",
  "generator_function",
  "class",
]);
/** Steps from a C declaration to the name in it. */
const DECLARATOR_STEPS = 10;

/**
 * Finds the name of what a node defines.
 *
 * @returns `undefined` if it defines nothing by itself: an expression, a variable that is no function, a
 * type that is only mentioned.
 */
export function nameOf(node: SyntaxNode): string | undefined {
  const name = findName(node)?.replace(/\s+/g, " ").trim();
  return name === undefined || name === ""
    ? undefined
    : name.slice(0, NAME_CHARS).toWellFormed();
}

function findName(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "lexical_declaration":
    case "variable_declaration":
      return nameOfVariable(node);
    case "expression_statement":
      return nameOfExpression(node.firstNamedChild);
    case "public_field_definition":
    case "field_definition":
      return isFunction(node.childForFieldName("value"))
        ? (node.childForFieldName("name") ??
          node.childForFieldName("property"))?.text
        : undefined;
    case "function_definition":
      return (node.childForFieldName("name") ?? declaredName(node))?.text;
    case "declaration":
    case "field_declaration":
      return isPrototype(node) ? declaredName(node)?.text : undefined;
    case "type_definition":
      return (node.childForFieldName("type")?.childForFieldName("body") ??
          null) === null
        ? undefined
        : declaredName(node)?.text;
    case "class_specifier":
    case "struct_specifier":
    case "union_specifier":
    case "enum_specifier":
      return node.childForFieldName("body") === null
        ? undefined
        : node.childForFieldName("name")?.text;
    case "method_declaration":
      return nameOfMethod(node);
    case "type_declaration":
      return childrenOf(node)
        .find(({ type }) => type === "type_spec" || type === "type_alias")
        ?.childForFieldName("name")?.text;
    case "impl_item":
      return nameOfImpl(node);
    case "companion_object":
      return namedChild(node) ?? "companion";
    case "secondary_constructor":
      return "constructor";
    case "indexer_declaration":
      return "this[]";
    case "operator_declaration":
      return `operator ${node.childForFieldName("operator")?.text ?? ""}`;
    case "singleton_method":
      return `${node.childForFieldName("object")?.text ?? "self"}.${
        node.childForFieldName("name")?.text ?? ""
      }`;
    default:
      return namedChild(node);
  }
}

/** What a node calls its name, or the first of its children that is one. */
function namedChild(node: SyntaxNode): string | undefined {
  return (node.childForFieldName("name") ??
    childrenOf(node).find(({ type }) => /^(?:\w+_)?identifier$/.test(type)))
    ?.text;
}

/** Named children; a tree that was repaired may have holes. */
export function childrenOf(node: SyntaxNode): SyntaxNode[] {
  return node.namedChildren.filter((child) => child !== null);
}

function isFunction(value: SyntaxNode | null): boolean {
  return value !== null && FUNCTION_VALUES.has(value.type);
}

/** `const name = () => …` */
function nameOfVariable(node: SyntaxNode): string | undefined {
  const declarator = childrenOf(node).find(({ type }) =>
    type === "variable_declarator"
  );
  return isFunction(declarator?.childForFieldName("value") ?? null)
    ? declarator?.childForFieldName("name")?.text
    : undefined;
}

/** `exports.name = function …`, `describe("name", () => …)`, `namespace Name {}` of TypeScript. */
function nameOfExpression(node: SyntaxNode | null): string | undefined {
  if (node === null) return undefined;
  if (node.type === "internal_module") {
    return node.childForFieldName("name")?.text;
  }
  if (node.type === "assignment_expression") {
    return isFunction(node.childForFieldName("right"))
      ? node.childForFieldName("left")?.text
      : undefined;
  }
  const given = node.type === "call_expression"
    ? node.childForFieldName("arguments")
    : null;
  if (given === null) return undefined;
  const [first, ...rest] = childrenOf(given);
  const isNamed = first?.type === "string" && rest.some(isFunction);
  return isNamed ? first.text.slice(1, -1) : undefined;
}

/** The identifier that a C declaration is about, behind pointers, references and parameters. */
function declaredName(node: SyntaxNode): SyntaxNode | null {
  let found: SyntaxNode | null = node.childForFieldName("declarator");
  for (let i = 0; i < DECLARATOR_STEPS && found !== null; i++) {
    const inner: SyntaxNode | null = found.childForFieldName("declarator") ??
      (/^(?:reference|parenthesized)_declarator$/.test(found.type)
        ? found.firstNamedChild
        : null);
    if (inner === null) return found;
    found = inner;
  }
  return found;
}

/** Says whether a C declaration is about a function. */
function isPrototype(node: SyntaxNode): boolean {
  let found = node.childForFieldName("declarator");
  for (let i = 0; i < DECLARATOR_STEPS && found !== null; i++) {
    if (found.type === "function_declarator") return true;
    found = found.childForFieldName("declarator");
  }
  return false;
}

/** A method of Go has its type before its name. */
function nameOfMethod(node: SyntaxNode): string | undefined {
  const name = node.childForFieldName("name")?.text;
  const receiver = node.childForFieldName("receiver")
    ?.descendantsOfType("type_identifier")[0]?.text;
  return receiver === undefined || name === undefined
    ? name
    : `${receiver}.${name}`;
}

/** `Type` or `Type as Trait`. */
function nameOfImpl(node: SyntaxNode): string | undefined {
  const type = node.childForFieldName("type")?.text.replace(/<[^]*$/, "");
  const trait = node.childForFieldName("trait")?.text;
  return trait === undefined ? type : `${type} as ${trait}`;
}
