/**
 * The app of `kbdb serve` on a loopback port, with the fixtures of the conformance suite.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LIMITS } from "../../lib/core/mod.ts";
import { createApp, listen } from "../../lib/http/mod.ts";
import { openKb } from "../../lib/kb/mod.ts";
import { createHttp } from "../../lib/mcp/http.ts";
import { fixtures } from "./fixtures.ts";

const VERSION = "0.0.0";

/** A server for the suite. */
export interface ConformanceServer extends AsyncDisposable {
  /** Where it answers. */
  readonly url: string;
  /** What it told the owner of the process. */
  readonly diagnostics: readonly string[];
}

/** Serves an empty base on a free loopback port, behind the guard of `kbdb serve`, until it is disposed of. */
export async function startServer(): Promise<ConformanceServer> {
  const dir = mkdtempSync(join(tmpdir(), "kbdb-conformance-"));
  const kb = openKb({ dir });
  const diagnostics: string[] = [];
  const mcp = createHttp(kb, {
    version: VERSION,
    onDiagnostic: (text) => diagnostics.push(text),
    pollMs: 50,
  }, fixtures);
  const app = createApp(kb, {
    keys: [],
    mcpKeys: [],
    allowedHosts: [],
    readOnly: false,
    settings: {
      version: VERSION,
      readOnly: false,
      maxUploadBytes: LIMITS.fileBytes,
    },
    mcp: (request, { owner }) => mcp.fetch(request, { owner }),
    onError: (error) => diagnostics.push(String(error)),
  });
  const listening = await listen(app, { port: 0, hasKeys: false });
  return {
    url: `http://127.0.0.1:${listening.port}/mcp`,
    diagnostics,
    async [Symbol.asyncDispose](): Promise<void> {
      await mcp[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
      await listening[Symbol.asyncDispose]();
      await kb.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
