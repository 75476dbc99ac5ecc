import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { CliFolder } from "../helpers/run_cli.ts";

/** A folder with a base and two notes in a folder of their own. */
async function openFolder(): Promise<CliFolder> {
  const folder = new CliFolder();
  folder.write({ "notes/a.md": "alpha", "notes/b.md": "beta" });
  await folder.run(["init"]);
  return folder;
}

const SYNC = ["sync", "--no-embed"];

Deno.test("kbdb sync adds, and a bare kbdb sync later removes, updates and keeps the collection", async () => {
  using folder = await openFolder();
  const first = await folder.run([...SYNC, "notes", "-c", "mine"]);
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /^notes: 2 indexed$/m);
  rmSync(join(folder.cwd, "notes/a.md"));
  folder.write({ "notes/c.md": "gamma" });
  const second = await folder.run(SYNC);
  assert.match(second.out, /1 unchanged, 1 indexed, 1 removed/);
  assert.match(second.out, /removed {2}notes\/a\.md: Its file is gone/);
  const { out } = await folder.run(["list", "-c", "mine", "--json"]);
  assert.equal(JSON.parse(out).total, 2);
});

Deno.test("kbdb sync names what was renamed", async () => {
  using folder = await openFolder();
  await folder.run([...SYNC, "notes"]);
  rmSync(join(folder.cwd, "notes/a.md"));
  folder.write({ "notes/z.md": "alpha" });
  const { out } = await folder.run(SYNC);
  assert.match(out, /renamed {2}notes\/a\.md to notes\/z\.md/);
});

Deno.test("kbdb sync --dry-run changes nothing", async () => {
  using folder = await openFolder();
  const { out, err } = await folder.run([...SYNC, "notes", "--dry-run"]);
  assert.match(out, /2 indexed/);
  assert.match(err, /Nothing is changed/);
  assert.equal(JSON.parse((await folder.run(["list", "--json"])).out).total, 0);
  assert.match((await folder.run(["roots"])).err, /No folder was synced/);
});

Deno.test("kbdb sync exits 2 and says what to name if no folder was synced", async () => {
  using folder = await openFolder();
  const { code, err } = await folder.run(["sync"]);
  assert.equal(code, 2);
  assert.match(err, /kbdb sync FOLDER/);
});

Deno.test("kbdb sync exits 5 and removes nothing when a folder is empty at once", async () => {
  using folder = await openFolder();
  await folder.run([...SYNC, "notes"]);
  rmSync(join(folder.cwd, "notes/a.md"));
  rmSync(join(folder.cwd, "notes/b.md"));
  const { code, err } = await folder.run(SYNC);
  assert.equal(code, 5);
  assert.match(err, /nothing was removed.*kbdb rm/);
  assert.equal(JSON.parse((await folder.run(["list", "--json"])).out).total, 2);
});

Deno.test("kbdb sync and add honour ignore files, patterns and --no-ignore", async () => {
  using folder = await openFolder();
  folder.write({ "notes/.gitignore": "b.md\n", "notes/c.txt": "gamma" });
  const names = async (...args: string[]) => {
    const { out } = await folder.run([...args, "--json", "--dry-run"]);
    const [{ files }] = JSON.parse(out).reports;
    return files
      .filter(({ state }: { state: string }) => state === "indexed")
      .map(({ path }: { path: string }) => path.split("/").at(-1));
  };
  assert.deepEqual(await names(...SYNC, "notes"), [
    ".gitignore",
    "a.md",
    "c.txt",
  ]);
  assert.deepEqual(await names(...SYNC, "notes", "--include", "*.md"), [
    "a.md",
  ]);
  assert.deepEqual(
    await names(...SYNC, "notes", "--no-ignore", "--exclude", ".*"),
    ["a.md", "b.md", "c.txt"],
  );
  const added = await folder.run(["add", "--no-embed", "notes"]);
  assert.match(added.out, /ignored {2}notes\/b\.md: Left out by \.gitignore/);
  const named = await folder.run(["add", "--no-embed", "notes/b.md"]);
  assert.match(named.out, /1 indexed/);
});

Deno.test("a blank pattern takes away those a folder was synced with, and leaving out every file is no failure", async () => {
  using folder = new CliFolder();
  folder.write({ "notes/a.md": "# A\n" });
  const sync = ["sync", "notes", "--no-embed"];
  const none = await folder.run([...sync, "--include", "*.txt"]);
  assert.equal(none.code, 0, none.err);
  assert.match(none.out, /1 ignored/);
  const all = await folder.run([...sync, "--include", ""]);
  assert.match(all.out, /1 indexed/);
  const { out } = await folder.run(["roots", "--json"]);
  assert.deepEqual(JSON.parse(out)[0].options.include, []);
  const missing = await folder.run(["sync", "nowhere", "--no-embed"]);
  assert.match(missing.err, /Cannot sync ".*nowhere": it does not exist/);
});

Deno.test("kbdb roots lists folders with their options, and forgets one", async () => {
  using folder = await openFolder();
  await folder.run([...SYNC, "notes", "-t", "x", "--exclude", "*.txt"]);
  const { out } = await folder.run(["roots"]);
  assert.match(out, /^notes {2}documents {2}--tag x --exclude \*\.txt {2}/);
  const refused = await folder.run(["roots", "forget", "notes", "--documents"]);
  assert.equal(refused.code, 2);
  const forgot = await folder.run([
    "roots",
    "forget",
    "notes",
    "--documents",
    "--yes",
  ]);
  assert.match(forgot.out, /removed 2 documents/);
  assert.equal((await folder.run(["roots", "forget", "notes"])).code, 4);
});
