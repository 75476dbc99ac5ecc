import type { McpEndpoint } from "../app.ts";
import { MCP_PATH, type Route, route } from "../route.ts";

/** The routes of MCP. What a tool may do is decided by the scope the endpoint is told. */
export function mcpRoutes(endpoint: McpEndpoint): Route[] {
  const shared = {
    path: MCP_PATH,
    scope: "read",
    tag: "MCP",
    answer: { status: 200, media: "application/json" },
    handle: ({ raw, scope, owner }) => endpoint(raw, { scope, owner }),
  } as const satisfies Partial<Route>;
  return [
    route({
      ...shared,
      method: "POST",
      summary:
        "Call the Model Context Protocol over Streamable HTTP; a key that may only read has the tools that only read",
    }),
    route({
      ...shared,
      method: "GET",
      summary: "Refuse a stream of its own, which this server has none of",
    }),
    route({
      ...shared,
      method: "DELETE",
      summary: "Refuse to end a session, as this server has none",
    }),
  ];
}
