/**
 * Runs the MCP conformance suite for every revision against the real server over HTTP and prints
 * what each scenario came to. Ends with 1 if one fails that is not expected to.
 *
 * @module
 */
import process from "node:process";
import { startServer } from "./conformance/server.ts";
import {
  EXPECTED_FAILURES,
  fetchSuite,
  judge,
  type Revision,
  REVISIONS,
  runSuite,
  type Scenario,
  type Verdict,
} from "./conformance/suite.ts";

const BAD: readonly Verdict[] = ["failed", "unexpected pass"];

/** Prints the scenarios of a revision; answers whether all are as they should be. */
function report(revision: Revision, scenarios: readonly Scenario[]): boolean {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const counts = new Map<string, number>();
  let isGood = true;
  print(`\n${revision}`);
  for (const scenario of scenarios) {
    const verdict = judge(revision, scenario);
    counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    const cells = [
      scenario.name.padEnd(width),
      String(scenario.passed).padStart(3),
      String(scenario.failed).padStart(3),
      describe(scenario, verdict),
    ];
    print(`  ${cells.join("  ")}`);
    if (!BAD.includes(verdict)) continue;
    isGood = false;
    for (const problem of scenario.problems) print(`    ${problem}`);
  }
  const total = [...counts].map(([verdict, count]) => `${count} ${verdict}`);
  print(`  ${total.join(", ")}`);
  for (const [name, reason] of Object.entries(EXPECTED_FAILURES[revision])) {
    print(`  ${name} is expected to fail: ${reason}`);
  }
  return isGood;
}

function describe({ failed, notScored }: Scenario, verdict: Verdict): string {
  return verdict === "not scored"
    ? `${verdict} (${notScored}), ${failed > 0 ? "failed" : "passed"}`
    : verdict;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function main(): Promise<number> {
  if (!await fetchSuite()) {
    process.stderr.write("Cannot fetch the conformance suite\n");
    return 1;
  }
  await using server = await startServer();
  let isGood = true;
  for (const revision of REVISIONS) {
    const scenarios = await runSuite(server.url, revision);
    isGood = report(revision, scenarios) && isGood;
  }
  return isGood ? 0 : 1;
}

process.exitCode = await main();
