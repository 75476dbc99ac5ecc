import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KbError } from "../../lib/core/mod.ts";
import type { AddReport, Kb } from "../../lib/kb/mod.ts";
import { openTempKb, type Tree } from "../helpers/temp_kb.ts";

/** An empty base, and a folder with files. */
function openBench(
  files: Tree,
): AsyncDisposable & { readonly kb: Kb; readonly root: string } {
  const base = openTempKb();
  return {
    kb: base.kb,
    root: base.folder(files),
    [Symbol.asyncDispose]: () => base[Symbol.asyncDispose](),
  };
}

function statesOf(report: AddReport, root: string): Record<string, string> {
  return Object.fromEntries(
    report.files.map(({ path, state }) => [path.slice(root.length + 1), state]),
  );
}

Deno.test("sync() adds, updates and removes, and remembers the folder", async () => {
  await using bench = openBench({ "a.md": "alpha", "b.md": "beta" });
  const { kb, root } = bench;
  await kb.sync(root, { collection: "notes", tags: ["x"] });
  writeFileSync(join(root, "a.md"), "alpha two, longer");
  rmSync(join(root, "b.md"));
  writeFileSync(join(root, "c.md"), "gamma");
  const report = await kb.sync(root);
  assert.deepEqual(statesOf(report, root), {
    "a.md": "indexed",
    "c.md": "indexed",
    "b.md": "removed",
  });
  const [remembered] = kb.listRoots();
  assert.equal(remembered?.path, root);
  assert.deepEqual(remembered?.options, { collection: "notes", tags: ["x"] });
  assert.equal(kb.list({ collection: "notes", tags: ["x"] }).total, 2);
});

Deno.test("sync() with dryRun says what a sync then does, and stores nothing", async () => {
  await using bench = openBench({ "a.md": "alpha", "b.md": "beta" });
  const { kb, root } = bench;
  await kb.sync(root);
  renameSync(join(root, "a.md"), join(root, "z.md"));
  rmSync(join(root, "b.md"));
  writeFileSync(join(root, "c.md"), "gamma");
  const before = kb.changeMark();
  const said = await kb.sync(root, { dryRun: true });
  assert.equal(kb.changeMark(), before);
  const done = await kb.sync(root);
  assert.deepEqual(statesOf(said, root), statesOf(done, root));
  assert.deepEqual(statesOf(done, root), {
    "c.md": "indexed",
    "z.md": "indexed",
    "b.md": "removed",
  });
});

Deno.test("sync() keeps id, docid and tags of a file that was moved and renamed", async () => {
  await using bench = openBench({ "a.md": "alpha" });
  const { kb, root } = bench;
  await kb.sync(root);
  const before = kb.summary(join(root, "a.md"));
  kb.tag(String(before.id), { add: ["mine"] });
  mkdirSync(join(root, "sub"));
  renameSync(join(root, "a.md"), join(root, "sub/b.md"));
  const report = await kb.sync(root);
  assert.equal(report.files[0]?.movedFrom, join(root, "a.md"));
  const after = kb.summary(join(root, "sub/b.md"));
  assert.equal(after.id, before.id);
  assert.equal(after.docid, before.docid);
  assert.ok(after.tags.includes("mine"));
  assert.equal(kb.list().total, 1);
});

Deno.test("sync() removes what the rules leave out now", async () => {
  await using bench = openBench({ "a.md": "alpha", "old/b.md": "beta" });
  const { kb, root } = bench;
  await kb.sync(root);
  writeFileSync(join(root, ".kbdbignore"), "old/\n");
  const report = await kb.sync(root);
  const removed = report.files.find(({ state }) => state === "removed");
  assert.equal(removed?.path, join(root, "old/b.md"));
  assert.match(removed?.reason ?? "", /left out/);
});

Deno.test("sync() removes nothing when the folder is empty at once", async () => {
  await using bench = openBench({ "a.md": "alpha" });
  const { kb, root } = bench;
  await kb.sync(root);
  rmSync(join(root, "a.md"));
  await assert.rejects(
    kb.sync(root),
    (error) =>
      error instanceof KbError && error.code === "conflict" &&
      /nothing was removed/.test(error.message),
  );
  assert.equal(kb.list().total, 1);
});

Deno.test("sync() removes nothing when the folder is gone", async () => {
  await using bench = openBench({ "a.md": "alpha" });
  const { kb, root } = bench;
  await kb.sync(root);
  rmSync(root, { recursive: true });
  await assert.rejects(
    kb.sync(root),
    (error) => error instanceof KbError && error.code === "not_found",
  );
  assert.equal(kb.list().total, 1);
});

Deno.test("sync() refuses a file and names the command for it", async () => {
  await using bench = openBench({ "a.md": "alpha" });
  await assert.rejects(bench.kb.sync(join(bench.root, "a.md")), /kbdb add/);
});

Deno.test("sync() leaves a folder below alone that is synced on its own", async () => {
  await using bench = openBench({ "a.md": "alpha", "work/b.md": "beta" });
  const { kb, root } = bench;
  await kb.sync(join(root, "work"), { collection: "work" });
  const report = await kb.sync(root, { collection: "notes" });
  assert.deepEqual(statesOf(report, root), {
    "work": "ignored",
    "a.md": "indexed",
  });
  assert.equal(kb.list({ collection: "work" }).total, 1);
});

Deno.test("forgetRoot() keeps the documents and names what is synced if it was not", async () => {
  await using bench = openBench({ "a.md": "alpha" });
  const { kb, root } = bench;
  await kb.sync(root);
  assert.throws(
    () => kb.forgetRoot("/nowhere"),
    (error) => error instanceof KbError && error.message.includes(root),
  );
  kb.forgetRoot(root);
  assert.deepEqual(kb.listRoots(), []);
  assert.equal(kb.list().total, 1);
});

Deno.test("sync() by two processes' connections at once takes each file in once", async () => {
  await using bench = openBench({ "a.md": "alpha", "b.md": "beta" });
  const { kb, root } = bench;
  await Promise.all([kb.sync(root), kb.sync(root)]);
  assert.equal(kb.list().total, 2);
});
