/**
 * The engine over HTTP: routes, guard, reference. Everything it does is a method of the facade.
 *
 * @module
 */
export {
  type App,
  type AppOptions,
  createApp,
  type McpCaller,
  type McpEndpoint,
  type NodeSide,
  type RouteFacts,
} from "./app.ts";
export type { GuardOptions, RawRequest } from "./guard.ts";
export { isLoopback, parseHosts } from "./hosts.ts";
export {
  type KeySource,
  parseKeys,
  type Scope,
  type ServerKey,
} from "./keys.ts";
export { MCP_PATH } from "./route.ts";
export { listen, type Listening, type ListenOptions } from "./server.ts";
export type { ServerSettings } from "./state.ts";
export type { RequestLog } from "./traffic.ts";
