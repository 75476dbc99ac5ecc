const LOOPBACK: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Says which hosts a server may be called by. */
export interface HostRules {
  /** Whether a raw `Host` header is one of them, on any port. */
  readonly allowsHost: (header: string) => boolean;
  /** Whether a raw `Origin` header is one of them, on any port. */
  readonly allowsOrigin: (header: string) => boolean;
}

/**
 * Makes the rules against DNS rebinding. Headers are compared as they are, never parsed as an URL, which
 * would take `evil.com@localhost` for `localhost`.
 *
 * @param extra Hosts or addresses without scheme and port, besides loopback.
 */
export function hostRules(extra: readonly string[]): HostRules {
  const hosts = [...LOOPBACK, ...extra.map(bracketed)].map((host) =>
    host.toLowerCase()
  );
  function isKnown(text: string): boolean {
    const host = /^(\[[0-9a-f:.]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(text)?.[1];
    return host !== undefined && hosts.includes(host.toLowerCase());
  }
  return {
    allowsHost: isKnown,
    allowsOrigin: (header) => {
      const host = /^https?:\/\/([^/?#]+)$/i.exec(header)?.[1];
      return host !== undefined && isKnown(host);
    },
  };
}

/** An IPv6 address stands in brackets in a header. */
function bracketed(host: string): string {
  return host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
}

/** Reads hosts as the environment gives them, separated by commas. */
export function parseHosts(text: string): string[] {
  return text.split(",").map((part) => part.trim()).filter((part) =>
    part !== ""
  );
}

/** Says whether an address can be reached from this machine only. */
export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" ||
    address === "[::1]" || /^127(\.\d{1,3}){3}$/.test(address);
}
