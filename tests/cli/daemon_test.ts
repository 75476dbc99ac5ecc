import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CliFolder } from "../helpers/run_cli.ts";
import { until } from "../helpers/mcp.ts";

/** Uses daemons, with a model that is not there, so that none is loaded. */
const ENV = { KBDB_DAEMON: "true", KB_MODEL: "/no/such/model" };

/** A folder with a base that has one note. */
async function withNote(): Promise<CliFolder> {
  const folder = new CliFolder();
  await folder.run(["init"]);
  await folder.run(["addnote", "--no-embed", "The key hangs by the boiler."]);
  return folder;
}

function serverFile({ cwd }: CliFolder): string {
  return join(cwd, ".kbdb", "server.json");
}

/** Begins to be the daemon in this process; answers when it ends. */
async function beDaemon(
  folder: CliFolder,
  env: Record<string, string> = {},
): Promise<{ ended: Promise<number> }> {
  const ended = folder.run(["daemon", "run"], { env: { ...ENV, ...env } })
    .then(({ code }) => code);
  await until(() => existsSync(serverFile(folder)));
  return { ended };
}

Deno.test("kbdb search asks the daemon of its base, which says where it is to its user only", async () => {
  using folder = await withNote();
  const { ended } = await beDaemon(folder);
  assert.equal(statSync(serverFile(folder)).mode & 0o777, 0o600);
  const status = await folder.run(["daemon", "status"], { env: ENV });
  assert.match(status.out, /^A daemon runs, process \d+/);
  const found = await folder.run(["search", "key"], { env: ENV });
  assert.equal(found.code, 0, found.err);
  assert.match(found.out, /hangs by the boiler/);
  const added = await folder.run(["addnote", "A second note."], { env: ENV });
  assert.equal(added.code, 0, added.err);
  folder.write({ "docs/a.md": "# Attic\n\nThe hatch squeaks." });
  const report = await folder.run(["add", "docs"], { env: ENV });
  assert.match(report.out, /docs: 1 indexed/);
  const stopped = await folder.run(["daemon", "stop"], { env: ENV });
  assert.match(stopped.out, /^Stopped the daemon/);
  assert.equal(await ended, 0);
  assert.ok(!existsSync(serverFile(folder)));
  const none = await folder.run(["daemon", "stop"], { env: ENV });
  assert.match(none.out, /^No daemon runs/);
});

Deno.test("a daemon takes in what is queued there: kbdb add - ends, and a second file of the name updates the first", async () => {
  using folder = await withNote();
  const { ended } = await beDaemon(folder);
  const args = ["add", "-", "--name", "web/page.md"];
  for (const words of ["Old", "New"]) {
    const { code, out, err } = await folder.run(args, {
      input: `# Page\n\n${words} words.\n`,
      env: ENV,
      signal: AbortSignal.timeout(10_000),
    });
    assert.equal(code, 0, err);
    assert.match(out, /web\/page\.md: 1 indexed/);
  }
  const { out } = await folder.run(["get", "2"], { env: ENV });
  assert.match(out, /New words/);
  await folder.run(["daemon", "stop"], { env: ENV });
  assert.equal(await ended, 0);
});

Deno.test("a base has one daemon, however many are started", async () => {
  using folder = await withNote();
  const { ended } = await beDaemon(folder);
  const before = readFileSync(serverFile(folder), "utf8");
  const { code } = await folder.run(["daemon", "run"], { env: ENV });
  assert.equal(code, 0);
  assert.equal(readFileSync(serverFile(folder), "utf8"), before);
  await folder.run(["daemon", "stop"], { env: ENV });
  await ended;
});

Deno.test("a daemon ends when nobody has called for the time set", async () => {
  using folder = await withNote();
  const { ended } = await beDaemon(folder, {
    KBDB_DAEMON_IDLE_MINUTES: "0.01",
  });
  assert.equal(await ended, 0);
  assert.ok(!existsSync(serverFile(folder)));
});

