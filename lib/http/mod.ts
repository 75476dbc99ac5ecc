/**
 * The engine over HTTP: routes, guard, reference. Everything it does is a method of the facade.
 *
 * @module
 */
export { type App, type AppOptions, createApp } from "./app.ts";
export type { ErrorBody } from "./errors.ts";
export type { GuardOptions } from "./guard.ts";
export { isLoopback, parseHosts } from "./hosts.ts";
export { parseKeys, type Scope, type ServerKey } from "./keys.ts";
export { toOpenApi } from "./openapi.ts";
export type { Route, RouteRequest } from "./route.ts";
export { ROUTES } from "./routes/mod.ts";
export { listen, type Listening, type ListenOptions } from "./server.ts";
export type { ReindexState, ServerSettings, ServerState } from "./state.ts";
export type { RequestLog } from "./traffic.ts";
