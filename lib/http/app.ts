import { type Context, Hono } from "hono";
import { randomUUID } from "node:crypto";
import { LIMITS } from "../core/mod.ts";
import type { Engine } from "../kb/mod.ts";
import { readJson } from "./body.ts";
import { errorResponse, toErrorResponse } from "./errors.ts";
import {
  type Admission,
  Guard,
  type GuardOptions,
  type RawRequest,
} from "./guard.ts";
import type { Scope, ServerKey } from "./keys.ts";
import { toPrometheus } from "./metrics.ts";
import { toOpenApi } from "./openapi.ts";
import { answerPage } from "./page/page.ts";
import { toReferencePage } from "./reference_page.ts";
import type { Route } from "./route.ts";
import { mcpRoutes } from "./routes/mcp.ts";
import { ROUTES } from "./routes/mod.ts";
import { type ServerSettings, ServerState } from "./state.ts";
import { type RequestLog, Traffic } from "./traffic.ts";
import { check } from "./validate.ts";

/** How to make a server's app. */
export interface AppOptions extends GuardOptions {
  /** Settings of the routes. */
  readonly settings: ServerSettings;
  /** Answers MCP; there is none otherwise. */
  readonly mcp?: McpEndpoint;
  /** Says how much memory the process has, in bytes. */
  readonly readResidentBytes?: () => number;
  /** Takes one entry a request. */
  readonly onRequest?: (entry: RequestLog) => void;
  /** Takes faults of the server; the answer says nothing of them. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/** Who sends an MCP request. */
export interface McpCaller {
  /** What the key allows. */
  readonly scope: Scope;
  /** Something that differs from key to key and says nothing of the key. */
  readonly owner: string;
}

/** Answers one MCP request. */
export type McpEndpoint = (
  request: Request,
  caller: McpCaller,
) => Promise<Response>;

/** What a request came by, where it came by a socket. */
export interface NodeSide {
  /** The request as the socket gave it. */
  readonly incoming?: RawRequest;
  /** Paths that are answered where it came by; all if there are none. */
  readonly paths?: readonly string[];
  /** Where only the owner of the base can have sent it: keys that are right there; none if none is needed. */
  readonly ownerKeys?: readonly ServerKey[];
}

/** The environment of a request. */
interface Env {
  Bindings: NodeSide;
  Variables: { admission: Admission };
}

/** What is told of a route. */
export interface RouteFacts {
  /** Method. */
  readonly method: string;
  /** Path with `{name}` for its parts. */
  readonly path: string;
  /** What a key must allow; `"none"` needs no key. */
  readonly scope: Scope | "none";
  /** Whether it is left out of the reference. */
  readonly isPrivate?: boolean;
  /** Whether only the owner of the base may call it. */
  readonly ownerOnly?: boolean;
}

/** A server's app: everything but the socket. */
export interface App extends AsyncDisposable {
  /** Answers a request. */
  readonly fetch: (request: Request, side?: NodeSide) => Promise<Response>;
  /** All routes, those that describe the others too. */
  readonly routes: readonly RouteFacts[];
  /** Ends answers that would go on for as long as the client listens, and background work. */
  readonly drain: () => void;
}

/**
 * Makes the app of a base. One guard stands before every route, so that none can miss it.
 *
 * @param kb Open base; it stays open when the app is disposed of.
 * @param options Keys, hosts, settings, listeners.
 */
export function createApp(kb: Engine, options: AppOptions): App {
  const { settings, onError = () => {} } = options;
  const state = new ServerState(
    kb,
    settings,
    (error) => onError(error, "background"),
  );
  const traffic = new Traffic();
  const startedMs = performance.now();
  async function writeMetrics(): Promise<string> {
    const residentBytes = options.readResidentBytes?.();
    return toPrometheus({
      traffic,
      status: await kb.status(),
      inFlight: guard.inFlight,
      uptimeMs: performance.now() - startedMs,
      version: settings.version,
      ...(residentBytes === undefined ? {} : { residentBytes }),
    });
  }
  const routes = listRoutes(settings.version, writeMetrics, options.mcp);
  const guard = new Guard(options, routes);
  const app = new Hono<Env>();
  app.use("*", async (context, next) => {
    const requestId = randomUUID();
    const started = performance.now();
    const { method, path } = context.req;
    const admission = guard.enter(context.req.raw, path, context.env);
    if (admission instanceof Response) context.res = admission;
    else if (context.env?.paths?.includes(path) === false) {
      guard.leave();
      context.res = toNoRoute([]);
    } else {
      context.set("admission", admission);
      try {
        await next();
      } finally {
        guard.leave();
      }
    }
    const { headers } = context.res;
    headers.set("X-Request-Id", requestId);
    headers.set("X-Content-Type-Options", "nosniff");
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
    if (state.isStopping) headers.set("Connection", "close");
    const entry = {
      requestId,
      method,
      path: guard.find(method, path)?.path ?? "(unknown)",
      status: context.res.status,
      ms: performance.now() - started,
    };
    traffic.add(entry);
    options.onRequest?.(entry);
  });
  for (const route of routes) {
    const path = route.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(route.method, path, (context) => answer(context, route, kb, state));
  }
  app.notFound(({ req }) => toNoRoute(guard.methodsOf(req.path)));
  app.onError((error, context) => {
    const response = toErrorResponse(error);
    if (response.status === 500) onError(error, context.req.path);
    return response;
  });
  const watching = kb.jobs.onChange(({ status }) => {
    if (status === "done") state.embedSoon();
  });
  return {
    fetch: async (request, side) => await app.fetch(request, side ?? {}),
    routes,
    drain: () => state.drain(),
    async [Symbol.asyncDispose](): Promise<void> {
      watching[Symbol.dispose]();
      await state[Symbol.asyncDispose]();
    },
  };
}

/** Lists the routes of a server: the engine's, those of MCP if it is served, and those that describe them. */
export function listRoutes(
  version: string,
  writeMetrics: () => Promise<string>,
  mcp: McpEndpoint | undefined,
): Route[] {
  const routes = [...ROUTES, ...mcp === undefined ? [] : mcpRoutes(mcp)];
  return [...routes, ...describingRoutes(routes, version, writeMetrics)];
}

/** Checks what a request brings and hands it to the route. */
async function answer(
  context: Context<Env>,
  route: Route,
  kb: Engine,
  state: ServerState,
): Promise<Response> {
  const raw = context.req.raw;
  const admission = context.get("admission");
  if (admission.route !== route) {
    throw new TypeError("The guard and the router do not mean the same route");
  }
  const { scope, owner } = admission;
  const params = route.params === undefined
    ? undefined
    : check(route.params, context.req.param(), "path");
  const query = route.query === undefined
    ? undefined
    : check(route.query, toQuery(context.req.queries()), "query");
  const body = route.body === undefined
    ? undefined
    : check(route.body, await readJson(raw, LIMITS.noteChars * 4), "body");
  return await route.handle({
    kb,
    state,
    params,
    query,
    body,
    scope,
    owner,
    raw,
  });
}

/** Answers a request that has no route, or none of its method. */
function toNoRoute(methods: readonly string[]): Response {
  return methods.length === 0
    ? errorResponse(404, {
      code: "not_found",
      message: "There is no such route; see /docs",
    })
    : errorResponse(405, {
      code: "method_not_allowed",
      message: `This path takes ${methods.join(", ")}`,
    }, { Allow: methods.join(", ") });
}

/** A parameter that is given once is a string, more often a list. */
function toQuery(
  queries: Readonly<Record<string, string[]>>,
): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(queries).map(([name, values]) => [
      name,
      values.length === 1 ? values[0] ?? "" : values,
    ]),
  );
}

