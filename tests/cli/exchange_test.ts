import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { CliFolder } from "../helpers/run_cli.ts";

/** A folder with a base of two notes. */
async function openFolder(): Promise<CliFolder> {
  const folder = new CliFolder();
  await folder.run(["init"]);
  for (const docid of ["one", "two"]) {
    await folder.run([
      "addnote",
      `Text of ${docid}.`,
      "--docid",
      docid,
      "--no-embed",
    ]);
  }
  return folder;
}

Deno.test("kbdb export writes a folder that kbdb import takes in, and nothing twice", async () => {
  using folder = await openFolder();
  const written = await folder.run(["export", "out"]);
  assert.equal(written.code, 0, written.err);
  assert.match(written.out, /^Wrote 2 documents, 0 skills/);
  assert.ok(
    existsSync(join(folder.cwd, "out/documents/documents/Text of one.md")),
  );
  const args = ["--db", "new", "import", "out", "--no-embed"];
  assert.match((await folder.run(args)).out, /^out: 2 added\n$/);
  assert.match((await folder.run(args)).out, /^out: 2 unchanged\n$/);
  assert.equal(
    (await folder.run(["--db", "new", "get", "two"])).out,
    "Text of two.\n",
  );
  assert.equal((await folder.run(["export", "out"])).code, 5);
});

Deno.test("kbdb import exits 3 if nothing could be taken in and 4 if there is nothing", async () => {
  using folder = await openFolder();
  folder.write({ "bad.jsonl": '{"kind":"document"}\n', "a.txt": "x" });
  const bad = await folder.run(["import", "bad.jsonl", "--no-embed"]);
  assert.equal(bad.code, 3);
  assert.match(bad.out, /failed {2}line 1: docid/);
  assert.equal((await folder.run(["import", "gone"])).code, 4);
  assert.equal((await folder.run(["import", "a.txt"])).code, 2);
});
