/**
 * The routes of the server as Markdown, from the schemas they check with.
 *
 * @module
 */
import { z } from "zod";
import { listRoutes } from "../../lib/http/app.ts";
import type { Route } from "../../lib/http/route.ts";

/** One row of a table. */
type Row = readonly [string, string, string];

/** Writes all routes under their headings. */
export function toHttpReference(): string {
  const routes = listRoutes("", () => Promise.resolve(""), () => {
    throw new TypeError("This endpoint is only described");
  }).filter(({ isPrivate }) => isPrivate !== true);
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  return tags.map((tag) =>
    [
      `## ${tag}`,
      ...routes.filter((route) => route.tag === tag).map(toEntry),
    ].join("\n\n")
  ).join("\n\n");
}

function toEntry(route: Route): string {
  const { method, path, summary, scope, params, query, body, form } = route;
  const { status, schema, media = "application/json" } = route.answer;
  const rows = [
    ...toRows("path", params),
    ...toRows("query", query),
    ...toRows("body", body),
    ...toRows("form", form),
  ];
  const fields = schema === undefined ? "" : ` with ${nameFields(schema)}`;
  return [
    `### ${method} ${path}`,
    `${summary}. ${
      scope === "none" ? "Needs no key." : `Needs a key that may \`${scope}\`.`
    } Answers ${status}, \`${media}\`${fields}.`,
    ...(rows.length === 0 ? [] : [toTable(rows)]),
  ].join("\n\n");
}

/** Names the fields of an answer. */
function nameFields(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const { items } = json;
  if (typeof items === "object" && !Array.isArray(items)) {
    return `a list of ${nameProperties(items)}`;
  }
  return nameProperties(json);
}

function nameProperties(json: { properties?: object }): string {
  return Object.keys(json.properties ?? {}).map((name) => `\`${name}\``).join(
    ", ",
  );
}

function toRows(place: string, schema: z.ZodType | undefined): Row[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return Object.entries(properties).map(([name, value]) => {
    const facts = typeof value === "object" ? value : {};
    const { type, description = "", enum: values, default: fallback } = facts;
    return [
      place,
      `\`${name}\``,
      [
        values === undefined
          ? String(type ?? "string")
          : values.map((value) => `\`${value}\``).join(", "),
        required.includes(name) ? "required" : "",
        fallback === undefined ? "" : `default ${JSON.stringify(fallback)}`,
        description,
      ].filter((fact) => fact !== "").join("; ").replaceAll("|", "\\|"),
    ];
  });
}

function toTable(rows: readonly Row[]): string {
  return [["in", "name", "value"], ["---", "---", "---"], ...rows].map((row) =>
    `| ${row.join(" | ")} |`
  ).join("\n");
}
