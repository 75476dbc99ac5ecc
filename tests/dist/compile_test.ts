import assert from "node:assert/strict";
import { spawnSync, type SpawnSyncReturns } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { READER_SAMPLES } from "../helpers/reader_samples.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Gives the path of a runtime stub for {@linkcode STUB_DENO} on linux x64. */
const STUB_TOOL = join(ROOT, "../shared/tools/denort.mjs");
const STUB_DENO = "deno@2.4.2";

/** The Deno and stub that build here, or why there are none. */
function findBuilder(): { deno: string[]; stub: string } | string {
  const named = process.env["DENORT_BIN"];
  if (named !== undefined) return { deno: [Deno.execPath()], stub: named };
  if (!existsSync(STUB_TOOL)) return "no DENORT_BIN and no tool that has one";
  const { status, stdout, stderr } = spawnSync("node", [STUB_TOOL], {
    encoding: "utf8",
  });
  if (status !== 0) return `the runtime stub cannot be had: ${stderr.trim()}`;
  return { deno: ["npx", "--yes", STUB_DENO], stub: stdout.trim() };
}

/** Runs a program with nothing of this process's environment. */
function runBare(
  command: readonly string[],
  cwd: string,
  home: string,
): SpawnSyncReturns<string> {
  const [program = "", ...args] = command;
  return spawnSync(program, args, {
    cwd,
    encoding: "utf8",
    // One that outlives the command would hold files of a folder that is removed.
    env: { HOME: home, PATH: "", KBDB_DAEMON: "false" },
  });
}

/** What keeps a program from the network, if this machine lets us. */
function withoutNetwork(): string[] {
  const isThere = spawnSync("/usr/bin/unshare", ["-rn", "true"]).status === 0;
  if (!isThere) {
    // deno-lint-ignore no-console -- says what the test left out
    console.warn("unshare -rn is not possible here: the network stays open");
  }
  return isThere ? ["/usr/bin/unshare", "-rn"] : [];
}

Deno.test("the executable adds and finds by meaning with no environment, network or files beside it (model)", () => {
  const builder = findBuilder();
  if (typeof builder === "string") {
    // deno-lint-ignore no-console -- says that the test was skipped
    console.warn(`SKIPPED: no executable was built: ${builder}`);
    return;
  }
  const dir = mkdtempSync(join(tmpdir(), "kbdb-exe-"));
  try {
    const place = join(dir, "place");
    const home = join(dir, "home");
    mkdirSync(place);
    mkdirSync(home);
    const file = join(place, "kbdb");
    const [program = "", ...first] = builder.deno;
    const built = spawnSync(program, [
      ...first,
      "run",
      // An older Deno would write the lock file in its own form.
      "--no-lock",
      "--allow-all",
      join(ROOT, "scripts/compile.ts"),
      "--output",
      file,
    ], {
      encoding: "utf8",
      cwd: dir,
      env: {
        ...process.env,
        DENORT_BIN: builder.stub,
        DENO_TLS_CA_STORE: "system",
      },
    });
    assert.equal(built.status, 0, built.stderr);
    assert.match(built.stdout, /MB {2}.*model/);
    const note = join(dir, "trip.md");
    writeFileSync(note, "# Boats\n\nThe ferry to Naxos leaves at seven.\n");
    chmodSync(place, 0o500);
    const kbdb = [...withoutNetwork(), file];
    const base = ["--db", join(dir, "base")];
    const version = runBare([...kbdb, "--version"], place, home);
    for (const part of ["kbdb", "runtime", "sqlite", "onnxRuntime", "model"]) {
      assert.match(version.stdout, new RegExp(`^${part} +.*\\d`, "m"));
    }
    const added = runBare([...kbdb, ...base, "add", note], place, home);
    assert.equal(added.status, 0, added.stderr);
    const samples = READER_SAMPLES.map(([sample]) =>
      join(ROOT, "tests/fixtures", sample)
    );
    const read = runBare([...kbdb, ...base, "add", ...samples], place, home);
    assert.equal(read.status, 0, read.stderr);
    for (const [, query, hit] of READER_SAMPLES) {
      const search = [...kbdb, ...base, "search", "--fts-only", query];
      assert.match(runBare(search, place, home).stdout, hit);
    }
    // Loopback is not there without a network either.
    const daemon = [file, ...base, "daemon"];
    const started = runBare([...daemon, "start"], place, home);
    assert.equal(started.status, 0, started.stderr);
    const found = runBare(
      [...kbdb, ...base, "search", "--format=json", "when does the ship sail"],
      place,
      home,
    );
    assert.equal(found.status, 0, found.stderr);
    const answer = JSON.parse(found.stdout);
    assert.equal(answer.hits[0].documentTitle, "Boats");
    assert.deepEqual(answer.degraded, []);
    const ended = runBare([...daemon, "stop"], place, home);
    assert.equal(ended.status, 0, ended.stderr);
  } finally {
    chmodSync(join(dir, "place"), 0o700);
    rmSync(dir, { recursive: true, force: true });
  }
});
