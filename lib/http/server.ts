import { getRequestListener } from "@hono/node-server";
import { chmodSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { KbError, type KbErrorCode, mayListen } from "../core/mod.ts";
import type { App } from "./app.ts";
import { isLoopback } from "./hosts.ts";
import type { ServerKey } from "./keys.ts";

/** Where to listen. */
export interface ListenOptions {
  /** Address; default `127.0.0.1`. */
  readonly host?: string;
  /** Port; 0 takes any that is free. */
  readonly port: number;
  /** Path of a Unix socket, in place of address and port; only the user of this process can open it. */
  readonly socketPath?: string;
  /** Says that only the owner of the base calls here: keys that are right, in place of all others; none are needed if there are none. */
  readonly ownerKeys?: readonly ServerKey[];
  /** Whether a key is needed; without one only loopback addresses are listened on. */
  readonly hasKeys: boolean;
  /** Paths that are answered here; all by default. */
  readonly paths?: readonly string[];
  /** How long nothing may go over a connection, as with a client that does not read its answer; default 10 min. */
  readonly silentMs?: number;
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** Address it listens on. */
  readonly host: string;
  /** Port it listens on; 0 for a socket. */
  readonly port: number;
  /** Takes no more requests, lets those at hand end, and closes; after 6 s it cuts them off. */
  stop(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;
/** Longest upload; a body that pauses is ended sooner, see `readParts()`. */
const REQUEST_TIMEOUT_MS = 60 * 60 * 1000;
/** Longer than any call works without a word. */
const SILENT_MS = 10 * 60 * 1000;
const CONNECTIONS_MAX = 4_000;
const HEADER_BYTES_MAX = 16 * 1024;
const STOP_MS = 6_000;
const IDLE_POLL_MS = 50;

/**
 * Listens for requests to an app, through `node:http`, which ends slow clients.
 *
 * @throws {KbError} `invalid_input` if the address can be reached from outside and no key is needed;
 * or this process may not listen on it; `busy` if the port is taken.
 */
export async function listen(
  app: App,
  options: ListenOptions,
): Promise<Listening> {
  const { host = "127.0.0.1", port, hasKeys, paths, ownerKeys, socketPath } =
    options;
  if (!hasKeys && !isLoopback(host)) {
    throw new KbError(
      "invalid_input",
      `Cannot listen on ${host} without a key: anybody could read and write the base; set KB_API_KEY, or listen on 127.0.0.1`,
    );
  }
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: HEADER_BYTES_MAX,
    },
    getRequestListener(
      (request, env) =>
        app.fetch(request, {
          ...("incoming" in env ? { incoming: env.incoming } : {}),
          ...(paths === undefined ? {} : { paths }),
          ...(ownerKeys === undefined ? {} : { ownerKeys }),
        }),
      { overrideGlobalObjects: false },
    ),
  );
  server.maxConnections = CONNECTIONS_MAX;
  // Not setTimeout(), of which Deno 2.4 says at each start that it lacks it.
  server.timeout = options.silentMs ?? SILENT_MS;
  await start(
    server,
    socketPath ?? { host: host.replace(/^\[|\]$/g, ""), port },
  );
  if (socketPath !== undefined) chmodSync(socketPath, 0o600);
  const address = server.address() as AddressInfo | string;
  return {
    host,
    port: typeof address === "string" ? 0 : address.port,
    stop: () => stop(server),
    [Symbol.asyncDispose]: () => stop(server),
  };
}

function start(
  server: Server,
  where: string | { readonly host: string; readonly port: number },
): Promise<void> {
  if (typeof where === "object" && !mayListen(where.host, where.port)) {
    return Promise.reject(
      cannotListen(
        where,
        "invalid_input",
        `Deno was not allowed to; add ${where.host} to --allow-net of the command that starts kbdb`,
      ),
    );
  }
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(toListenError(error, where)));
    server.listen(where, () => resolve());
  });
}

/** Why a system does not let a server listen, and what to do about it. */
const REFUSALS: Readonly<
  Record<string, readonly [code: KbErrorCode, reason: string]>
> = {
  EADDRINUSE: [
    "busy",
    "another program does; stop it or choose another with --port",
  ],
  EACCES: [
    "invalid_input",
    "this user may not; choose a port from 1024 up with --port",
  ],
  EADDRNOTAVAIL: ["invalid_input", "this machine does not have that address"],
  EINVAL: ["invalid_input", "this machine does not have that address"],
  ENOTFOUND: ["invalid_input", "no address is known by that name"],
  EAI_AGAIN: ["invalid_input", "no address is known by that name"],
};

function toListenError(
  error: Error,
  where: string | { readonly host: string; readonly port: number },
): Error {
  const refusal = "code" in error ? REFUSALS[String(error.code)] : undefined;
  if (typeof where === "string" || refusal === undefined) return error;
  const [code, reason] = refusal;
  return cannotListen(where, code, reason, error);
}

function cannotListen(
  { host, port }: { readonly host: string; readonly port: number },
  code: KbErrorCode,
  reason: string,
  cause?: Error,
): KbError {
  return new KbError(
    code,
    `Cannot listen on ${host}, port ${port}: ${reason}`,
    { ...(cause === undefined ? {} : { cause }), details: { host, port } },
  );
}

/** A connection that is kept alive becomes idle when its answer is out, so idle ones are closed again and again. */
function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), STOP_MS);
    const closeIdle = setInterval(
      () => server.closeIdleConnections(),
      IDLE_POLL_MS,
    );
    server.close(() => {
      clearTimeout(cut);
      clearInterval(closeIdle);
      resolve();
    });
    server.closeIdleConnections();
  });
}
