/**
 * The thirty-second demo: adds this project's own documents to a throw-away base and searches it.
 *
 * @module
 */
import { mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { run } from "../lib/cli/mod.ts";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const COMMANDS = [
  ["add", "README.md", "docs/search.md", "docs/decisions"],
  ["search", "--fts-only", "--limit", "1", "busy_timeout"],
  [
    "search",
    "--limit",
    "2",
    "how long does a writer wait for the lock of another",
  ],
];

/** Runs the demo's commands; answers the first exit code that is not 0. */
async function demo(): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), "kbdb-demo-"));
  try {
    for (const args of COMMANDS) {
      const shown = args.map((arg) => arg.includes(" ") ? `"${arg}"` : arg)
        .join(" ");
      process.stdout.write(`\n$ kbdb ${shown}\n`);
      const code = await run(["--db", dir, ...args], {
        env: process.env,
        cwd: ROOT,
        home: homedir(),
        platform: process.platform,
        out: process.stdout,
        err: process.stderr,
        input: process.stdin,
        signal: AbortSignal.timeout(600_000),
      });
      if (code !== 0) return code;
    }
    return 0;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

process.exitCode = await demo();
