import { createHash } from "node:crypto";
import { errorResponse } from "./errors.ts";
import { FailedLogins } from "./failed_logins.ts";
import { type HostRules, hostRules } from "./hosts.ts";
import {
  allows,
  findKey,
  type KeySource,
  readBearer,
  type Scope,
  type ServerKey,
} from "./keys.ts";
import { MCP_PATH, type Route } from "./route.ts";

/** What a guard lets through. */
export interface GuardOptions {
  /** Keys of the API; none lets everybody in, as on a loopback address. */
  readonly keys: readonly ServerKey[];
  /** Keys of MCP; those of the API if there are none. */
  readonly mcpKeys?: readonly ServerKey[];
  /** Named keys that are good besides both; once there was one, a key is needed until the server ends. */
  readonly namedKeys?: KeySource;
  /** Hosts a request may name besides loopback. */
  readonly allowedHosts?: readonly string[];
  /** Whether everything that writes is refused. */
  readonly readOnly?: boolean;
  /** Most requests at once; default 64. */
  readonly inFlightMax?: number;
}

/** A request as the socket gave it, where there is one: headers as they came, and who sent them. */
export interface RawRequest {
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  /** Request target of the first line. */
  readonly url?: string | undefined;
  /** The socket. */
  readonly socket?: { readonly remoteAddress?: string | undefined };
}

/** How a request came. */
export interface RequestSide {
  /** The request as the socket gave it. */
  readonly incoming?: RawRequest;
  /** Keys that are right where only the owner of the base can send requests; none if none is needed there. */
  readonly ownerKeys?: readonly ServerKey[];
}

/** A request that was let in. */
export interface Admission {
  /** Its route; `undefined` if there is none. */
  readonly route: Route | undefined;
  /** What its key allows; all of it where no key is needed, but no more than reading on a read-only server. */
  readonly scope: Scope;
  /** Something that differs from key to key and says nothing of the key; `""` where no key is needed. */
  readonly owner: string;
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
  #hadNamedKeys: boolean;

  /** Takes what may pass, and the routes to know what each needs. */
  constructor(options: GuardOptions, routes: readonly Route[]) {
    this.#options = options;
    this.#hadNamedKeys = (options.namedKeys?.read().length ?? 0) > 0;
    this.#hosts = hostRules(options.allowedHosts ?? []);
    this.#patterns = routes.map((route) => ({
      match: new RegExp(
        `^${
          route.path.replaceAll(".", "\\.").replaceAll(/\{\w+\}/g, "[^/]+")
        }$`,
      ),
      route,
    }));
  }

  /**
   * Decides on a request.
   *
   * @param path Path as the router reads it, so that both always mean the same route.
   * @returns Why it is refused, as an answer; or what it may do, and {@linkcode Guard.leave} has to follow.
   */
  enter(
    request: Request,
    path: string,
    side: RequestSide = {},
  ): Response | Admission {
    const refusal = this.#checkHost(request, side.incoming);
    if (refusal !== undefined) return refusal;
    const route = this.find(request.method, path);
    const admission = this.#checkKey(request, path, route, side);
    if (admission instanceof Response) return admission;
    // A server that is only busy must not look dead to whoever watches it.
    const isCapped = route?.scope !== "none";
    const inFlightMax = this.#options.inFlightMax ?? IN_FLIGHT_MAX;
    if (isCapped && this.#inFlight >= inFlightMax) {
      return errorResponse(503, {
        code: "busy",
        message: "Too many requests at once: try again",
      }, { "Retry-After": "1" });
    }
    this.#inFlight++;
    return admission;
  }

  /** Requests that were let in and are not answered. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Notes that a request that was let in is answered. */
  leave(): void {
    this.#inFlight--;
  }

  /** Finds the route of a request. */
  find(method: string, path: string): Route | undefined {
    const wanted = method === "HEAD" ? "GET" : method;
    return this.#patterns.find(({ match, route }) =>
      route.method === wanted && match.test(path)
    )?.route;
  }

  /** Lists the methods that a path has; none if there is no such path. */
  methodsOf(path: string): string[] {
    return this.#patterns.filter(({ match }) => match.test(path)).map((
      { route },
    ) => route.method);
  }

  #checkHost(
    request: Request,
    incoming: RawRequest | undefined,
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
    path: string,
    route: Route | undefined,
    { incoming, ownerKeys }: RequestSide,
  ): Response | Admission {
    // A path that is not known needs a key too, so that nothing can be learned without one.
    const needed: Scope | "none" = route?.scope ?? "read";
    if (needed === "none") {
      return { route, scope: "read", owner: "" };
    }
    const keys = ownerKeys ?? this.#keysFor(path);
    const needsKey = keys.length > 0 ||
      (ownerKeys === undefined && this.#hadNamedKeys);
    const key = !needsKey ? undefined : this.#readKey(request, keys, incoming);
    if (key instanceof Response) return key;
    const given = key?.scope ?? "admin";
    if (this.#options.readOnly === true && needed !== "read") {
      return errorResponse(403, {
        code: "read_only",
        message: "This server is read-only",
      });
    }
    if (route?.ownerOnly === true && ownerKeys === undefined) {
      return errorResponse(403, {
        code: "forbidden",
        message:
          "This takes a path on the machine of the base, which is not done over a network: send files as jobs",
      });
    }
    if (!allows(given, needed)) {
      return errorResponse(403, {
        code: "forbidden",
        message: `The key may ${given} only; this needs ${needed}`,
      });
    }
    return {
      route,
      scope: this.#options.readOnly === true ? "read" : given,
      owner: key === undefined ? "" : toOwner(key),
    };
  }

  /** The key of a request, or why it is none. */
  #readKey(
    request: Request,
    keys: readonly ServerKey[],
    incoming: RawRequest | undefined,
  ): Response | ServerKey {
    const address = incoming?.socket?.remoteAddress ?? "local";
    const waitSeconds = this.#failures.waitSeconds(address);
    if (waitSeconds > 0) {
      return errorResponse(429, {
        code: "too_many_failures",
        message: `Too many wrong keys: wait ${waitSeconds} s`,
      }, { "Retry-After": String(waitSeconds) });
    }
    const key = readBearer(request.headers.get("authorization") ?? undefined);
    const found = key === undefined ? undefined : findKey(keys, key);
    if (found !== undefined) {
      if (found.name !== undefined) this.#options.namedKeys?.touch(found.name);
      return found;
    }
    if (key !== undefined) this.#failures.add(address);
    return errorResponse(401, {
      code: "unauthorized",
      message: key === undefined
        ? "A key is needed: Authorization: Bearer KEY"
        : "The key is not right",
    }, { "WWW-Authenticate": 'Bearer realm="kbdb"' });
  }

  #keysFor(path: string): readonly ServerKey[] {
    const { keys, mcpKeys = [], namedKeys } = this.#options;
    const own = path === MCP_PATH && mcpKeys.length > 0 ? mcpKeys : keys;
    const named = namedKeys?.read() ?? [];
    // A last key that is revoked must not let everybody in.
    if (named.length > 0) this.#hadNamedKeys = true;
    return named.length === 0 ? own : [...own, ...named];
  }
}

/** Names the holder of a key by a digest of the key's digest. */
function toOwner({ digest }: ServerKey): string {
  return createHash("sha256").update(digest).digest("hex").slice(0, 16);
}

/** The headers as they came: a repeated one must not hide behind the other. */
function readRawHeaders(
  request: Request,
  incoming: RawRequest | undefined,
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
