import type { z } from "zod";
import type { Engine } from "../kb/mod.ts";
import type { Scope } from "./keys.ts";
import type { ServerState } from "./state.ts";

/** Where MCP is. */
export const MCP_PATH = "/mcp";

/** How a request is answered. */
export interface RouteRequest<P, Q, B> {
  /** The base. */
  readonly kb: Engine;
  /** What the server holds besides. */
  readonly state: ServerState;
  /** Parts of the path, checked. */
  readonly params: P;
  /** Query string, checked. */
  readonly query: Q;
  /** JSON body, checked; `undefined` if the route takes none. */
  readonly body: B;
  /** What the key of the request allows. */
  readonly scope: Scope;
  /** Something that differs from key to key; `""` where no key is needed. */
  readonly owner: string;
  /** The request itself, for a body that is no JSON. */
  readonly raw: Request;
}

/** One route: all that the server, its guard and its reference have to know. */
export interface Route {
  /** Method. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path with `{name}` for its parts. */
  readonly path: string;
  /** What a key must allow; `"none"` needs no key. */
  readonly scope: Scope | "none";
  /** One line that says what it does. */
  readonly summary: string;
  /** Heading it stands under in the reference. */
  readonly tag: string;
  /** Whether it is for kbdb's own client, and left out of the reference; default no. */
  readonly isPrivate?: boolean;
  /** Whether only the owner of the base may call it, by a way of his own; default no. */
  readonly ownerOnly?: boolean;
  /** Parts of the path. */
  readonly params?: z.ZodObject;
  /** Query string. */
  readonly query?: z.ZodObject;
  /** JSON body. */
  readonly body?: z.ZodType;
  /** Form body, for the reference; the handler reads it. */
  readonly form?: z.ZodObject;
  /** What it answers. */
  readonly answer: {
    readonly status: number;
    readonly schema?: z.ZodType;
    readonly media?: string;
  };
  /** Answers. */
  readonly handle: (
    request: RouteRequest<unknown, unknown, unknown>,
  ) => Response | Promise<Response>;
}

type Output<T> = T extends z.ZodType ? z.output<T> : undefined;

/** Declares a route; the handler gets what the schemas say. */
export function route<
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends z.ZodType | undefined = undefined,
>(
  definition:
    & Omit<Route, "params" | "query" | "body" | "handle">
    & {
      readonly params?: P;
      readonly query?: Q;
      readonly body?: B;
      readonly handle: (
        request: RouteRequest<Output<P>, Output<Q>, Output<B>>,
      ) => Response | Promise<Response>;
    },
): Route {
  return definition as unknown as Route;
}
