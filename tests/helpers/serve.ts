import assert from "node:assert/strict";
import process from "node:process";
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
