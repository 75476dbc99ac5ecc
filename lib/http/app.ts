import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { randomUUID } from "node:crypto";
import { LIMITS } from "../core/mod.ts";
import type { Kb } from "../kb/mod.ts";
import { readJson } from "./body.ts";
import { errorResponse, toErrorResponse } from "./errors.ts";
import { Guard, type GuardOptions } from "./guard.ts";
import { toOpenApi } from "./openapi.ts";
import { toReferencePage } from "./reference_page.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes/mod.ts";
import { type ServerSettings, ServerState } from "./state.ts";
import { type RequestLog, Traffic } from "./traffic.ts";
import { check } from "./validate.ts";

/** How to make a server's app. */
export interface AppOptions extends GuardOptions {
  /** Settings of the routes. */
  readonly settings: ServerSettings;
  /** Routes besides those of the engine, e.g. for MCP; guarded likewise. */
  readonly routes?: readonly Route[];
  /** Takes one entry a request. */
  readonly onRequest?: (entry: RequestLog) => void;
  /** Takes faults of the server; the answer says nothing of them. */
  readonly onError?: (error: unknown, requestId: string) => void;
}

/** The environment of a request: the sockets it came by, where it came by one. */
type Env = { Bindings: Partial<HttpBindings> };

/** A server's app: everything but the socket. */
export interface App extends AsyncDisposable {
  /** Answers a request; `env` has the node request and response where there are such. */
  readonly fetch: (
    request: Request,
    env?: Partial<HttpBindings>,
  ) => Promise<Response>;
  /** All routes, those that describe the others too. */
  readonly routes: readonly Route[];
}

/**
 * Makes the app of a base. One guard stands before every route, so that none can miss it.
 *
 * @param kb Open base; it stays open when the app is disposed of.
 * @param options Keys, hosts, settings, listeners.
 */
export function createApp(kb: Kb, options: AppOptions): App {
  const { settings, onError = () => {} } = options;
  const state = new ServerState(
    kb,
    settings,
    (error) => onError(error, "background"),
  );
  const traffic = new Traffic();
  const routes: Route[] = [...ROUTES, ...options.routes ?? []];
  routes.push(...describingRoutes(routes, settings.version, traffic));
  const guard = new Guard(options, routes);
  const app = new Hono<Env>();
  app.use("*", async (context, next) => {
    const requestId = randomUUID();
    const started = performance.now();
    const refusal = guard.enter(context.req.raw, context.env?.incoming);
    try {
      if (refusal !== undefined) context.res = refusal;
      else await next();
    } finally {
      if (refusal === undefined) guard.leave();
    }
    context.res.headers.set("X-Request-Id", requestId);
    context.res.headers.set("X-Content-Type-Options", "nosniff");
    const entry = {
      requestId,
      method: context.req.method,
      path: guard.patternOf(context.req.raw),
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
  app.notFound(() =>
    errorResponse(404, {
      code: "not_found",
      message: "There is no such route; see /docs",
    })
  );
  app.onError((error, context) => {
    const response = toErrorResponse(error);
    if (response.status === 500) onError(error, context.req.path);
    return response;
  });
  const watching = kb.jobs.onChange(({ status }) => {
    if (status === "done") state.embedSoon();
  });
  return {
    fetch: async (request, env) => await app.fetch(request, env ?? {}),
    routes,
    async [Symbol.asyncDispose](): Promise<void> {
      watching[Symbol.dispose]();
      await state[Symbol.asyncDispose]();
    },
  };
}

/** Checks what a request brings and hands it to the route. */
async function answer(
  context: Context<Env>,
  route: Route,
  kb: Kb,
  state: ServerState,
): Promise<Response> {
  const raw = context.req.raw;
  const params = route.params === undefined
    ? undefined
    : check(route.params, context.req.param(), "path");
  const query = route.query === undefined
    ? undefined
    : check(route.query, toQuery(context.req.queries()), "query");
  const body = route.body === undefined
    ? undefined
    : check(route.body, await readJson(raw, LIMITS.noteChars * 4), "body");
  return await route.handle({ kb, state, params, query, body, raw });
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
  traffic: Traffic,
): Route[] {
  const reference = toOpenApi(routes, version);
  const page = toReferencePage(routes, version);
  const base = { method: "GET", tag: "Engine" } as const;
  return [
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
      handle: ({ kb }) =>
        new Response(traffic.toPrometheus(kb.status()), {
          headers: {
            "Content-Type": "text/plain; version=0.0.4; charset=utf-8",
          },
        }),
    },
  ];
}
