import assert from "node:assert/strict";
import { KEY_TEXT, KEYS, startServer } from "../helpers/http.ts";
import { CliFolder } from "../helpers/run_cli.ts";

Deno.test("every command works on the engine that KB_ENGINE_URL names", async () => {
  await using server = await startServer({ keys: KEY_TEXT, version: "0.1.0" });
  using folder = new CliFolder();
  folder.write({ "docs/a.md": "# Attic\n\nThe hatch squeaks." });
  const env = { KB_ENGINE_URL: server.url, KB_API_KEY: KEYS.admin };
  for (
    const [args, says] of [
      [["add", "docs"], /docs: 1 indexed/],
      [["addnote", "The key hangs by the boiler."], /^Added note 2/],
      [["search", "hatch"], /The hatch squeaks/],
      [["list"], /boiler/],
      [["get", "2"], /boiler/],
      [["status"], /documents +2/],
      [["rm", "2"], /^Removed 2/],
      [["sync", "docs"], /docs: 1 unchanged/],
      [["tags"], /collection:documents +1/],
    ] as const
  ) {
    const { code, out, err } = await folder.run(args, { env });
    assert.equal(code, 0, `${args}: ${err}`);
    assert.match(out, says);
  }
  assert.equal(server.kb.list().total, 1);
  assert.deepEqual(server.errors, []);
});

Deno.test("a file that was sent to an engine elsewhere is named by its path on this machine", async () => {
  await using server = await startServer({ version: "0.1.0" });
  using folder = new CliFolder();
  folder.write({ "docs/a.md": "# Attic\n\nThe hatch squeaks." });
  const env = { KB_ENGINE_URL: server.url };
  await folder.run(["add", "docs"], { env });
  await folder.run(["addnote", "The hatch is shut."], { env });
  for (
    const args of [
      ["get", "docs/a.md"],
      ["info", "docs/a.md"],
      ["file", "docs/a.md"],
      ["tag", "docs/a.md", "--add", "x"],
      ["search", "--fts-only", "squeaks", "--path", "docs/a.md"],
    ]
  ) {
    const { code, out, err } = await folder.run(args, { env });
    assert.equal(code, 0, `${args}: ${err}`);
    assert.match(out, /Attic|squeaks/);
  }
  const missing = await folder.run(["get", "docs/b.md"], { env });
  assert.match(missing.err, /Nothing in the base is named "docs\/b\.md"/);
  const removed = await folder.run(["rm", "docs", "--yes"], { env });
  assert.match(removed.out, /^Removed 1 /);
});

Deno.test("kbdb file brings a file from an engine elsewhere, and says if there is none", async () => {
  await using server = await startServer({ keys: KEY_TEXT, version: "0.1.0" });
  using folder = new CliFolder();
  const env = { KB_ENGINE_URL: server.url, KB_API_KEY: KEYS.admin };
  const added = await folder.run(["add", "-", "--name", "web/a.md"], {
    env,
    input: "# A\r\n\r\nThe hatch squeaks.\r\n",
  });
  assert.equal(added.code, 0, added.err);
  const printed = await folder.run(["file", "1"], { env });
  assert.equal(printed.out, "# A\r\n\r\nThe hatch squeaks.\r\n");
  const written = await folder.run(["file", "1", "-o", "."], { env });
  assert.match(written.out, /^Wrote 27 B to a\.md/);
  await folder.run(["addnote", "A note."], { env });
  const none = await folder.run(["file", "2"], { env });
  assert.equal(none.code, 4);
  assert.match(none.err, /kbdb get 2/);
});

Deno.test("kbdb updatenote updates a note of an engine elsewhere, and says what the engine says", async () => {
  await using server = await startServer({ keys: KEY_TEXT, version: "0.1.0" });
  using folder = new CliFolder();
  const env = { KB_ENGINE_URL: server.url, KB_API_KEY: KEYS.write };
  server.kb.addNote("The user prefers tables.", { tags: ["kept"] });
  server.kb.learn("text", { docid: "doc" });
  const update = (...args: string[]) =>
    folder.run(["updatenote", ...args], { env });
  const done = await update("1", "Bullet points.", "--format", "json");
  assert.equal(done.code, 0, done.err);
  const { document, changed } = JSON.parse(done.out);
  assert.deepEqual([document.id, document.tags, changed], [1, ["kept"], true]);
  assert.equal(server.kb.get("1").text, "Bullet points.");
  const rows: [string[], number, RegExp][] = [
    [["999", "text"], 4, /999/],
    [["2", "text"], 2, /only notes can be updated/],
    [["1"], 2, /Both the id of a note and its new text are required/],
    [[], 2, /Both the id of a note and its new text are required/],
  ];
  for (const [args, code, message] of rows) {
    const refused = await update(...args);
    assert.equal(refused.code, code, refused.err);
    assert.match(refused.err, message);
  }
});