Deno.test("a daemon of another version is asked to stop, and the command works", async () => {
  using folder = await withNote();
  const { ended } = await beDaemon(folder);
  const file = JSON.parse(readFileSync(serverFile(folder), "utf8"));
  writeFileSync(
    serverFile(folder),
    JSON.stringify({ ...file, version: "0.0.1" }),
  );
  const found = await folder.run(["search", "key"], { env: ENV });
  assert.equal(found.code, 0, found.err);
  assert.equal(await ended, 0);
});

Deno.test("what a killed daemon left behind is removed, and the command works", async () => {
  for (
    const left of [
      '{"version":"0.1.0","model":"/no/such/model","pid":1,"port":1,"key":"x"}',
      '{"version":"0.0.9","model":"","pid":1,"socketPath":"/no/such.sock"}',
      "{ not whole",
    ]
  ) {
    using folder = await withNote();
    writeFileSync(serverFile(folder), left);
    const found = await folder.run(["search", "key"], { env: ENV });
    assert.equal(found.code, 0, found.err);
    assert.match(found.out, /hangs by the boiler/);
    assert.equal(existsSync(serverFile(folder)), left.startsWith("{ not"));
  }
});

Deno.test("a daemon refuses who does not have its key", async () => {
  using folder = await withNote();
  const { ended } = await beDaemon(folder);
  const { port } = JSON.parse(readFileSync(serverFile(folder), "utf8"));
  if (port !== undefined) {
    for (const path of ["list", "add", "stop"]) {
      const response = await fetch(
        `http://127.0.0.1:${port}/api/v1/engine/${path}`,
        { method: "POST", body: '{"args":[]}' },
      );
      await response.body?.cancel();
      assert.equal(response.status, 401, path);
    }
  }
  await folder.run(["daemon", "stop"], { env: ENV });
  await ended;
});

const CLI = fileURLToPath(new URL("../../cli.ts", import.meta.url));

/** The command in a process of its own. */
function toCommand(folder: CliFolder, args: readonly string[]): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-check", "--allow-all", CLI, ...args],
    cwd: folder.cwd,
    env: { ...ENV, DENO_NO_UPDATE_CHECK: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

async function kbdb(
  folder: CliFolder,
  ...args: readonly string[]
): Promise<string> {
  const { code, stdout, stderr } = await toCommand(folder, args).output();
  assert.equal(code, 0, new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout);
}

Deno.test("kbdb search starts a daemon in the background, once for two at a time, and the next one asks it", async () => {
  using folder = await withNote();
  try {
    const [one, other] = await Promise.all([
      kbdb(folder, "search", "key"),
      kbdb(folder, "search", "boiler"),
    ]);
    assert.match(one, /hangs by the boiler/);
    assert.match(other, /hangs by the boiler/);
    const { pid } = JSON.parse(readFileSync(serverFile(folder), "utf8"));
    assert.match(await kbdb(folder, "search", "key"), /hangs by the boiler/);
    const status = await kbdb(folder, "daemon", "status", "--format=json");
    assert.deepEqual(
      [JSON.parse(status).running, JSON.parse(status).pid],
      [true, pid],
    );
  } finally {
    await kbdb(folder, "daemon", "stop");
  }
});

Deno.test({
  name:
    "a daemon listens on a socket that only its user can open, where there are sockets",
  ignore: Deno.build.os === "windows",
  async fn() {
    using folder = await withNote();
    const daemon = toCommand(folder, ["daemon", "run"]).spawn();
    await until(() => existsSync(serverFile(folder)), 10_000);
    const { socketPath, port } = JSON.parse(
      readFileSync(serverFile(folder), "utf8"),
    );
    assert.equal(port, undefined);
    assert.equal(statSync(socketPath).mode & 0o777, 0o600);
    assert.match(await kbdb(folder, "search", "key"), /hangs by the boiler/);
    await kbdb(folder, "daemon", "stop");
    assert.equal((await daemon.output()).code, 0);
    assert.ok(!existsSync(socketPath));
  },
});
