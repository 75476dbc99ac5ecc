import assert from "node:assert/strict";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliFolder } from "../helpers/run_cli.ts";

/** A folder with a base of one note. */
async function openFolder(): Promise<CliFolder> {
  const folder = new CliFolder();
  await folder.run(["init"]);
  await folder.run(["addnote", "The gate opens at nine.", "--no-embed"]);
  return folder;
}

Deno.test("kbdb backup saves a base that kbdb restore brings back", async () => {
  using folder = await openFolder();
  const saved = await folder.run(["backup", "saved/monday"]);
  assert.equal(saved.code, 0, saved.err);
  assert.match(saved.out, /^Saved 1 document, .* to saved\/monday/);
  const restored = await folder.run([
    "--db",
    "new",
    "restore",
    "saved/monday",
    "--format",
    "json",
  ]);
  assert.equal(JSON.parse(restored.out).manifest.counts.documents, 1);
  const found = await folder.run(["--db", "new", "search", "gate opens"]);
  assert.match(found.out, /The gate opens at nine/);
});

Deno.test("kbdb backup exits 5 if the target exists and 4 if there is no base", async () => {
  using folder = await openFolder();
  await folder.run(["backup", "saved"]);
  assert.equal((await folder.run(["backup", "saved"])).code, 5);
  assert.equal((await folder.run(["--db", "no", "backup", "b"])).code, 4);
});

Deno.test("kbdb restore exits 65 for a damaged backup and says what is wrong", async () => {
  using folder = await openFolder();
  await folder.run(["backup", "saved"]);
  writeFileSync(join(folder.cwd, "saved", "kb.db"), "short");
  const { code, err } = await folder.run(["--db", "new", "restore", "saved"]);
  assert.equal(code, 65);
  assert.match(err, /kb\.db has 5 bytes, expected/);
  assert.ok(!existsSync(join(folder.cwd, "new")));
});

Deno.test("kbdb restore --replace asks first, and exits 2 if nobody can be asked", async () => {
  using folder = await openFolder();
  await folder.run(["backup", "saved"]);
  await folder.run(["addnote", "Written after the backup.", "--no-embed"]);
  const refused = await folder.run(["restore", "saved", "--replace"]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /say --yes if you mean it/);
  assert.equal((await folder.run(["restore", "saved"])).code, 5);
  const done = await folder.run(["restore", "saved", "--replace", "--yes"]);
  assert.equal(done.code, 0, done.err);
  const kept = readdirSync(join(folder.cwd, ".kbdb")).filter((name) =>
    name.startsWith("replaced-")
  );
  assert.equal(kept.length, 1);
  assert.match((await folder.run(["list"])).err, /^1 document$/m);
});
