import type { LoggingLevel } from "@modelcontextprotocol/server";

/** What a server remembers of the client it is connected to. */
export interface Connection {
  /** URIs it subscribed to by `resources/subscribe`. */
  readonly subscribed: Set<string>;
  /** Least severe level it wants to hear by `logging/setLevel`; `undefined` until it says so. */
  logLevel: LoggingLevel | undefined;
}

/** What is known of a client at first: nothing. */
export function newConnection(): Connection {
  return { subscribed: new Set(), logLevel: undefined };
}
