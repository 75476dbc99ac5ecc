import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { KbError, sha256Hex } from "../../lib/core/mod.ts";
import {
  backupBase,
  openKb,
  restoreBase,
  verifyBackup,
} from "../../lib/kb/mod.ts";
import { openTempKb, type TempKb } from "../helpers/temp_kb.ts";
import { upload } from "../helpers/upload.ts";

const UPLOAD = "# Kept\n\nThe original of an upload.\n";

/** A base with a file, a note, and an uploaded document with its original. */
async function fill({ kb, folder }: TempKb): Promise<void> {
  await kb.add(folder({ "a.md": "# One\n\nThe spare key hangs outside.\n" }));
  kb.addNote("The gate opens at nine.", { docid: "gate", tags: ["door"] });
  await upload(kb, "kept.md", UPLOAD);
  await kb.embed();
}

/** Names in a folder. */
function names(path: string): string[] {
  return readdirSync(path).sort();
}

/** The code of the error a promise ends with. */
async function codeOf(work: Promise<unknown>): Promise<[string, string]> {
  try {
    await work;
  } catch (error) {
    if (error instanceof KbError) return [error.code, error.message];
    throw error;
  }
  throw new Error("Nothing went wrong");
}

Deno.test("backupBase() saves documents, vectors and originals, and restoreBase() brings them back", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const target = join(dirname(temp.dir), "saved", "monday");
  const { manifest, warnings } = await backupBase(temp.dir, target, {
    version: "9.9.9",
  });
  assert.deepEqual(warnings, []);
  assert.equal(manifest.kbdbVersion, "9.9.9");
  assert.equal(manifest.counts.documents, 3);
  assert.equal(manifest.counts.originals, 1);
  assert.ok(manifest.counts.vectors > 0);
  assert.deepEqual(names(target), ["files", "kb.db", "manifest.json"]);
  assert.deepEqual(names(dirname(target)), ["monday"], "nothing half-made");
  assert.equal(statSync(target).mode & 0o777, 0o700);
  assert.equal(statSync(join(target, "kb.db")).mode & 0o777, 0o600);

  const dir = join(dirname(temp.dir), "again", ".kbdb");
  await restoreBase(target, dir);
  await using kb = openKb({ dir, embedder: temp.embedder });
  assert.deepEqual(kb.list().documents, temp.kb.list().documents);
  assert.deepEqual(kb.status().vectors, temp.kb.status().vectors);
  const { hits } = await kb.search("spare key");
  assert.deepEqual(
    hits.map(({ kbid }) => kbid),
    (await temp.kb.search("spare key")).hits.map(({ kbid }) => kbid),
  );
  const uploaded = kb.list().documents.find(({ path }) => path === "kept.md");
  const original = kb.original(uploaded?.docid ?? "");
  assert.equal(readFileSync(original?.path ?? "", "utf8"), UPLOAD);
  assert.ok((await kb.check()).ok);
});

Deno.test("backupBase() refuses a target that exists and a base that does not", async () => {
  await using temp = openTempKb();
  const target = join(dirname(temp.dir), "taken");
  mkdirSync(target);
  assert.equal((await codeOf(backupBase(temp.dir, target)))[0], "conflict");
  const nowhere = join(dirname(temp.dir), "nowhere");
  assert.equal(
    (await codeOf(backupBase(nowhere, join(target, "b"))))[0],
    "not_found",
  );
});

Deno.test("backupBase() leaves nothing when it is stopped", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const target = join(dirname(temp.dir), "saved", "stopped");
  const [code] = await codeOf(
    backupBase(temp.dir, target, { signal: AbortSignal.abort() }),
  );
  assert.equal(code, "cancelled");
  assert.deepEqual(names(dirname(target)), []);
});

Deno.test("backupBase() leaves a damaged original out and says so", async () => {
  await using temp = openTempKb();
  await fill(temp);
  writeFileSync(join(temp.dir, "files", sha256Hex(UPLOAD)), "other bytes");
  const target = join(dirname(temp.dir), "saved");
  const { manifest, warnings } = await backupBase(temp.dir, target);
  assert.match(warnings.join(), /files\/[0-9a-f]{64} is damaged/);
  assert.equal(manifest.counts.originals, 0);
  await verifyBackup(target);
});

