import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setConfig } from "../../lib/cli/settings/config_edit.ts";
import { startHub } from "../helpers/model_hub.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

const NAME = "bge-small-en-v1.5";

Deno.test("kbdb model pull downloads from HF_ENDPOINT, and nothing if HF_HUB_OFFLINE is set", async () => {
  using folder = new CliFolder();
  await using hub = await startHub();
  const env = { HF_ENDPOINT: hub.url, XDG_CACHE_HOME: folder.root };
  const refused = await folder.run(["model", "pull", NAME], {
    env: { ...env, HF_HUB_OFFLINE: "1" },
  });
  assert.equal(refused.code, 69);
  assert.match(refused.err, /HF_HUB_OFFLINE forbids/);
  assert.equal(hub.requests.length, 0);
  const pulled = await folder.run(["model", "pull", NAME], { env });
  assert.equal(pulled.code, 0, pulled.err);
  assert.match(pulled.out, /^Downloaded 34\.7 MB, bge-small.* is whole/);
  assert.match(
    (await folder.run(["model", "pull", NAME], { env })).out,
    /is here already/,
  );
});

Deno.test("kbdb model use keeps the comments of config.jsonc and says what is left to do", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  await folder.run(["addnote", "The gate opens at nine.", "--no-embed"]);
  folder.write({ ".kbdb/config.jsonc": '{\n  // keep me\n  "port": 9,\n}\n' });
  const { code, out, err } = await folder.run(["model", "use", NAME]);
  assert.equal(code, 0, err);
  assert.match(out, /1 chunk without a vector of this model.*kbdb embed/);
  assert.equal(
    readFileSync(join(folder.cwd, ".kbdb/config.jsonc"), "utf8"),
    `{\n  // keep me\n  "port": 9,\n  "model": "${NAME}",\n}\n`,
  );
  const other = await folder.run(["model", "use", "none-of-this-name"]);
  assert.equal(other.code, 69);
  assert.equal(
    (await folder.run(["--db", "no", "model", "use", NAME])).code,
    4,
  );
});

Deno.test("setConfig() makes a file, keeps line ends, and leaves a wrong file alone", () => {
  using dir = makeTempDir();
  const path = join(dir.path, "config.jsonc");
  setConfig(path, "port", 80);
  assert.equal(readFileSync(path, "utf8"), '{\n  "port": 80\n}\n');
  setConfig(path, "port", 81);
  setConfig(path, "host", "::1");
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), {
    port: 81,
    host: "::1",
  });
  assert.throws(() => setConfig(path, "none", 1), { code: "invalid_input" });
  assert.equal(JSON.parse(readFileSync(path, "utf8")).port, 81);
});

Deno.test("KB_DEVICE is one of three, and webgpu fails where there is none, by word search goes on", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  const wrong = await folder.run(["status"], { env: { KB_DEVICE: "cuda" } });
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /KB_DEVICE: it is "cuda", must be one of auto, cpu/);
  const env = { KB_DEVICE: "webgpu" };
  const added = await folder.run(["addnote", "The gate opens."], { env });
  assert.equal(added.code, 0);
  assert.match(added.err, /no WebGPU adapter here; set KB_DEVICE=cpu or auto/);
  assert.match((await folder.run(["search", "gate"], { env })).out, /The gate/);
});

Deno.test("an endpoint needs its model and the size of its vectors", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  const env = { KB_EMBEDDINGS_URL: "http://127.0.0.1:9/v1" };
  const { code, err } = await folder.run(["status"], { env });
  assert.equal(code, 2);
  assert.match(err, /embeddingsModel and embeddingsDims must say/);
});
