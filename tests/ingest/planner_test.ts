import assert from "node:assert/strict";
import { join } from "node:path";
import { localPlanner, workerPlanner } from "../../lib/ingest/planner.ts";
import { openMeasure } from "../../lib/ingest/measure.ts";
import type { FileToPlan } from "../../lib/ingest/plan_file.ts";
import { writeTree } from "../helpers/temp_kb.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const SOURCE = { model: undefined, windowTokens: 512 };
const LABELS = { tags: ["t"], collection: "c" };
const WORKER = new URL("../../text_worker.ts", import.meta.url);
const CRASHES = new URL("../helpers/workers/stops_loading.ts", import.meta.url);

function toBatch(root: string): FileToPlan[] {
  writeTree(root, {
    "a.md": "# A\n\nText.\n",
    "b.bin": Uint8Array.of(0, 1),
    "c.md": "",
  });
  return ["a.md", "b.bin", "c.md", "missing.md"].map((name) => ({
    file: { path: join(root, name), sizeBytes: 1, mtimeMs: 1 },
    known: undefined,
  }));
}

/** Takes the time of the look at the file out. */
function withoutTimes(plans: unknown): unknown {
  return JSON.parse(
    JSON.stringify(plans),
    (key, value) => key === "seenMs" ? 0 : value,
  );
}

Deno.test("workerPlanner() plans as the calling thread does", async () => {
  using dir = makeTempDir();
  const batch = toBatch(dir.path);
  const options = { measure: openMeasure(SOURCE), ...LABELS };
  const expected = await localPlanner(options).plan(batch);
  assert.deepEqual(expected.map(({ report }) => report.state), [
    "indexed",
    "binary",
    "empty",
    "unreadable",
  ]);
  await using planner = workerPlanner(
    WORKER,
    { source: SOURCE, ...LABELS },
    options,
  );
  const [first, second] = await Promise.all([
    planner.plan(batch),
    planner.plan(batch.slice(0, 1)),
  ]);
  assert.deepEqual(withoutTimes(first), withoutTimes(expected));
  assert.deepEqual(withoutTimes(second), withoutTimes(expected.slice(0, 1)));
});

Deno.test("workerPlanner() plans in the calling thread when its worker stops", async () => {
  using dir = makeTempDir();
  const batch = toBatch(dir.path);
  const options = { measure: openMeasure(SOURCE) };
  await using planner = workerPlanner(CRASHES, { source: SOURCE }, options);
  for (let round = 0; round < 2; round++) {
    const plans = await planner.plan(batch);
    assert.equal(plans[0]?.report.state, "indexed");
  }
});