Deno.test("backupBase() has every note another process had stored before it began, while that goes on writing", async () => {
  await using temp = openTempKb();
  const script = join(
    dirname(fileURLToPath(import.meta.url)),
    "../helpers/write_notes.ts",
  );
  const child = spawn(process.execPath, ["run", "-A", script, temp.dir], {
    stdio: ["ignore", "pipe", "inherit"],
    env: process.env,
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  try {
    let stored = 0;
    child.stdout.on("data", (text) => stored += String(text).length);
    while (stored < 20) await new Promise((go) => setTimeout(go, 10));
    const before = stored;
    const target = join(dirname(temp.dir), "saved");
    const { manifest } = await backupBase(temp.dir, target);
    assert.ok(manifest.counts.documents >= before);
    assert.equal(child.exitCode, null, "it writes still");
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
});

Deno.test.each([
  {
    rule: "a file with other bytes",
    damage: (dir: string) => {
      const path = join(dir, "kb.db");
      const bytes = readFileSync(path);
      bytes[5000] = (bytes[5000] ?? 0) ^ 255;
      writeFileSync(path, bytes);
    },
    code: "corrupt",
    says: /kb\.db has other bytes/,
  },
  {
    rule: "a file that is cut off",
    damage: (dir: string) =>
      writeFileSync(join(dir, "files", sha256Hex(UPLOAD)), "# K"),
    code: "corrupt",
    says: /files\/.* has 3 bytes, expected/,
  },
  {
    rule: "a manifest that leads out of the folder",
    damage: (dir: string) => {
      const path = join(dir, "manifest.json");
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace('"kb.db"', '"../kb.db"'),
      );
    },
    code: "corrupt",
    says: /manifest\.json is wrong at files/,
  },
  {
    rule: "a manifest of a newer kbdb",
    damage: (dir: string) => {
      const path = join(dir, "manifest.json");
      writeFileSync(
        path,
        readFileSync(path, "utf8").replace(
          '"formatVersion": 1',
          '"formatVersion": 99',
        ),
      );
    },
    code: "conflict",
    says: /newer kbdb/,
  },
  {
    rule: "a folder without a manifest",
    damage: (dir: string) => writeFileSync(join(dir, "manifest.json"), "{"),
    code: "corrupt",
    says: /no JSON/,
  },
])(
  "restoreBase() refuses $rule and touches nothing",
  async ({ damage, code, says }) => {
    await using temp = openTempKb();
    await fill(temp);
    const target = join(dirname(temp.dir), "saved");
    await backupBase(temp.dir, target);
    damage(target);
    const dir = join(dirname(temp.dir), "again");
    const [found, message] = await codeOf(restoreBase(target, dir));
    assert.equal(found, code);
    assert.match(message, says);
    assert.ok(!existsSync(dir));
  },
);

Deno.test("restoreBase() puts the base that is there aside only if asked to, and not while it is open", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const target = join(dirname(temp.dir), "saved");
  await backupBase(temp.dir, target);
  const dir = join(dirname(temp.dir), "other");
  const other = openKb({ dir, embedder: temp.embedder });
  other.addNote("Only in the other base.");
  assert.match(
    (await codeOf(restoreBase(target, dir)))[1],
    /there is a base already/,
  );
  assert.match(
    (await codeOf(restoreBase(target, dir, { replace: true })))[1],
    /another process has it open/,
  );
  assert.equal(other.list().total, 1, "it is as it was");
  await other.close();
  const { replacedDir = "" } = await restoreBase(target, dir, {
    replace: true,
  });
  {
    await using kb = openKb({ dir, embedder: temp.embedder });
    assert.equal(kb.list().total, 3);
  }
  await using old = openKb({ dir: replacedDir, embedder: temp.embedder });
  assert.equal(old.list().total, 1);
});

Deno.test("verifyBackup() works where nothing can be written", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const target = join(dirname(temp.dir), "saved");
  await backupBase(temp.dir, target);
  await promisify(execFile)("chmod", ["-R", "a-w", target]);
  await verifyBackup(target);
  assert.deepEqual(names(target), ["files", "kb.db", "manifest.json"]);
  await promisify(execFile)("chmod", ["-R", "u+w", target]);
});
