import { KbError } from "../core/mod.ts";

/** Where an engine is. */
export type EngineAddress =
  /** A server anywhere. */
  | { readonly url: string; readonly key?: string }
  /** A server of the same user on this machine, which may be given paths of this machine. */
  | {
    readonly isPrivate: true;
    readonly socketPath: string;
  }
  | {
    readonly isPrivate: true;
    readonly port: number;
    readonly key: string;
  };

/**
 * Reads the address of a remote engine.
 *
 * @param url What was given, with or without a path before `/api`.
 * @param from Who said so, for the message: `KB_ENGINE_URL`.
 * @throws {KbError} `invalid_input` if it is no URL of HTTP, or has a key or a query in it.
 */
export function toAddress(
  url: string,
  { from, key }: { readonly from: string; readonly key?: string | undefined },
): EngineAddress {
  const parsed = URL.parse(url);
  const isHttp = parsed?.protocol === "http:" || parsed?.protocol === "https:";
  if (parsed === null || !isHttp) {
    throw new KbError(
      "invalid_input",
      `Cannot use ${from}: "${url}" must be a URL such as http://localhost:8000`,
    );
  }
  if (parsed.username + parsed.password + parsed.search + parsed.hash !== "") {
    throw new KbError(
      "invalid_input",
      `Cannot use ${from}: the URL must have no user, query or fragment; the key belongs into KB_API_KEY`,
    );
  }
  const clean = `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`;
  return { url: clean, ...(key === undefined ? {} : { key }) };
}

/** Names an address in messages; never with its key. */
export function describeAddress(address: EngineAddress): string {
  if ("url" in address) return `the engine at ${address.url}`;
  return "socketPath" in address
    ? `the daemon at ${address.socketPath}`
    : `the daemon at 127.0.0.1:${address.port}`;
}
