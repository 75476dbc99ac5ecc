import { Buffer } from "node:buffer";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { type StartOptions, startServer, type TestServer } from "./http.ts";
import { callJson, type Revision, speaking } from "./mcp.ts";

/** A client of a server's `/mcp`. */
export async function connectTo(
  server: TestServer,
  revision: Revision,
  key?: string,
): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "test", version: "0.0.0" }, {
    ...speaking(revision),
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
      requestInit: {
        headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      },
    }),
  );
  return Object.assign(client, {
    [Symbol.asyncDispose]: () => client.close(),
  });
}

/** Starts a server with the nine tools. */
export function startKb(options: StartOptions = {}): Promise<TestServer> {
  return startServer({ tools: "kb", ...options });
}

/** Waits until a job is over and answers it. */
// deno-lint-ignore no-explicit-any -- tests look into jobs
export async function over(client: Client, id: number): Promise<any> {
  for (;;) {
    const { jobs } = await callJson(client, "kb_jobs");
    // deno-lint-ignore no-explicit-any -- tests look into jobs
    const job = jobs.find((job: any) => job.job_id === id);
    if (!["queued", "processing"].includes(job.status)) return job;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Writes a text as base64. */
export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
