import type { IncomingMessage } from "node:http";
import { errorResponse } from "./errors.ts";
import { FailedLogins } from "./failed_logins.ts";
import { type HostRules, hostRules } from "./hosts.ts";
import {
  allows,
  findScope,
  readBearer,
  type Scope,
  type ServerKey,
} from "./keys.ts";
import type { Route } from "./route.ts";

/** What a guard lets through. */
export interface GuardOptions {
  /** Keys of the API; none lets everybody in, as on a loopback address. */
  readonly keys: readonly ServerKey[];
  /** Keys of paths that have their own, by their start. */
  readonly keysOf?: Readonly<Record<string, readonly ServerKey[]>>;
  /** Hosts a request may name besides loopback. */
  readonly allowedHosts?: readonly string[];
  /** Whether everything that writes is refused. */
  readonly readOnly?: boolean;
  /** Most requests at once; default 64. */
  readonly inFlightMax?: number;
}

const IN_FLIGHT_MAX = 64;

/** Stands before every route: host, origin, key, scope, and how many requests run at once. */
export class Guard {
  readonly #options: GuardOptions;
  readonly #hosts: HostRules;
  readonly #patterns: readonly {
    readonly match: RegExp;
    readonly route: Route;
  }[];
  readonly #failures = new FailedLogins();
  #inFlight = 0;

  /** Takes what may pass, and the routes to know what each needs. */
  constructor(options: GuardOptions, routes: readonly Route[]) {
    this.#options = options;
    this.#hosts = hostRules(options.allowedHosts ?? []);
    this.#patterns = routes.map((route) => ({
      match: new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
      route,
    }));
  }

  /**
   * Decides on a request.
   *
   * @returns Why it is refused, as an answer; `undefined` lets it in, and {@linkcode Guard.leave} has to follow.
   */
  enter(request: Request, incoming?: IncomingMessage): Response | undefined {
    const refusal = this.#checkHost(request, incoming) ??
      this.#checkKey(request, incoming);
    if (refusal !== undefined) return refusal;
    if (this.#inFlight >= (this.#options.inFlightMax ?? IN_FLIGHT_MAX)) {
      return errorResponse(503, {
        code: "busy",
        message: "Too many requests at once: try again",
      }, { "Retry-After": "1" });
    }
    this.#inFlight++;
    return undefined;
  }

  /** Notes that a request that was let in is answered. */
  leave(): void {
    this.#inFlight--;
  }

  /** The path of the route a request is for, `{id}` for its parts; what it is logged by. */
  patternOf(request: Request): string {
    return this.#find(request)?.path ?? "(unknown)";
  }

  #find(request: Request): Route | undefined {
    const { pathname } = new URL(request.url);
    const matching = this.#patterns.filter(({ match }) => match.test(pathname));
    return (matching.find(({ route }) => route.method === request.method) ??
      matching[0])?.route;
  }

  #checkHost(
    request: Request,
    incoming: IncomingMessage | undefined,
  ): Response | undefined {
    const { host, origin, isAbsolute } = readRawHeaders(request, incoming);
    const named = new URL(request.url).host;
    if (
      host.length !== 1 || !this.#hosts.allowsHost(host[0] ?? "") ||
      (isAbsolute && !this.#hosts.allowsHost(named))
    ) {
      return errorResponse(421, {
        code: "invalid_host",
        message: "Invalid Host header: name it in KB_MCP_ALLOWED_HOSTS",
      });
    }
    if (origin.some((value) => !this.#hosts.allowsOrigin(value))) {
      return errorResponse(403, {
        code: "invalid_origin",
        message:
          "Invalid Origin header: pages of that host may not call this server",
      });
    }
    return undefined;
  }

  #checkKey(
    request: Request,
    incoming: IncomingMessage | undefined,
  ): Response | undefined {
    // A path that is not known needs a key too, so that nothing can be learned without one.
    const needed: Scope | "none" = this.#find(request)?.scope ?? "read";
    if (needed === "none") return undefined;
    if (this.#options.readOnly === true && needed !== "read") {
      return errorResponse(403, {
        code: "read_only",
        message: "This server is read-only",
      });
    }
    const keys = this.#keysFor(new URL(request.url).pathname);
    if (keys.length === 0) return undefined;
    const address = incoming?.socket?.remoteAddress ?? "local";
    const waitSeconds = this.#failures.waitSeconds(address);
    if (waitSeconds > 0) {
      return errorResponse(429, {
        code: "too_many_failures",
        message: `Too many wrong keys: wait ${waitSeconds} s`,
      }, { "Retry-After": String(waitSeconds) });
    }
    const key = readBearer(request.headers.get("authorization") ?? undefined);
    const scope = key === undefined ? undefined : findScope(keys, key);
    if (scope === undefined) {
      if (key !== undefined) this.#failures.add(address);
      return errorResponse(401, {
        code: "unauthorized",
        message: key === undefined
          ? "A key is needed: Authorization: Bearer KEY"
          : "The key is not right",
      }, { "WWW-Authenticate": 'Bearer realm="kbdb"' });
    }
    if (!allows(scope, needed)) {
      return errorResponse(403, {
        code: "forbidden",
        message: `The key may ${scope} only; this needs ${needed}`,
      });
    }
    return undefined;
  }

  #keysFor(path: string): readonly ServerKey[] {
    const own = Object.entries(this.#options.keysOf ?? {}).find(([start]) =>
      path === start || path.startsWith(`${start}/`)
    );
    return own?.[1] ?? this.#options.keys;
  }
}

/** The headers as they came: a repeated one must not hide behind the other. */
function readRawHeaders(
  request: Request,
  incoming: IncomingMessage | undefined,
): { host: string[]; origin: string[]; isAbsolute: boolean } {
  if (incoming === undefined) {
    return {
      host: [request.headers.get("host") ?? new URL(request.url).host],
      origin: [request.headers.get("origin") ?? []].flat(),
      isAbsolute: false,
    };
  }
  const raw = incoming.rawHeaders;
  function valuesOf(name: string): string[] {
    return raw.filter((_, index) =>
      index % 2 === 1 && raw[index - 1]?.toLowerCase() === name
    );
  }
  return {
    host: valuesOf("host"),
    origin: valuesOf("origin"),
    isAbsolute: /^[a-z][a-z0-9+.-]*:/i.test(incoming.url ?? ""),
  };
}
