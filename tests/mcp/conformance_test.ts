import assert from "node:assert/strict";
import { startServer } from "../../scripts/conformance/server.ts";
import {
  EXPECTED_FAILURES,
  fetchSuite,
  judge,
  REVISIONS,
  runSuite,
  type Scenario,
} from "../../scripts/conformance/suite.ts";

const isThere = await fetchSuite();
const skipped = isThere ? "" : " (skipped: the suite cannot be downloaded)";

const FAILING = Object.keys(EXPECTED_FAILURES["2025-11-25"])[0] ?? "";

/** So many scenarios pass at least; of 2025-11-25 six need a session. */
const PASSING = { "2026-07-28": 37, "2025-11-25": 23 } as const;

/** A scenario that the revision requires. */
function scenario(parts: Partial<Scenario>): Scenario {
  return {
    name: "ping",
    passed: 1,
    failed: 0,
    notScored: undefined,
    problems: [],
    ...parts,
  };
}

for (const revision of REVISIONS) {
  Deno.test({
    name:
      `the server passes what the conformance suite requires of ${revision}${skipped}`,
    ignore: !isThere,
    async fn(): Promise<void> {
      await using server = await startServer();
      const scenarios = await runSuite(server.url, revision);
      const wrong = scenarios.filter((one) =>
        ["failed", "unexpected pass"].includes(judge(revision, one))
      );
      assert.deepEqual(wrong, []);
      const passed = scenarios.filter((one) =>
        judge(revision, one) === "passed"
      );
      const least = PASSING[revision];
      assert.ok(passed.length >= least, `only ${passed.length} passed`);
    },
  });
}

Deno.test("judge() fails what fails, and what passes though it is expected to fail", () => {
  const verdict = (parts: Partial<Scenario>) =>
    judge("2025-11-25", scenario(parts));
  assert.equal(verdict({}), "passed");
  assert.equal(verdict({ passed: 0 }), "skipped");
  assert.equal(verdict({ failed: 1 }), "failed");
  assert.equal(verdict({ failed: 1, notScored: "extension" }), "not scored");
  assert.equal(verdict({ name: FAILING, failed: 1 }), "expected failure");
  assert.equal(verdict({ name: FAILING }), "unexpected pass");
});
