import { extensionOf } from "../../formats.ts";

/** How the definitions of a language are found in its syntax tree. */
export interface CodeLanguage {
  /** Name of the grammar. */
  readonly grammar: string;
  /** Types of nodes that define something with a name. */
  readonly definitions: ReadonlySet<string>;
  /** Types of nodes whose members stand for themselves, such as `export` and `#ifdef`. */
  readonly wrappers: ReadonlySet<string>;
  /** What stands between a type and its member in a qualified name. */
  readonly separator: string;
}

function toLanguage(
  grammar: string,
  definitions: string,
  { wrappers = "", separator = "." } = {},
): CodeLanguage {
  return {
    grammar,
    definitions: new Set(definitions.split(" ")),
    wrappers: new Set(wrappers.split(" ")),
    separator,
  };
}

const SCRIPT = "function_declaration generator_function_declaration " +
  "class_declaration method_definition field_definition lexical_declaration " +
  "variable_declaration expression_statement";
const TYPED_SCRIPT = `${SCRIPT} abstract_class_declaration ` +
  "public_field_definition interface_declaration type_alias_declaration " +
  "enum_declaration internal_module module function_signature";
const SCRIPT_WRAPPERS = { wrappers: "export_statement ambient_declaration" };
const JAVASCRIPT = toLanguage("javascript", SCRIPT, SCRIPT_WRAPPERS);
const TYPESCRIPT = toLanguage("typescript", TYPED_SCRIPT, SCRIPT_WRAPPERS);
const TSX = toLanguage("tsx", TYPED_SCRIPT, SCRIPT_WRAPPERS);
const CPP = toLanguage(
  "cpp",
  "function_definition class_specifier struct_specifier union_specifier " +
    "enum_specifier namespace_definition type_definition alias_declaration " +
    "preproc_function_def concept_definition declaration field_declaration",
  {
    // A namespace may have no name.
    wrappers:
      "namespace_definition template_declaration linkage_specification declaration_list " +
      "preproc_if preproc_ifdef preproc_else preproc_elif declaration " +
      "field_declaration",
    separator: "::",
  },
);

const LANGUAGES: ReadonlyMap<string, CodeLanguage> = new Map([
  ["text/typescript", TYPESCRIPT],
  ["text/javascript", JAVASCRIPT],
  [
    "text/x-python",
    toLanguage("python", "function_definition class_definition", {
      wrappers: "decorated_definition",
    }),
  ],
  [
    "text/x-go",
    toLanguage(
      "go",
      "function_declaration method_declaration type_declaration",
    ),
  ],
  [
    "text/x-rust",
    toLanguage(
      "rust",
      "function_item function_signature_item struct_item enum_item union_item " +
        "trait_item impl_item mod_item macro_definition type_item",
      { wrappers: "foreign_mod_item", separator: "::" },
    ),
  ],
  [
    "text/x-java",
    toLanguage(
      "java",
      "class_declaration interface_declaration enum_declaration " +
        "record_declaration annotation_type_declaration method_declaration " +
        "constructor_declaration compact_constructor_declaration",
      { wrappers: "enum_body_declarations" },
    ),
  ],
  ["text/x-c", CPP],
  ["text/x-c++", CPP],
  [
    "text/x-csharp",
    toLanguage(
      "c-sharp",
      "namespace_declaration class_declaration struct_declaration " +
        "interface_declaration enum_declaration record_declaration " +
        "delegate_declaration method_declaration constructor_declaration " +
        "destructor_declaration property_declaration operator_declaration " +
        "indexer_declaration",
      {
        wrappers: "file_scoped_namespace_declaration preproc_if preproc_else",
      },
    ),
  ],
  [
    "text/x-ruby",
    toLanguage("ruby", "module class method singleton_method", {
      wrappers: "singleton_class body_statement",
    }),
  ],
  [
    "text/x-php",
    toLanguage(
      "php",
      "function_definition class_declaration interface_declaration " +
        "trait_declaration enum_declaration method_declaration " +
        "namespace_definition",
      { separator: "::" },
    ),
  ],
  ["text/x-shellscript", toLanguage("bash", "function_definition")],
  [
    "text/x-kotlin",
    toLanguage(
      "kotlin",
      "class_declaration object_declaration companion_object " +
        "function_declaration secondary_constructor type_alias",
    ),
  ],
]);

/** Media types whose syntax is known. The grammar of PowerShell is left out: to compile it takes V8 13.7 gigabytes, of which the process dies. */
export const CODE_TYPES: readonly string[] = [...LANGUAGES.keys()];

/** Names of the grammars in use. */
export const GRAMMARS: readonly string[] = [
  ...new Set([...LANGUAGES.values(), TSX].map(({ grammar }) => grammar)),
];

/** Finds the language of a file. */
export function findLanguage(
  mime: string,
  path: string,
): CodeLanguage | undefined {
  const found = LANGUAGES.get(mime);
  return found === TYPESCRIPT && extensionOf(path) === "tsx" ? TSX : found;
}
