import { getRequestListener } from "@hono/node-server";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { KbError } from "../core/mod.ts";
import type { App } from "./app.ts";
import { isLoopback } from "./hosts.ts";

/** Where to listen. */
export interface ListenOptions {
  /** Address; default `127.0.0.1`. */
  readonly host?: string;
  /** Port; 0 takes any that is free. */
  readonly port: number;
  /** Whether a key is needed; without one only loopback addresses are listened on. */
  readonly hasKeys: boolean;
  /** Paths that are answered here; all by default. */
  readonly paths?: readonly string[];
}

/** A server that listens. */
export interface Listening extends AsyncDisposable {
  /** Address it listens on. */
  readonly host: string;
  /** Port it listens on. */
  readonly port: number;
  /** Takes no more requests, lets those at hand end, and closes; after 6 s it cuts them off. */
  stop(): Promise<void>;
}

const HEADERS_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;
/** Longest upload; a body that pauses is ended sooner, see `readParts()`. */
const REQUEST_TIMEOUT_MS = 60 * 60 * 1000;
const CONNECTIONS_MAX = 4_000;
const HEADER_BYTES_MAX = 16 * 1024;
const STOP_MS = 6_000;
const IDLE_POLL_MS = 50;

/**
 * Listens for requests to an app, through `node:http`, which ends slow clients.
 *
 * @throws {KbError} `invalid_input` if the address can be reached from outside and no key is needed;
 * `busy` if the port is taken.
 */
export async function listen(
  app: App,
  { host = "127.0.0.1", port, hasKeys, paths }: ListenOptions,
): Promise<Listening> {
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
        }),
      { overrideGlobalObjects: false },
    ),
  );
  server.maxConnections = CONNECTIONS_MAX;
  await start(server, host.replace(/^\[|\]$/g, ""), port);
  const address = server.address() as AddressInfo;
  return {
    host,
    port: address.port,
    stop: () => stop(server),
    [Symbol.asyncDispose]: () => stop(server),
  };
}

function start(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: Error & { code?: string }) => {
      reject(
        error.code === "EADDRINUSE"
          ? new KbError(
            "busy",
            `Cannot listen on port ${port}: another program does; stop it or choose another with --port`,
          )
          : error,
      );
    });
    server.listen(port, host, () => resolve());
  });
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
