import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { Finding } from "../../lib/cli/doctor/finding.ts";
import { isAtLeast } from "../../lib/cli/doctor/machine.ts";
import { CliFolder } from "../helpers/run_cli.ts";

/** What the doctor says, by name; port 0 is not looked at unless the test sets one. */
async function findings(
  folder: CliFolder,
  env: Record<string, string> = {},
): Promise<{ code: number; found: Map<string, Finding> }> {
  const { code, out } = await folder.run(["doctor", "--format", "json"], {
    env,
  });
  const { ok, findings } = JSON.parse(out);
  assert.equal(ok, code === 0);
  return {
    code,
    found: new Map(findings.map((one: Finding) => [one.name, one])),
  };
}

/** A folder with a base of one note and settings. */
async function openFolder(settings = '{ "port": 0 }'): Promise<CliFolder> {
  const folder = new CliFolder();
  await folder.run(["init"]);
  await folder.run(["addnote", "The gate opens at nine.", "--no-embed"]);
  folder.write({ ".kbdb/config.jsonc": settings });
  return folder;
}

Deno.test("kbdb doctor exits 0 where nothing fails, and says what to do about the rest", async () => {
  using folder = await openFolder();
  const { code, found } = await findings(folder);
  assert.equal(code, 0, JSON.stringify([...found.values()]));
  for (
    const name of ["runtime", "sqlite", "directory", "disk", "model", "base"]
  ) assert.equal(found.get(name)?.state, "ok", name);
  assert.deepEqual(
    [found.get("vectors")?.state, found.get("vectors")?.action],
    ["warn", "kbdb embed"],
  );
  const { out } = await folder.run(["doctor"]);
  assert.match(out, /^warn {2}vectors .*\n +-> kbdb embed$/m);
});

Deno.test("kbdb doctor exits 78 for a damaged base, model that is not there, wrong settings", async () => {
  using folder = await openFolder();
  const model = await findings(folder, { KB_MODEL: "all-minilm-l6-v2" });
  assert.equal(model.code, 78);
  assert.match(model.found.get("model")?.message ?? "", /kbdb model pull/);
  const path = join(folder.cwd, ".kbdb", "kb.db");
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill(7, 20_000, 40_000));
  const damaged = await findings(folder);
  assert.equal(damaged.code, 78);
  assert.equal(damaged.found.get("base")?.state, "fail");
  assert.match(damaged.found.get("base")?.action ?? "", /kbdb restore/);
  folder.write({ ".kbdb/config.jsonc": "{ nonsense" });
  const wrong = await findings(folder);
  assert.equal(wrong.code, 78);
  assert.match(wrong.found.get("settings")?.message ?? "", /config\.jsonc:1/);
});

Deno.test("kbdb doctor says that there is no base, and that a variable is wrong", async () => {
  using folder = new CliFolder();
  const none = await findings(folder);
  assert.equal(none.found.get("base")?.state, "warn");
  const wrong = await findings(folder, { KB_DEVICE: "cuda" });
  assert.equal(wrong.code, 78);
  assert.match(wrong.found.get("settings")?.message ?? "", /KB_DEVICE/);
});

Deno.test("kbdb doctor warns of keys that can be guessed, never shows one, and fails where there is none", async () => {
  using folder = await openFolder('{ "port": 0, "host": "0.0.0.0" }');
  const open = await findings(folder);
  assert.equal(open.found.get("keys")?.state, "fail");
  const weak = await folder.run(["doctor"], {
    env: { KB_API_KEY: "password1" },
  });
  assert.match(weak.out, /^warn {2}keys .*could be guessed/m);
  assert.ok(!weak.out.includes("password1"));
  await folder.run(["key", "create", "laptop"]);
  assert.match(
    (await findings(folder)).found.get("keys")?.message ?? "",
    /0 in the settings, 1 named/,
  );
});

Deno.test("kbdb doctor tells its own server from another program at its port", async () => {
  for (const status of ["ok", "other"]) {
    const server = createServer((_, response) =>
      void response.end(JSON.stringify({ status }))
    );
    await new Promise<void>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve())
    );
    const { port } = server.address() as AddressInfo;
    using folder = await openFolder(`{ "port": ${port} }`);
    const { found } = await findings(folder);
    assert.equal(
      found.get("port")?.state,
      status === "ok" ? "ok" : "warn",
      found.get("port")?.message ?? "",
    );
    await new Promise((resolve) => {
      server.closeAllConnections();
      server.close(resolve);
    });
  }
});

Deno.test("kbdb doctor warns of a directory that others may enter, and of what a restore left", async () => {
  using folder = await openFolder();
  chmodSync(join(folder.cwd, ".kbdb"), 0o755);
  folder.write({ ".kbdb/replaced-2026/kb.db": "" });
  const { found } = await findings(folder);
  assert.match(found.get("privacy")?.action ?? "", /^chmod 700/);
  assert.match(found.get("leftovers")?.message ?? "", /replaced-2026/);
});

Deno.test("isAtLeast() compares versions part by part", () => {
  assert.ok(isAtLeast("2.10.0", "2.4.2"));
  assert.ok(isAtLeast("2.4.2", "2.4.2"));
  assert.ok(isAtLeast("23.0.0-rc.1", "22.13.0"));
  assert.ok(!isAtLeast("2.4.1", "2.4.2"));
  assert.ok(!isAtLeast("1.46", "2.4.2"));
});
