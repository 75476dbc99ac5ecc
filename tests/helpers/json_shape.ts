/** What JSON of a command looks like, as docs/cli.md writes it: `[{ name, documents: [document], total? }]`. */
export type Shape =
  | { readonly kind: "any"; readonly name: string }
  | { readonly kind: "list"; readonly of: Shape }
  | {
    readonly kind: "object";
    readonly fields: ReadonlyMap<
      string,
      { readonly isOptional: boolean; readonly shape: Shape }
    >;
  };

/** Shapes that other shapes name. */
export type NamedShapes = ReadonlyMap<string, Shape>;

/** Reads the tables of the JSON section. */
export function readShapes(
  document: string,
): { answers: Map<string, Shape>; names: Map<string, Shape> } {
  const [, section = ""] = /^### JSON$(.*?)^## /ms.exec(document) ?? [];
  const answers = new Map<string, Shape>();
  const names = new Map<string, Shape>();
  for (
    const [, key = "", text = ""] of section.matchAll(
      /^\| (`.+?) *\| (`.+?) *\|$/gm,
    )
  ) {
    const [first = "", ...more] = quoted(text);
    const shape = withFields(parseShape(first), more);
    for (const name of quoted(key)) {
      (name.startsWith("kbdb ") ? answers : names).set(name, shape);
    }
  }
  return { answers, names };
}

function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, inner = ""]) => inner);
}

/** A shape and fields besides: "`document` with `warnings`". */
function withFields(shape: Shape, fields: readonly string[]): Shape {
  if (fields.length === 0 || shape.kind !== "any") return shape;
  const rest = parseShape(`{ ${fields.join(", ")} }`);
  if (rest.kind !== "object") return shape;
  return {
    kind: "object",
    fields: new Map([...rest.fields, [`...${shape.name}`, {
      isOptional: true,
      shape,
    }]]),
  };
}

function parseShape(text: string): Shape {
  const inner = text.trim();
  if (inner.startsWith("[")) {
    return { kind: "list", of: parseShape(inner.slice(1, -1)) };
  }
  if (!inner.startsWith("{")) return { kind: "any", name: inner };
  const fields = splitFields(inner.slice(1, -1)).map((field) => {
    const [, name = "", mark = "", , of = ""] =
      /^(\w+)(\??)(:\s*(.*))?$/s.exec(field) ?? [];
    return [name, { isOptional: mark === "?", shape: parseShape(of) }] as const;
  });
  return { kind: "object", fields: new Map(fields) };
}

/** Splits at the commas that are in no bracket. */
function splitFields(text: string): string[] {
  let depth = 0;
  let field = "";
  const fields: string[] = [];
  for (const char of text) {
    depth += "[{".includes(char) ? 1 : "]}".includes(char) ? -1 : 0;
    if (char === "," && depth === 0) {
      fields.push(field.trim());
      field = "";
    } else field += char;
  }
  return [...fields, field.trim()].filter((each) => each !== "");
}

/** Says how a value is not of a shape; `undefined` if it is. */
export function toFault(
  value: unknown,
  shape: Shape,
  names: NamedShapes,
  at = "",
): string | undefined {
  if (shape.kind === "any") {
    const named = names.get(shape.name);
    return named && toFault(value, named, names, at);
  }
  if (shape.kind === "list") {
    if (!Array.isArray(value)) return `${at} is no list`;
    return value.map((each, index) =>
      toFault(each, shape.of, names, `${at}[${index}]`)
    ).find((fault) => fault !== undefined);
  }
  if (typeof value !== "object" || value === null) return `${at} is no object`;
  const fields = allFields(shape, names);
  const extra = Object.keys(value).find((key) => !fields.has(key));
  if (extra !== undefined) return `${at}.${extra} is not in docs/cli.md`;
  for (const [name, { isOptional, shape }] of fields) {
    const inner: unknown = Reflect.get(value, name);
    if (inner === undefined) {
      if (!isOptional) return `${at}.${name} is missing`;
      continue;
    }
    const fault = toFault(inner, shape, names, `${at}.${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function allFields(
  shape: Shape & { kind: "object" },
  names: NamedShapes,
): typeof shape.fields {
  const base = [...shape.fields].flatMap(([name, field]) => {
    if (!name.startsWith("...")) return [[name, field] as const];
    const named = names.get(name.slice(3));
    return named?.kind === "object" ? [...named.fields] : [];
  });
  return new Map(base);
}
