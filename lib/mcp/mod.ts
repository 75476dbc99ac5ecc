/**
 * MCP: tools, resources and prompts over a base; one factory for stdio and HTTP.
 *
 * @module
 */
export type { McpBase } from "./base.ts";
export {
  createMcpHttp,
  type McpCaller,
  type McpHttp,
  type McpHttpOptions,
} from "./http.ts";
export { serveMcpStdio, type ServeStdioOptions } from "./stdio.ts";
export type { ToolSet } from "./tool_sets.ts";
export type { LineSink } from "./transport.ts";
