import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "../../lib/cli/mod.ts";
import type { CliFolder } from "./run_cli.ts";

/** A `kbdb serve` in this process. */
export interface ServedHere extends AsyncDisposable {
  /** Where everything is answered that it answers. */
  readonly url: string;
  /** Where MCP alone is answered, if that is another port. */
  readonly mcpUrl: string | undefined;
  /** What it said. */
  readonly said: () => string;
  /** Asks it to stop and answers its exit code. */
  stop(): Promise<number>;
}

/** Runs `kbdb serve` in this process until the end of the scope. */
export async function serveHere(
  folder: CliFolder,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<ServedHere> {
  const stopping = new AbortController();
  let told = "";
  const listening = Promise.withResolvers<void>();
  const ended = run(["serve", ...args], {
    env: { KBDB_DAEMON: "false", ...env },
    cwd: folder.cwd,
    home: folder.root,
    platform: process.platform,
    out: { write: () => {} },
    err: {
      write(text): void {
        told += text;
        if (String(text).includes("listening on")) listening.resolve();
      },
    },
    input: { async *[Symbol.asyncIterator]() {} },
    signal: stopping.signal,
  });
  await Promise.race([listening.promise, ended]);
  const url = /listening on (http:\S+)\n/.exec(told)?.[1];
  if (url === undefined) assert.fail(told);
  function stop(): Promise<number> {
    stopping.abort();
    return ended;
  }
  return {
    url,
    mcpUrl: /MCP alone on (http:\S+)\/mcp\n/.exec(told)?.[1],
    said: () => told,
    stop,
    [Symbol.asyncDispose]: async () => void await stop(),
  };
}

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));
/** Key of {@linkcode serveApart}. */
export const SERVED_KEY = "key-for-the-test";

/** A `kbdb serve` of its own process. */
export interface ServedApart extends AsyncDisposable {
  readonly url: string;
  readonly said: () => string;
  /** Sends a signal and answers the exit code and how long it took. */
  stop(signal: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
}

/**
 * Starts a `kbdb serve` of its own process.
 *
 * @param inherited Names of the variables that it takes over.
 */
export async function serveApart(
  dir: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  inherited: readonly string[] = Object.keys(process.env),
): Promise<ServedApart> {
  const child = spawn(process.execPath, [
    "run",
    "--no-check",
    "--allow-all",
    CLI,
    "serve",
    "--db",
    dir,
    "--port",
    "0",
    ...args,
  ], {
    env: {
      ...Object.fromEntries(
        inherited.map((name) => [name, process.env[name]]),
      ),
      KB_API_KEY: SERVED_KEY,
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const exited = new Promise<number | null>((resolve) =>
    child.on("exit", (code) => resolve(code))
  );
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on("data", (bytes) => {
      said += bytes;
      const found = /listening on (http:\S+)/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
    void exited.then(() => reject(new Error(said)));
  });
  return {
    url,
    said: () => said,
    async stop(signal) {
      const began = performance.now();
      // Not child.kill(), after which Deno tells no exit code.
      process.kill(child.pid ?? assert.fail("no process"), signal);
      const code = await exited;
      return { code, ms: performance.now() - began };
    },
    async [Symbol.asyncDispose](): Promise<void> {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
