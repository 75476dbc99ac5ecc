import assert from "node:assert/strict";
import { existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { CliFolder } from "../helpers/run_cli.ts";

const NOTES = {
  "notes/backup.md":
    "---\ntags: [ops]\n---\n# Backup\n\n## Restore\n\nStop the server, then run the restore tool.\n",
  "notes/keys.md": "# Keys\n\nKeys are rotated every month.\n",
};

Deno.test("kbdb init makes a base that commands below it find", async () => {
  using folder = new CliFolder();
  assert.equal((await folder.run(["init"])).code, 0);
  assert.ok(existsSync(join(folder.cwd, ".kbdb", "kb.db")));
  folder.write(NOTES);
  await folder.run(["add", "notes", "--no-embed"]);
  const { out } = await folder.run(["status", "--format", "json"]);
  assert.equal(JSON.parse(out).documents, 2);
  assert.equal(JSON.parse(out).dir, join(folder.cwd, ".kbdb"));
});

Deno.test("kbdb add reports each file that is left out and exits 0 when the rest is in", async () => {
  using folder = new CliFolder();
  folder.write({
    ...NOTES,
    "notes/x.bin": Uint8Array.of(0, 1, 2),
    "notes/empty.md": "",
  });
  symlinkSync("nowhere", join(folder.cwd, "notes/dangling"));
  const { code, out } = await folder.run([
    "add",
    "notes",
    "--no-embed",
    "--format",
    "json",
  ]);
  assert.equal(code, 0);
  const [report] = JSON.parse(out).reports;
  assert.deepEqual(report.counts, {
    unreadable: 1,
    indexed: 2,
    empty: 1,
    binary: 1,
  });
  for (const file of report.files) {
    if (file.state !== "indexed") assert.ok(file.reason.length > 5, file.path);
  }
  const list = JSON.parse((await folder.run(["list", "--format", "json"])).out);
  assert.equal(list.total, 3);
});

Deno.test("kbdb add exits 3 if no file could be taken in", async () => {
  using folder = new CliFolder();
  folder.write({ "bin/x.bin": Uint8Array.of(0, 1, 2) });
  assert.equal((await folder.run(["add", "bin", "--no-embed"])).code, 3);
  folder.write({ "none/.git/config": "x" });
  assert.equal((await folder.run(["add", "none", "--no-embed"])).code, 3);
});

Deno.test("kbdb add exits 4 for a path that does not exist, and adds the others", async () => {
  using folder = new CliFolder();
  folder.write(NOTES);
  const { code, err } = await folder.run([
    "add",
    "missing",
    "notes",
    "--no-embed",
  ]);
  assert.equal(code, 4);
  assert.match(err, /Cannot add ".*missing": it does not exist/);
  assert.equal(
    JSON.parse((await folder.run(["list", "--format", "json"])).out).total,
    2,
  );
});

Deno.test("kbdb search prints path and line, heading and snippet", async () => {
  using folder = new CliFolder();
  folder.write(NOTES);
  await folder.run(["add", "notes", "--no-embed"]);
  const { code, out } = await folder.run([
    "search",
    "--fts-only",
    "restore",
    "tool",
  ]);
  assert.equal(code, 0);
  assert.match(out, /^1\. notes[/\\]backup\.md:6 {2}Backup > Restore/);
  assert.match(out, /run the restore tool/);
});

Deno.test("kbdb search says that it is degraded while there are no vectors", async () => {
  using folder = new CliFolder();
  folder.write(NOTES);
  await folder.run(["add", "notes", "--no-embed"]);
  const { code, out } = await folder.run([
    "search",
    "keys",
    "--format",
    "json",
  ]);
  assert.equal(code, 0);
  const answer = JSON.parse(out);
  assert.deepEqual(answer.degraded, ["no_vectors"]);
  assert.equal(answer.hits[0].title, "Keys");
  assert.match((await folder.run(["search", "keys"])).err, /kbdb embed/);
});

Deno.test("kbdb search answers by word when the model cannot be had, and says what to do", async () => {
  using folder = new CliFolder();
  folder.write(NOTES);
  const env = { KB_MODEL: "no-such-model" };
  const added = await folder.run(["add", "notes"], { env });
  assert.equal(added.code, 0);
  assert.match(added.out, /no such model/);
  const { out, err, code } = await folder.run(["search", "rotated keys"], {
    env,
  });
  assert.equal(code, 0);
  assert.match(out, /keys\.md:1/);
  assert.match(err, /no such model/);
  assert.equal(
    (await folder.run(["search", "keys", "--vec-only"], { env })).code,
    69,
  );
  assert.equal((await folder.run(["embed"], { env })).code, 69);
});

Deno.test("kbdb search finds by meaning what shares no word with the query (model)", async () => {
  using folder = new CliFolder();
  folder.write(NOTES);
  await folder.run(["add", "notes"]);
  const { out } = await folder.run([
    "search",
    "--format",
    "json",
    "bring lost data back",
  ]);
  const { hits, degraded } = JSON.parse(out);
  assert.deepEqual(degraded, []);
  assert.match(hits[0].path, /backup\.md$/);
  assert.deepEqual(hits[0].matchedTerms, []);
});

Deno.test("kbdb addnote takes text from arguments and from a pipe, and skips what is there", async () => {
  using folder = new CliFolder();
  const first = await folder.run([
    "addnote",
    "--no-embed",
    "--tag",
    "home",
    "--format",
    "json",
    "The",
    "key",
  ]);
  assert.equal(JSON.parse(first.out).state, "indexed");
  const piped = await folder.run(
    ["addnote", "--no-embed", "--format", "json"],
    { input: "The key\n" },
  );
  assert.equal(JSON.parse(piped.out).state, "skipped");
  assert.equal(JSON.parse(piped.out).id, JSON.parse(first.out).id);
  assert.equal(
    (await folder.run(["addnote", "--no-embed"], { input: " \n" })).code,
    2,
  );
});

Deno.test("kbdb info, get and rm take an id, a docid or a path", async () => {
  using folder = new CliFolder();
  folder.write(NOTES);
  await folder.run(["add", "notes", "--no-embed", "--tag", "mine"]);
  const info = JSON.parse(
    (await folder.run([
      "info",
      join(folder.cwd, "notes/backup.md"),
      "--format",
      "json",
    ])).out,
  );
  assert.deepEqual(info.tags, ["mine", "ops"]);
  assert.match((await folder.run(["get", info.docid])).out, /^# Backup/);
  const [section] = info.sections;
  assert.equal((await folder.run(["get", section.kbid])).out, "# Backup\n");
  assert.equal((await folder.run(["rm", String(info.id)])).code, 0);
  assert.equal((await folder.run(["get", info.docid])).code, 4);
  assert.ok(existsSync(join(folder.cwd, "notes/backup.md")));
});

Deno.test("kbdb rm removes all documents of a folder", async () => {
  using folder = new CliFolder();
  folder.write({ ...NOTES, "other.md": "# Other\n" });
  await folder.run(["add", "notes", "other.md", "--no-embed"]);
  const rm = ["rm", join(folder.cwd, "notes"), "--format", "json"];
  const unasked = await folder.run(rm);
  assert.equal(unasked.code, 2);
  assert.match(unasked.err, /Remove 2 documents .*--yes/);
  const { code, out } = await folder.run([...rm, "--yes"]);
  assert.equal(code, 0);
  assert.equal(JSON.parse(out).removed.length, 2);
  assert.equal(
    JSON.parse((await folder.run(["list", "--format", "json"])).out).total,
    1,
  );
});

for (
  const { rule, args, code, message } of [
    {
      rule: "an unknown command",
      args: ["serch", "x"],
      code: 2,
      message: /Did you mean search\?/,
    },
    {
      rule: "an unknown flag",
      args: ["search", "x", "--limt", "3"],
      code: 2,
      message: /Did you mean --limit\?/,
    },
    {
      rule: "a limit that is no number",
      args: ["search", "x", "--limit", "many"],
      code: 2,
      message: /whole number/,
    },
    {
      rule: "a limit out of range",
      args: ["search", "x", "-n", "101"],
      code: 2,
      message: /1 to 100/,
    },
    {
      rule: "two retrievers that exclude each other",
      args: ["search", "x", "--fts-only", "--vec-only"],
      code: 2,
      message: /cannot be used with/,
    },
    {
      rule: "a missing argument",
      args: ["add"],
      code: 2,
      message: /missing required argument/,
    },
    {
      rule: "a base that is not there",
      args: ["list"],
      code: 4,
      message: /kbdb init/,
    },
  ]
) {
  Deno.test(`kbdb refuses ${rule} with exit code ${code}`, async () => {
    using folder = new CliFolder();
    const result = await folder.run(args);
    assert.equal(result.code, code);
    assert.match(result.err, message);
    assert.equal(result.out, "");
  });
}

Deno.test("kbdb writes errors as JSON when asked to", async () => {
  using folder = new CliFolder();
  const { code, err } = await folder.run(["list", "--format", "json"]);
  assert.equal(code, 4);
  assert.equal(JSON.parse(err).error.code, "not_found");
});

Deno.test("kbdb exits 5 for a base of a newer schema and leaves it alone", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  const path = join(folder.cwd, ".kbdb", "kb.db");
  const db = new DatabaseSync(path);
  db.exec("PRAGMA user_version = 99");
  db.close();
  const { code, err } = await folder.run(["list"]);
  assert.equal(code, 5);
  assert.match(err, /update kbdb/);
});

Deno.test("kbdb looks for the base in --db, KBDB_DIR, up the tree, and the data directory, in this order", async () => {
  using folder = new CliFolder();
  folder.write({ ".kbdb/keep": "", "a.md": "# A\n" });
  async function dirOf(
    args: string[],
    env: Record<string, string> = {},
  ): Promise<string> {
    await folder.run(["add", "a.md", "--no-embed", ...args], { env });
    return JSON.parse(
      (await folder.run(["status", "--format", "json", ...args], { env })).out,
    ).dir;
  }
  assert.match(
    await dirOf([]),
    process.platform === "linux" ? /home.\.local.share.kbdb$/ : /kbdb$/,
  );
  await folder.run(["init"]);
  assert.equal(await dirOf([]), join(folder.cwd, ".kbdb"));
  const env = { KBDB_DIR: join(folder.root, "by-env") };
  assert.equal(await dirOf([], env), env.KBDB_DIR);
  assert.equal(
    await dirOf(["--db", "by-flag"], env),
    join(folder.cwd, "by-flag"),
  );
});

Deno.test("kbdb --help names every command and needs no base", async () => {
  using folder = new CliFolder();
  const { code, out } = await folder.run(["--help"]);
  assert.equal(code, 0);
  for (
    const name of [
      "init",
      "add",
      "addnote",
      "search",
      "list",
      "info",
      "get",
      "rm",
      "status",
      "model",
      "embed",
      "guide",
    ]
  ) {
    assert.match(out, new RegExp(`^ {2}${name} `, "m"));
  }
});
