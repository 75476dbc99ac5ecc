import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Largest package that JSR takes, in bytes. */
const PACKAGE_MAX = 20e6;

/** Searches a base by the library alone, which has no model beside it. */
const PROGRAM = `
import { openKb } from "./mod.ts";
await using kb = openKb({ dir: "base" });
kb.addNote("The ferry to Naxos leaves at seven.");
const { hits, degraded, notes } = await kb.search("ferry");
console.log(JSON.stringify({ hits: hits.length, degraded, notes }));
`;

function runDeno(args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(Deno.execPath(), args, {
    cwd,
    encoding: "utf8",
    env: { ...process.env, NO_COLOR: "1", HF_ENDPOINT: "http://127.0.0.1:9" },
  });
  assert.equal(status, 0, stderr);
  return `${stdout}\n${stderr}`;
}

Deno.test("what JSR gets is clean, small, and answers by word without the model", () => {
  const said = runDeno(["publish", "--dry-run", "--allow-dirty"], ROOT);
  assert.doesNotMatch(said, /^(?:warning|error)/im);
  const files = [...said.matchAll(/^\s+file:\/\/(\S+) \(/gm)]
    .map(([, path]) => relative(ROOT, path ?? ""));
  assert.ok(files.includes("mod.ts") && files.includes("worker.ts"));
  assert.deepEqual(files.filter((it) => /^(?:models|tests|\.\.)/.test(it)), []);
  const bytes = files.map((it) => statSync(join(ROOT, it)).size);
  assert.ok(bytes.reduce((sum, size) => sum + size, 0) < PACKAGE_MAX);

  const dir = mkdtempSync(join(tmpdir(), "kbdb-jsr-"));
  try {
    for (const file of files) cpSync(join(ROOT, file), join(dir, file));
    writeFileSync(join(dir, "program.ts"), PROGRAM);
    const [line = ""] = runDeno(
      ["run", "--allow-all", "--no-lock", "--no-check", "program.ts"],
      dir,
    ).split("\n");
    const { hits, degraded, notes } = JSON.parse(line);
    assert.equal(hits, 1);
    assert.deepEqual(degraded, ["no_vectors"]);
    assert.match(notes.join(" "), /model/);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
