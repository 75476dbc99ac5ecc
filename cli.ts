#!/usr/bin/env -S deno run --allow-read --allow-write --allow-env --allow-sys
/**
 * The `kbdb` command: wiring of arguments, environment and streams. Everything else is in `lib/cli`.
 *
 * @module
 */
import process from "node:process";
import { homedir } from "node:os";
import { run } from "./lib/cli/mod.ts";

if (import.meta.main) {
  process.umask(0o077);
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  // A reader such as `head` may close the pipe early, which is no error of ours.
  process.stdout.on("error", () => process.exit(0));
  process.exitCode = await run(process.argv.slice(2), {
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: process.platform,
    out: process.stdout,
    err: process.stderr,
    input: process.stdin,
    signal: stopping.signal,
  });
}