Deno.test("--url counts more than KB_ENGINE_URL, and --db keeps to a base of this machine", async () => {
  await using server = await startServer({ version: "0.1.0" });
  using folder = new CliFolder();
  const env = { KB_ENGINE_URL: "http://127.0.0.1:1" };
  const there = await folder.run(["--url", server.url, "addnote", "there"], {
    env,
  });
  assert.equal(there.code, 0, there.err);
  const here = await folder.run(["--db", "base", "addnote", "here"], { env });
  assert.equal(here.code, 0, here.err);
  assert.equal(server.kb.list().total, 1);
  const both = await folder.run(["--db", "base", "--url", server.url, "list"]);
  assert.equal(both.code, 2);
});

Deno.test("kbdb exits 69 if the engine cannot be reached, 77 if the key is wrong, 2 if the URL is none", async () => {
  await using server = await startServer({ keys: KEY_TEXT });
  using folder = new CliFolder();
  const away = await folder.run(["--url", "http://127.0.0.1:1", "list"]);
  assert.equal(away.code, 69);
  assert.match(
    away.err,
    /^kbdb: Cannot reach the engine at http:\/\/127\.0\.0\.1:1: nothing listens there .*kbdb serve/,
  );
  const none = await folder.run(["--url", server.url, "list"]);
  assert.equal(none.code, 77);
  assert.match(none.err, /needs a key: set KB_API_KEY/);
  const wrong = await folder.run(["--url", server.url, "list"], {
    env: { KB_API_KEY: "a-wrong-key" },
  });
  assert.equal(wrong.code, 77);
  assert.match(wrong.err, /refuses the key: set KB_API_KEY/);
  const text = await folder.run(["--url", "localhost:8000", "list"]);
  assert.equal(text.code, 2);
  assert.match(text.err, /Cannot use --url: .* must be a URL/);
});

Deno.test("kbdb refuses an engine that is too old with exit code 1, and asks none for --version", async () => {
  await using server = await startServer({ version: "0.0.9" });
  using folder = new CliFolder();
  const { code, err } = await folder.run(["--url", server.url, "list"]);
  assert.equal(code, 1);
  assert.equal(
    err.split("\n")[0],
    "Error: kb client v0.1.0 requires engine v0.1.0+ (connected engine is v0.0.9)",
  );
  const before = server.log.length;
  const version = await folder.run(["--url", server.url, "--version"]);
  assert.match(version.out, /^kbdb +0\.1\.0\n/);
  assert.equal(server.log.length, before);
});

Deno.test("nobody watches for an engine elsewhere: watch, serve --watch and mcp --watch exit 2", async () => {
  await using server = await startServer();
  using folder = new CliFolder();
  for (
    const args of [["watch", "."], ["serve", "--watch"], ["mcp", "--watch"]]
  ) {
    const { code, err } = await folder.run(args, {
      env: { KB_ENGINE_URL: server.url },
    });
    assert.equal(code, 2, args.join(" "));
    assert.match(err, /Cannot watch for an engine on another machine/);
  }
});

Deno.test("kbdb doctor asks the engine elsewhere that commands work on", async () => {
  await using server = await startServer({ version: "0.1.0" });
  using folder = new CliFolder();
  const env = { KB_ENGINE_URL: server.url };
  const { out } = await folder.run(["doctor"], { env });
  assert.match(out, /^ok {4}engine {7}http\S+ answers, with 0 documents$/m);
  const none = await folder.run(["doctor", "--url", "http://127.0.0.1:1"]);
  assert.equal(none.code, 78);
  assert.match(none.out, /^fail {2}engine {7}Cannot reach the engine/m);
});

Deno.test("kbdb sync needs a folder named where the engine is elsewhere", async () => {
  using folder = new CliFolder();
  const { code, err } = await folder.run(["sync", "--url", "http://kb:1"]);
  assert.equal(code, 2);
  assert.match(err, /Name the folder to sync with the engine at http:\/\/kb:1/);
});

Deno.test("what works on the files of a base refuses an engine elsewhere", async () => {
  using folder = new CliFolder();
  const env = { KB_ENGINE_URL: "http://127.0.0.1:1" };
  for (
    const args of [["backup", "out"], ["restore", "in"], ["key", "list"]]
  ) {
    const { code, err } = await folder.run(args, { env });
    assert.equal(code, 2, args.join(" "));
    assert.match(err, /works on the files of a base/);
  }
});

Deno.test("kbdb config shows the engine and masks its key", async () => {
  using folder = new CliFolder();
  await folder.run(["init"]);
  folder.write({ ".kbdb/config.jsonc": '{ "engineUrl": "http://kb:8000" }' });
  const { out, err } = await folder.run(["config"], {
    env: { KB_API_KEY: "a-secret-key" },
  });
  assert.match(out, /engineUrl +http:\/\/kb:8000/);
  assert.match(out, /engineKey +\*{8} +KB_API_KEY/);
  assert.ok(!out.includes("a-secret-key"));
  assert.ok(!err.includes("no effect"));
});
