import type { Command } from "commander";
import process from "node:process";
import { buildProgram } from "../../lib/cli/program.ts";

/** All commands as they are declared, to be looked at; one that is run touches nothing. */
export function declaredProgram(): Command {
  return buildProgram({
    env: {},
    cwd: "/",
    home: "/",
    platform: process.platform,
    out: { write: () => {} },
    err: { write: () => {} },
    input: process.stdin,
    signal: new AbortController().signal,
  }, () => {});
}
