/**
 * The real MCP endpoint on a loopback port, with the fixtures of the conformance suite.
 *
 * @module
 */
import {
  hostHeaderValidationResponse,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openKb } from "../../lib/kb/mod.ts";
import { createHttp } from "../../lib/mcp/http.ts";
import { fixtures } from "./fixtures.ts";

const LOOPBACK = ["127.0.0.1", "localhost", "[::1]"];

/** A server for the suite. */
export interface ConformanceServer extends AsyncDisposable {
  /** Where it answers. */
  readonly url: string;
  /** What it told the owner of the process. */
  readonly diagnostics: readonly string[];
}

/** Serves an empty base on a free loopback port until it is disposed of. */
export function startServer(): ConformanceServer {
  const dir = mkdtempSync(join(tmpdir(), "kbdb-conformance-"));
  const kb = openKb({ dir });
  const diagnostics: string[] = [];
  const mcp = createHttp(kb, {
    version: "0.0.0",
    onDiagnostic: (text) => diagnostics.push(text),
    pollMs: 50,
  }, fixtures);
  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
  }, (request, { completed }) => {
    const gone = new AbortController();
    completed.catch(() => gone.abort());
    return refuse(request) ?? mcp.fetch(withSignal(request, gone.signal));
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/mcp`,
    diagnostics,
    async [Symbol.asyncDispose](): Promise<void> {
      await mcp[Symbol.asyncDispose]();
      await server.shutdown();
      await kb.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The endpoint leaves Host and Origin to what stands in front of it; this does. */
function refuse(request: Request): Response | undefined {
  return hostHeaderValidationResponse(request, LOOPBACK) ??
    originValidationResponse(request, LOOPBACK);
}

/** Deno aborts the signal of a request that was answered well too, and warns where it is read. */
function withSignal(request: Request, signal: AbortSignal): Request {
  const { url, method, headers, body } = request;
  return new Request(url, { method, headers, body, signal });
}
