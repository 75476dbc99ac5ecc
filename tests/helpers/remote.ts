import { RemoteEngine } from "../../lib/client/mod.ts";
import { type StartOptions, startServer, type TestServer } from "./http.ts";

/** An engine over HTTP and the server behind it; both end with the scope. */
export interface TestRemote extends AsyncDisposable {
  readonly server: TestServer;
  readonly engine: RemoteEngine;
}

/** Starts a server on a base of its own and talks to it. */
export async function startRemote(
  options: StartOptions & { readonly key?: string } = {},
): Promise<TestRemote> {
  const { key, ...rest } = options;
  const server = await startServer({ version: "0.1.0", ...rest });
  const engine = new RemoteEngine({
    address: { url: server.url, ...(key === undefined ? {} : { key }) },
    version: "0.1.0",
  });
  return {
    server,
    engine,
    async [Symbol.asyncDispose](): Promise<void> {
      await engine.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
