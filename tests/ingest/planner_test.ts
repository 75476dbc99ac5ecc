import assert from "node:assert/strict";
import { join } from "node:path";
import { localPlanner, type Planner } from "../../lib/ingest/planner.ts";
import { workerPlanner } from "../../lib/ingest/worker_planner.ts";
import { openMeasure } from "../../lib/ingest/measure.ts";
import type { FilePlan, FileToPlan } from "../../lib/ingest/plan_file.ts";
import { type Tree, writeTree } from "../helpers/temp_kb.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const SOURCE = { model: undefined, windowTokens: 512 };
const LABELS = { tags: ["t"], collection: "c" };
const WORKER = new URL("../../text_worker.ts", import.meta.url);
const CRASHES = new URL("../helpers/workers/stops_loading.ts", import.meta.url);
const HOSTILE = new URL(
  "../helpers/workers/hostile_planner.ts",
  import.meta.url,
);

/** Writes files and asks for the plans of `names`. */
function toBatch(
  root: string,
  tree: Tree,
  names: readonly string[] = Object.keys(tree),
): FileToPlan[] {
  writeTree(root, tree);
  return names.map((name) => ({
    file: { path: join(root, name), sizeBytes: 1, mtimeMs: 1 },
    known: undefined,
  }));
}

function openWorker(
  url: URL,
  bounds: { fileMs?: number; heapMb?: number } = {},
): Planner {
  return workerPlanner({
    url,
    setup: { source: SOURCE, ...LABELS },
    fallback: { measure: openMeasure(SOURCE), ...LABELS },
    ...bounds,
  });
}

/** Takes the time of the look at the file out. */
function withoutTimes(plans: unknown): unknown {
  return JSON.parse(
    JSON.stringify(plans),
    (key, value) => key === "seenMs" ? 0 : value,
  );
}

function statesOf(plans: readonly FilePlan[]): string[] {
  return plans.map(({ report }) => report.state);
}

const MIXED: Tree = {
  "a.md": "# A\n\nText.\n",
  "b.bin": Uint8Array.of(0, 1),
  "c.md": "",
};

Deno.test("workerPlanner() plans as the calling thread does", async () => {
  using dir = makeTempDir();
  const batch = toBatch(dir.path, MIXED, [
    ...Object.keys(MIXED),
    "missing.md",
  ]);
  await using planner = openWorker(WORKER);
  await using local = localPlanner(
    { measure: openMeasure(SOURCE), ...LABELS },
    () => assert.fail("No file needs another thread"),
  );
  const expected = await local.plan(batch);
  assert.deepEqual(statesOf(expected), [
    "indexed",
    "binary",
    "empty",
    "unreadable",
  ]);
  const [first, second] = await Promise.all([
    planner.plan(batch),
    planner.plan(batch.slice(0, 1)),
  ]);
  assert.deepEqual(withoutTimes(first), withoutTimes(expected));
  assert.deepEqual(withoutTimes(second), withoutTimes(expected.slice(0, 1)));
});

Deno.test("workerPlanner() plans texts in the calling thread when its worker cannot be started", async () => {
  using dir = makeTempDir();
  const batch = toBatch(dir.path, MIXED);
  await using planner = openWorker(CRASHES);
  for (let round = 0; round < 2; round++) {
    const plans = await planner.plan(batch);
    assert.equal(plans[0]?.report.state, "indexed");
  }
});

Deno.test.each([
  {
    order: "loop",
    bounds: { fileMs: 1_500 },
    state: "too_large",
    says: /longer than 1\.5 s/,
  },
  {
    order: "exit",
    bounds: {},
    state: "corrupted",
    says: /ended the thread/,
  },
  {
    order: "memory",
    bounds: { fileMs: 3_000, heapMb: 64 },
    state: "too_large",
    says: /more memory than 64 MiB/,
  },
])(
  "workerPlanner() says $state of a file that makes its reader $order and plans the rest",
  async (row) => {
    using dir = makeTempDir();
    const batch = toBatch(dir.path, {
      "a.md": "alpha",
      "b.md": row.order,
      "c.md": "gamma",
      "d.md": row.order,
      "e.md": "epsilon",
    });
    await using planner = openWorker(HOSTILE, row.bounds);
    const [plans, next] = await Promise.all([
      planner.plan(batch),
      planner.plan(batch.slice(0, 1)),
    ]);
    assert.deepEqual(statesOf(plans), [
      "indexed",
      row.state,
      "indexed",
      row.state,
      "indexed",
    ]);
    assert.match(plans[1]?.report.reason ?? "", row.says);
    assert.deepEqual(statesOf(next), ["indexed"]);
  },
);
