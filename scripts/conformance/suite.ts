/**
 * Runs the MCP conformance suite against a server and judges what it reports.
 *
 * @module
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import config from "../../deno.json" with { type: "json" };

/** The package and its version, as deno.json pins it. */
const SUITE = config.imports["@modelcontextprotocol/conformance"];
const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const TIMEOUT_MS = 120_000;

/** The revisions the server speaks. */
export const REVISIONS = ["2026-07-28", "2025-11-25"] as const;

/** A revision of the protocol. */
export type Revision = typeof REVISIONS[number];

/** Over stdio a server of kbdb does ask in this revision; see tests/mcp/sampling_test.ts. */
const NEEDS_SESSION =
  "has the server ask the client, which takes a session in this revision; sessions are optional, and kbdb serves HTTP without";

const NEEDS_STREAM =
  "has the server tell of a change later, which takes a session in this revision; kbdb serves HTTP without, so it neither offers nor takes subscriptions";

/** Scenarios that are required and fail, with the reason. One that passes after all is an error. */
export const EXPECTED_FAILURES: Readonly<
  Record<Revision, Readonly<Record<string, string>>>
> = {
  "2026-07-28": {},
  "2025-11-25": {
    "tools-call-sampling": NEEDS_SESSION,
    "tools-call-elicitation": NEEDS_SESSION,
    "elicitation-sep1034-defaults": NEEDS_SESSION,
    "elicitation-sep1330-enums": NEEDS_SESSION,
    "resources-subscribe": NEEDS_STREAM,
    "resources-unsubscribe": NEEDS_STREAM,
  },
};

/** What one scenario came to. */
export interface Scenario {
  /** Name. */
  readonly name: string;
  /** Checks that passed. */
  readonly passed: number;
  /** Checks that failed. */
  readonly failed: number;
  /** Why the revision does not require it; `undefined` if it does. */
  readonly notScored: string | undefined;
  /** What is wrong, one line for each failed check. */
  readonly problems: readonly string[];
}

/** How a scenario is judged. */
export type Verdict =
  | "passed"
  | "failed"
  | "expected failure"
  | "unexpected pass"
  | "skipped"
  | "not scored";

/** Judges a scenario of a revision. */
export function judge(revision: Revision, scenario: Scenario): Verdict {
  if (scenario.notScored !== undefined) return "not scored";
  const isExpected = Object.hasOwn(EXPECTED_FAILURES[revision], scenario.name);
  if (scenario.failed > 0) return isExpected ? "expected failure" : "failed";
  if (isExpected) return "unexpected pass";
  return scenario.passed > 0 ? "passed" : "skipped";
}

/** Fetches the package unless it is there; answers whether it can be had. */
export async function fetchSuite(): Promise<boolean> {
  return (await deno(["cache", "--quiet", SUITE])).success;
}

/**
 * Runs everything a revision requires, and what it does not require but the suite has.
 *
 * @param url The server.
 * @param revision Decides on the scenarios and on how the suite talks.
 * @returns At least one scenario.
 * @throws {Error} If the suite did not run to its end.
 */
export async function runSuite(
  url: string,
  revision: Revision,
): Promise<Scenario[]> {
  const dir = mkdtempSync(join(tmpdir(), "kbdb-conformance-"));
  try {
    const { stdout, stderr } = await deno([
      "run",
      "--no-prompt",
      "--allow-read",
      "--allow-env",
      "--allow-sys",
      `--allow-write=${dir}`,
      `--allow-net=${new URL(url).hostname}`,
      SUITE,
      "server",
      ...["--url", url, "--requirements", revision, "--output-dir", dir],
    ]);
    const decoder = new TextDecoder();
    const scenarios = readSummary(decoder.decode(stdout), readProblems(dir));
    if (scenarios.length > 0) return scenarios;
    throw new Error(`The suite reports nothing: ${decoder.decode(stderr)}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/**
 * Reads the summary at the end of what the suite prints.
 *
 * @param output All it printed.
 * @param problems What is wrong, by scenario.
 * @returns In the order of the suite.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 *
 * const output = [
 *   "=== SUMMARY ===",
 *   "✓ ping: 2 passed, 0 failed",
 *   "✗ tasks: 0 passed, 1 failed",
 *   "Not scored for 2026-07-28: 1 scenario(s) run, 1 failing.",
 *   "  ✗ tasks (extension)",
 * ].join("\n");
 * const problems = new Map([["tasks", ["no tasks"]]]);
 * assert.deepEqual(readSummary(output, problems), [
 *   { name: "ping", passed: 2, failed: 0, notScored: undefined, problems: [] },
 *   { name: "tasks", passed: 0, failed: 1, notScored: "extension", problems: ["no tasks"] },
 * ]);
 * ```
 */
export function readSummary(
  output: string,
  problems: ReadonlyMap<string, readonly string[]>,
): Scenario[] {
  const [, summary = ""] = output.split("=== SUMMARY ===");
  const notScored = new Map(
    [...summary.matchAll(/^ +[✓✗] (\S+) \((.+)\)$/gmu)]
      .map(([, name = "", reason = ""]) => [name, reason]),
  );
  return [...summary.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gmu)]
    .map(([, name = "", passed, failed]) => ({
      name,
      passed: Number(passed),
      failed: Number(failed),
      notScored: notScored.get(name),
      problems: problems.get(name) ?? [],
    }));
}

const checksSchema = z.array(z.looseObject({
  id: z.string(),
  status: z.string(),
  errorMessage: z.string().optional(),
}));

/** What is wrong by scenario, from the files of the suite. */
function readProblems(dir: string): Map<string, string[]> {
  const problems = new Map<string, string[]>();
  for (const entry of readdirSync(dir)) {
    const [, name] = /^server-(.+?)-\d{4}-\d\d-\d\dT/.exec(entry) ?? [];
    if (name === undefined) continue;
    const path = join(dir, entry, "checks.json");
    const checks = checksSchema.parse(JSON.parse(readFileSync(path, "utf8")));
    problems.set(
      name,
      checks.filter(({ status }) => status === "FAILURE")
        .map(({ id, errorMessage = "failed" }) => `${id}: ${errorMessage}`),
    );
  }
  return problems;
}

async function deno(args: readonly string[]): Promise<Deno.CommandOutput> {
  return await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: ROOT,
    env: { DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).output();
}
