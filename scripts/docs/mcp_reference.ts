/**
 * What docs/mcp.md takes from the code: tools, resources, log levels, limits.
 *
 * @module
 */
import { LIMITS } from "../../lib/core/mod.ts";
import { INSTRUCTIONS, KB_INSTRUCTIONS } from "../../lib/mcp/instructions.ts";
import { LOG_LEVELS } from "../../lib/mcp/logging.ts";
import { RESOURCE_TEMPLATES } from "../../lib/mcp/resources.ts";
import { kbTools } from "../../lib/mcp/tools/kb/mod.ts";
import { KBDB_TOOLS } from "../../lib/mcp/tools/mod.ts";
import { Uploads } from "../../lib/mcp/uploads.ts";

/** The part of a JSON schema that tools use. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
}

type Listing = ReturnType<(typeof KBDB_TOOLS)[number]["describe"]>;

/** Bounds a client may meet, in words. */
const LIMIT_WORDS: readonly (readonly [keyof typeof LIMITS, string])[] = [
  ["answerChars", "about so many characters in one answer"],
  ["queryChars", "characters of a query"],
  ["queryTerms", "terms of a query; further ones are dropped and said so"],
  ["hits", "results in one answer of `search`"],
  ["hitOffset", "deepest `offset` into the results"],
  ["recallIds", "kbids in one call of `recall`"],
  ["composeIds", "ids in one call of `content`"],
  ["noteChars", "characters of a learned text"],
  ["imageBytes", "bytes of a learned image"],
  ["uploadBytes", "bytes of the uploads that one key has under way"],
  ["uploadChunkBytes", "bytes of one part of an upload"],
  ["uploads", "uploads that one key has under way"],
  ["titleChars", "characters of a title"],
  ["descriptionChars", "characters of a description"],
  ["docidChars", "characters of a docid"],
  ["tagChars", "characters of a tag or a collection's name"],
  ["documentTags", "tags of one document"],
  ["skillArguments", "arguments of one skill"],
  ["agentSkills", "skills of one agent"],
  ["resourceChars", "characters of a document read as a resource"],
  ["completions", "values in one completion"],
  ["subscriptions", "resources a client is told about"],
  ["messageBytes", "bytes of one message over stdio"],
  ["requestsUnderWay", "requests of one client at once"],
];

/** Generated parts of docs/mcp.md, by the name of their marker. */
export function mcpReference(): ReadonlyMap<string, string> {
  const tools = KBDB_TOOLS.map((tool) => tool.describe());
  const kb = describeKbTools();
  return new Map([
    ["tool overview", toOverview(tools)],
    ["tools", tools.map(toToolSection).join("\n\n")],
    ["kb tool overview", toOverview(kb)],
    ["kb tools", kb.map(toToolSection).join("\n\n")],
    ["kb instructions", toQuote(KB_INSTRUCTIONS)],
    ["resources", toResources()],
    ["log levels", LOG_LEVELS.map((level) => `\`${level}\``).join(", ")],
    ["instructions", toQuote(INSTRUCTIONS)],
    ["limits", toLimits()],
  ]);
}

/** Describes the kb_ tools, which is all that can be done without a base. */
function describeKbTools(): Listing[] {
  function fail(): never {
    throw new TypeError("There is no queue to describe tools");
  }
  const uploads = new Uploads({
    checkFile: fail,
    receive: fail,
    release: fail,
    submitReceived: fail,
  });
  return kbTools(uploads).map((tool) => tool.describe());
}

function toOverview(tools: readonly Listing[]): string {
  return toTable(
    ["tool", "title", "reads only", "may remove", "again changes nothing"],
    tools.map(({ name, title = "", annotations = {} }) => [
      `[\`${name}\`](#${name})`,
      title,
      toYes(annotations.readOnlyHint),
      toYes(annotations.destructiveHint),
      toYes(annotations.idempotentHint),
    ]),
  );
}

function toYes(hint: boolean | undefined): string {
  return hint === true ? "yes" : "";
}

function toToolSection(
  { name, description = "", inputSchema, outputSchema }: Listing,
): string {
  const { properties = {}, required = [] } = inputSchema as Schema;
  const parameters = Object.entries(properties);
  return [
    `### ${name}`,
    escape(description),
    parameters.length === 0 ? "It takes no parameters." : toTable(
      ["parameter", "type", "default", "what it is"],
      parameters.map(([key, schema]) => [
        `\`${key}\``,
        toType(schema),
        required.includes(key) ? "**required**" : toDefault(schema.default),
        escape(schema.description ?? ""),
      ]),
    ),
    ...toAnswer(outputSchema as Schema | undefined),
  ].join("\n\n");
}

/** What the answer of a tool has, if the listing says so. */
function toAnswer(schema: Schema | undefined): string[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = schema;
  const names = Object.keys(properties);
  const some = names.filter((name) => !required.includes(name));
  return [
    ...required.length === 0 ? [] : [`Answers at least ${toCodes(required)}.`],
    ...some.length === 0 ? [] : [`May answer ${toCodes(some)}.`],
  ];
}

function toCodes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function toDefault(value: unknown): string {
  return value === undefined ? "" : `\`${JSON.stringify(value)}\``;
}

function toType(schema: Schema): string {
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => `\`${JSON.stringify(value)}\``)
      .join(" or ");
  }
  if (schema.type === "array") {
    const { minItems, maxItems, items = {} } = schema;
    return `array of ${toType(items)}${toRange(minItems, maxItems)}`;
  }
  if (schema.type === "object" && schema.properties !== undefined) {
    const { properties, required = [] } = schema;
    const keys = Object.keys(properties).map((key) =>
      required.includes(key) ? `\`${key}\`` : `\`${key}?\``
    );
    return `{ ${keys.join(", ")} }`;
  }
  const { type = "any", minimum, maximum, maxLength } = schema;
  if (type === "string" && maxLength !== undefined) {
    return `string, at most ${maxLength} characters`;
  }
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  return `${type}${toRange(minimum, most)}`;
}

function toRange(least: number | undefined, most: number | undefined): string {
  if (least !== undefined && most !== undefined) return `, ${least} to ${most}`;
  if (least !== undefined) return `, ${least} or more`;
  return most === undefined ? "" : `, at most ${most}`;
}

function toResources(): string {
  return toTable(
    ["URI", "what it is", "type"],
    RESOURCE_TEMPLATES.map(({ uriTemplate, description, mimeType }) => [
      `\`${uriTemplate}\``,
      description ?? "",
      mimeType ?? "",
    ]),
  );
}

function toLimits(): string {
  return toTable(
    ["most", "of what"],
    LIMIT_WORDS.map(([name, words]) => [
      LIMITS[name].toLocaleString("en-US"),
      words,
    ]),
  );
}

function toQuote(text: string): string {
  return text.split("\n").map((line) => `> ${line}`).join("\n");
}

function toTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  return [head, head.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** Keeps a text from being read as Markdown. */
function escape(text: string): string {
  return text.replaceAll(/[*|<]/g, "\\$&");
}
