import assert from "node:assert/strict";
import { CliFolder } from "../helpers/run_cli.ts";

/** A folder with a base of three notes in two collections. */
async function openFolder(): Promise<CliFolder> {
  const folder = new CliFolder();
  await folder.run(["init"]);
  for (const [text, name] of [["One.", "a"], ["Two.", "a"], ["Three.", "b"]]) {
    await folder.run(["addnote", text ?? "", "-c", name ?? "", "--no-embed"]);
  }
  return folder;
}

Deno.test("kbdb collections lists them with counts", async () => {
  using folder = await openFolder();
  const { out } = await folder.run(["collections"]);
  assert.match(out, /^a {2}2 documents .*\nb {2}1 document /);
  const json = JSON.parse(
    (await folder.run(["collections", "--format", "json"])).out,
  );
  assert.deepEqual(json.map(({ name }: { name: string }) => name), ["a", "b"]);
});

Deno.test("kbdb collections rename exits 5 if the name is taken, 4 if there is none", async () => {
  using folder = await openFolder();
  assert.equal((await folder.run(["collections", "rename", "a", "b"])).code, 5);
  assert.equal((await folder.run(["collections", "rename", "x", "y"])).code, 4);
  const merged = await folder.run([
    "collections",
    "rename",
    "a",
    "b",
    "--merge",
  ]);
  assert.equal(merged.out, "Moved 2 documents to b\n");
});

Deno.test("kbdb collections rm asks first", async () => {
  using folder = await openFolder();
  const asked = await folder.run(["collections", "rm", "a"]);
  assert.equal(asked.code, 2);
  assert.match(asked.err, /Remove the collection "a" with 2 documents/);
  assert.equal(
    (await folder.run(["collections", "rm", "a", "--yes"])).out,
    "Removed 2 documents\n",
  );
  assert.match((await folder.run(["list"])).err, /^1 document$/m);
  assert.equal((await folder.run(["collections", "rm", "a"])).code, 4);
});

Deno.test("kbdb key create prints the key once, kbdb key list never", async () => {
  using folder = await openFolder();
  const made = await folder.run([
    "key",
    "create",
    "laptop",
    "--scope",
    "write",
  ]);
  assert.match(made.out, /^kbdb_[\w-]+\n$/);
  const listed = await folder.run(["key", "list"]);
  assert.match(listed.out, /^laptop {2}write {2}made .* never used\n$/);
  assert.ok(!listed.out.includes(made.out.trim()));
  assert.equal((await folder.run(["key", "create", "laptop"])).code, 5);
  assert.equal((await folder.run(["key", "revoke", "laptop"])).code, 0);
  assert.equal((await folder.run(["key", "revoke", "laptop"])).code, 4);
});
