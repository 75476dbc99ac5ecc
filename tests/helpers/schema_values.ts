import fc from "fast-check";

/** The part of JSON Schema that the tools use. */
export interface ValueSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
  readonly items?: ValueSchema;
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
}

/** Arguments of a tool. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Texts that have broken programs before. */
const ODD_TEXTS = [
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "\udc00\ud800",
  "\u202eabc\ufeff",
  "e\u0301\u200d\ufe0f",
  "🧑‍🚀".repeat(50),
  '"unclosed',
  "((( OR NEAR(a b",
  "-",
  "* ^ : + {}",
  "tag: in: type: after:never",
  "a AND b NOT c",
  "'; DROP TABLE sections; --",
  "../../etc/passwd",
  "/dev/stdin",
  "kbdb://section/%00",
  "[[a]] ![[b#c|d]] {{x}} {{}}",
  "__proto__",
  "constructor",
  "toString",
  "%s %d %n",
  "\u001b[31mred",
  "# Title\r\n\r---\nkey: [\n---\n```",
  "x".repeat(9_999),
  "ß".repeat(300),
  "image/png",
  "text/html",
  "application/json",
  '{"a":[1,{"b":null}]}',
  "iVBORw0KGgo=",
];

/** Values of every JSON type. */
const ANYTHING: readonly unknown[] = [
  "text",
  0,
  -1.5,
  1e308,
  true,
  [],
  ["text"],
  [[null]],
  {},
  { text: 1 },
];

/** Makes odd texts: known ones, any UTF-16 units, and those that mean something to the base. */
export function oddText(known: readonly string[]): fc.Arbitrary<string> {
  const units = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 30 })
    .map((codes) => String.fromCharCode(...codes));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...known) },
    { weight: 2, arbitrary: fc.constantFrom(...ODD_TEXTS) },
    { weight: 1, arbitrary: units },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme" }) },
  );
}

/** Makes values that fit a schema. */
export function fitting(
  { default: usual, ...schema }: ValueSchema,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<unknown> {
  if (usual !== undefined) {
    return fc.oneof(fc.constant(usual), fitting(schema, text));
  }
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case "string":
      return text.map((value) => value.slice(0, schema.maxLength));
    case "boolean":
      return fc.boolean();
    case "integer":
      return number(schema, [0, 1, 2, 7, 100, 2 ** 31, 2 ** 53 - 1]);
    case "number":
      return number(schema, [0, 0.5, 1, 2.999, 3, 1e15, 1e308, 5e-324]);
    case "array":
      return fc.array(fitting(schema.items ?? {}, text), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case "object":
      return fittingObject(schema, text);
    default:
      throw new TypeError(`Unknown schema: ${JSON.stringify(schema)}`);
  }
}

/** Makes objects that fit a schema. */
export function fittingObject(
  { properties = {}, required = [] }: ValueSchema,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<Arguments> {
  const values = Object.entries(properties)
    .map(([name, schema]) => [name, fitting(schema, text)]);
  return fc.record(Object.fromEntries(values), {
    requiredKeys: [...required],
    noNullPrototype: true,
  });
}

/** Makes objects that fit a schema but for one thing. */
export function unfitting(
  schema: ValueSchema,
  text: fc.Arbitrary<string>,
): fc.Arbitrary<Arguments> {
  const { properties = {}, required = [] } = schema;
  const faults = Object.entries(properties).map(([name, one]) =>
    unfittingValue(one).map((value) => ({ name, value }))
  );
  const missing = required.map((name) =>
    fc.constant({ name, value: undefined })
  );
  const extra = fc.record({
    name: text.filter((name) => !Object.hasOwn(properties, name)),
    value: fc.constantFrom(null, ...ANYTHING),
  });
  return fc.tuple(
    fittingObject(schema, text),
    fc.oneof(extra, ...faults, ...missing),
  ).map(([args, { name, value }]) => {
    const entries = Object.entries(args).filter(([key]) => key !== name);
    return Object.fromEntries(
      value === undefined ? entries : [...entries, [name, value]],
    );
  });
}

/** Makes values that do not fit a schema. */
function unfittingValue(schema: ValueSchema): fc.Arbitrary<unknown> {
  const others: unknown[] = [
    null,
    ...ANYTHING.filter((value) => !isOfType(value, schema.type)),
  ];
  const { enum: values, minimum, maximum, minItems, maxItems, maxLength } =
    schema;
  if (values !== undefined) others.push("", "no-such-value");
  if (schema.type === "integer") others.push(0.5, 1e300);
  if (minimum !== undefined) others.push(minimum - 1);
  if (maximum !== undefined) others.push(maximum + 1);
  if (maxLength !== undefined) others.push("x".repeat(maxLength + 1));
  if (minItems !== undefined && minItems > 0) others.push([]);
  if (maxItems !== undefined) others.push(Array(maxItems + 1).fill("x"));
  if (schema.items !== undefined) {
    return fc.oneof(
      fc.constantFrom(...others),
      unfittingValue(schema.items).map((value) => [value]),
    );
  }
  return fc.constantFrom(...others);
}

function isOfType(value: unknown, type: string | undefined): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && !Array.isArray(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    default:
      return typeof value === "string";
  }
}

function number(
  { minimum = -Infinity, maximum = Infinity }: ValueSchema,
  values: readonly number[],
): fc.Arbitrary<number> {
  const all = [...values, ...values.map((value) => -value), minimum, maximum];
  return fc.constantFrom(
    ...all.filter((value) =>
      Number.isFinite(value) && value >= minimum && value <= maximum
    ),
  );
}
