import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { sha256Hex } from "../../lib/core/mod.ts";
import { JobRunner, Originals } from "../../lib/ingest/mod.ts";
import type { FilePlan } from "../../lib/ingest/plan_file.ts";
import {
  claimJob,
  findJob,
  insertJob,
  type JobRow,
  openStore,
  type Store,
} from "../../lib/store/mod.ts";
import { WORDS } from "../helpers/temp_kb.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const BINARY: FilePlan = {
  report: { path: "a", state: "binary", reason: "a test says so" },
  readBytes: 0,
};

/** A runner whose files are read when the test says so. */
interface Held extends AsyncDisposable {
  readonly store: Store;
  readonly dbPath: string;
  readonly runner: JobRunner;
  readonly errors: readonly unknown[];
  /** Names of the files whose reading has begun. */
  readonly begun: readonly string[];
  /** Ends of planners. */
  readonly drops: () => number;
  /** Lets all files be read. */
  readonly release: () => void;
  submit(name: string): number;
  job(id: number): JobRow;
}

function openHeld(leaseMs?: number): Held {
  const temp = makeTempDir();
  const dbPath = join(temp.path, "kb.db");
  const store = openStore(dbPath, { busyTimeoutMs: 0 });
  const errors: unknown[] = [];
  const begun: string[] = [];
  let drops = 0;
  let isReleased = false;
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const runner = new JobRunner(store, {
    measure: () => WORDS,
    originals: new Originals(join(temp.path, "files")),
    planner: () => ({
      async plan([item]) {
        begun.push(item?.file.path ?? "");
        if (!isReleased) await released;
        return [BINARY];
      },
    }),
    dropPlanner: () => {
      drops++;
      return Promise.resolve();
    },
    onError: (error) => errors.push(error),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  });
  return {
    store,
    dbPath,
    runner,
    errors,
    begun,
    drops: () => drops,
    release(): void {
      isReleased = true;
      resolve();
    },
    submit: (name) =>
      store.write(() =>
        insertJob(store, {
          kind: "file",
          name,
          payload: { path: name, sha256: sha256Hex(name), sizeBytes: 1 },
        })
      ),
    job: (id) => findJob(store, id) ?? assert.fail("no such job"),
    async [Symbol.asyncDispose](): Promise<void> {
      resolve();
      await runner.stop();
      store.close();
      temp[Symbol.dispose]();
    },
  };
}

/** Waits for something, but not for ever. */
async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; !what(); tries++) {
    assert.ok(tries < 500, "It did not come to pass");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

Deno.test("a runner that cannot prolong its lease says so, and ends the job", async () => {
  await using held = openHeld(400);
  const id = held.submit("a");
  held.runner.start();
  await until(() => held.begun.length === 1);
  const other = new DatabaseSync(held.dbPath);
  other.exec("BEGIN IMMEDIATE");
  await until(() => held.errors.length > 0);
  other.exec("ROLLBACK");
  other.close();
  assert.match(String(held.errors[0]), /another process is writing/);
  held.release();
  await until(() => held.job(id).status === "failed");
  assert.equal(held.job(id).state, "binary");
});

Deno.test("a job that is cancelled while its file is read is left at once", async () => {
  await using held = openHeld();
  const [first, second] = [held.submit("first"), held.submit("second")];
  held.runner.start();
  await until(() => held.begun.length === 1);
  held.store.run("UPDATE jobs SET status = 'cancelled' WHERE id = ?", first);
  held.runner.leave(second);
  held.runner.leave(first);
  await until(() => held.begun.length === 2);
  assert.deepEqual(held.begun, ["first", "second"]);
  assert.equal(held.drops(), 1);
  assert.equal(held.job(first).status, "cancelled");
});

Deno.test("a job that another process took or cancelled is left when its lease is to be prolonged", async () => {
  await using held = openHeld(100);
  const [first, second] = [held.submit("first"), held.submit("second")];
  held.runner.start();
  await until(() => held.begun.length === 1);
  held.store.run(
    "UPDATE jobs SET owner = 'other', lease_until = '2999' WHERE id = ?",
    first,
  );
  await until(() => held.begun.length === 2);
  const { status, attempts } = held.job(first);
  assert.deepEqual([status, attempts], ["processing", 1]);
  assert.equal(held.job(second).status, "processing");
});

Deno.test("a runner that is stopped gives back a job that takes long, as if it had not been begun", async () => {
  await using held = openHeld();
  const id = held.submit("a");
  held.runner.start();
  await until(() => held.begun.length === 1);
  await held.runner.stop();
  const { status, attempts, startedAt } = held.job(id);
  assert.deepEqual([status, attempts, startedAt], ["queued", 0, null]);
});

Deno.test("a job whose process ended three times has failed and stops no other", async () => {
  await using held = openHeld();
  const { store } = held;
  const [bad, good] = [held.submit("bad"), held.submit("good")];
  const claim = () =>
    claimJob(store, "gone", { leaseUntil: "2020-01-01", triesMax: 3 })?.id;
  assert.deepEqual([claim(), claim(), claim()], [bad, bad, bad]);
  assert.equal(claim(), good);
  const { status, error, attempts } = held.job(bad);
  assert.deepEqual([status, attempts], ["failed", 3]);
  assert.match(error ?? "", /ended each of the 3 times/);
});