/** The routes that describe the others and the server. */
function describingRoutes(
  routes: readonly Route[],
  version: string,
  writeMetrics: () => Promise<string>,
): Route[] {
  const base = { method: "GET", tag: "Engine" } as const;
  const describing: Route[] = [
    {
      ...base,
      path: "/",
      scope: "none",
      summary: "Search, read and add on a web page",
      answer: { status: 200, media: "text/html" },
      handle: answerPage,
    },
    {
      ...base,
      path: "/openapi.json",
      scope: "none",
      summary: "Describe the API as OpenAPI 3.1",
      answer: { status: 200, media: "application/json" },
      handle: () => Response.json(reference),
    },
    {
      ...base,
      path: "/docs",
      scope: "none",
      summary: "Describe the API on a page",
      answer: { status: 200, media: "text/html" },
      handle: () =>
        new Response(page, {
          headers: {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy":
              "default-src 'none'; style-src 'unsafe-inline'",
          },
        }),
    },
    {
      ...base,
      path: "/metrics",
      scope: "read",
      summary: "Count requests, documents and jobs, as Prometheus text",
      answer: { status: 200, media: "text/plain" },
      handle: async () =>
        new Response(await writeMetrics(), {
          headers: {
            "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
          },
        }),
    },
  ];
  const all = [
    ...routes.filter(({ isPrivate }) => isPrivate !== true),
    ...describing,
  ];
  const reference = toOpenApi(all, version);
  const page = toReferencePage(all, version);
  return describing;
}
