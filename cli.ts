#!/usr/bin/env -S deno run --v8-flags=--max-semi-space-size=8 --allow-read --allow-write --allow-env --allow-sys --allow-net=localhost,127.0.0.1,[::1],0.0.0.0,[::] --allow-run=deno
/**
 * The `kbdb` command: wiring of arguments, environment and streams. Everything else is in `lib/cli`.
 *
 * @module
 */
import process from "node:process";
import { homedir } from "node:os";

/** What would write to standard output, which belongs to answers and to protocols. */
const PRINTING = [
  "log",
  "info",
  "debug",
  "dir",
  "dirxml",
  "table",
  "count",
  "group",
  "groupCollapsed",
  "timeEnd",
  "timeLog",
] as const;

/** Runs the command line of this process and leaves its exit code. */
export async function main(): Promise<void> {
  // Before anything else is loaded, as any library may print.
  // deno-lint-ignore no-console -- this is what keeps others from it
  for (const name of PRINTING) console[name] = console.error;
  const { hasUnixSockets, run, toRelaunch } = await import("./lib/cli/mod.ts");
  const runtime = {
    execPath: process.execPath,
    execArgs: process.execArgv,
    script: process.argv[1] ?? "",
    versions: process.versions,
    isStandalone: typeof Deno === "object" && Deno.build.standalone,
    platform: process.platform,
  };
  process.umask(0o077);
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  // A reader such as `head` may close the pipe early, which is no error of ours.
  let onReaderGone: () => void = () => process.exit(0);
  process.stdout.on("error", () => onReaderGone());
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    out: process.stdout,
    err: process.stderr,
    input: process.stdin,
    signal: stopping.signal,
    onReaderGone(act): void {
      onReaderGone = act;
    },
    parentId: () => process.ppid,
    relaunch: toRelaunch(runtime),
    hasUnixSockets: hasUnixSockets(runtime),
    processId: process.pid,
    readResidentBytes: () => process.memoryUsage().rss,
    exit: (code) => process.exit(code),
  });
  // What was broken off may still wait for somebody.
  if (stopping.signal.aborted) process.exit();
}

if (import.meta.main) await main();
