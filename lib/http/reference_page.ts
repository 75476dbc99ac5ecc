import { z } from "zod";
import type { Route } from "./route.ts";

const STYLE =
  "body{font:16px/1.5 system-ui;max-width:52rem;margin:2rem auto;padding:0 1rem}" +
  "code{background:#8882;padding:.1em .3em;border-radius:3px}table{border-collapse:collapse;width:100%}" +
  "td{border-top:1px solid #8884;padding:.3rem .5rem;vertical-align:top}" +
  "@media(prefers-color-scheme:dark){body{background:#111;color:#ddd}}";

/** Writes the reference of the API as a page without scripts. */
export function toReferencePage(
  routes: readonly Route[],
  version: string,
): string {
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  const parts = tags.map((tag) =>
    `<h2>${escape(tag)}</h2>` +
    routes.filter((route) => route.tag === tag).map(toEntry).join("")
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>kbdb API</title>` +
    `<meta name="viewport" content="width=device-width"><style>${STYLE}</style>` +
    `<h1>kbdb ${escape(version)}: the API</h1>` +
    `<p>Send a key as <code>Authorization: Bearer KEY</code> where the server has one. ` +
    `Errors are <code>{"error": {"code", "message", "details"}, "detail"}</code>. ` +
    `The same as OpenAPI: <a href="/openapi.json">/openapi.json</a>.</p>${
      parts.join("")
    }`;
}

function toEntry(route: Route): string {
  const { method, path, summary, scope, params, query, body, form } = route;
  const rows = [
    ...toRows("path", params),
    ...toRows("query", query),
    ...toRows("body", body),
    ...toRows("form", form),
  ];
  return `<h3><code>${method} ${escape(path)}</code></h3><p>${
    escape(summary)
  }.` +
    `${
      scope === "none" ? " Needs no key." : ` Needs <code>${scope}</code>.`
    }</p>` +
    (rows.length === 0 ? "" : `<table>${rows.join("")}</table>`);
}

function toRows(place: string, schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  });
  return Object.entries(properties).map(([name, value]) => {
    const { type = "text", description = "", enum: values, default: fallback } =
      typeof value === "object" ? value : {};
    const facts = [
      values === undefined ? String(type) : values.map(String).join(" | "),
      required.includes(name) ? "required" : "",
      fallback === undefined ? "" : `default ${JSON.stringify(fallback)}`,
    ].filter((fact) => fact !== "");
    return `<tr><td>${place}<td><code>${escape(name)}</code><td>${
      escape(facts.join(", "))
    }<td>${escape(String(description))}`;
  });
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll('"', "&quot;");
}
