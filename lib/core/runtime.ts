/** What differs between running from sources, from an executable and from the npm package. */

/** A module beside `mod.ts` that runs in a thread of its own. */
export type WorkerEntry = "worker" | "text_worker" | "upkeep_worker";

/** Where the root of the code is: beside `mod.ts`, or `mod.js` in the npm package. */
export const ROOT_URL: URL = new URL("../../", import.meta.url);

/** The URL of a worker's module, with the extension that this build of the code has. */
export function workerUrl(entry: WorkerEntry): URL {
  const extension = import.meta.url.endsWith(".js") ? "js" : "ts";
  return new URL(`${entry}.${extension}`, ROOT_URL);
}

/**
 * Says whether the runtime lets this process listen. Deno refuses in a way that nobody can catch.
 *
 * @param host Address, IPv6 without brackets.
 * @param port Port; 0 takes any.
 */
export function mayListen(host: string, port: number): boolean {
  const permissions = Reflect.get(globalThis, "Deno")?.permissions;
  const name = host.includes(":") ? `[${host}]` : host;
  const answer = permissions?.querySync?.({
    name: "net",
    host: `${name}:${port}`,
  });
  return answer === undefined || answer.state === "granted";
}
