import assert from "node:assert/strict";
import { CliFolder } from "../helpers/run_cli.ts";

/** A folder with one note in its base, id 1. */
async function withNote(text = "First text."): Promise<CliFolder> {
  const folder = new CliFolder();
  await folder.run(["addnote", "--no-embed", "--tags", "kept", text]);
  return folder;
}

Deno.test("kbdb updatenote replaces the text, keeps id, tags and creation time", async () => {
  using folder = await withNote();
  const read = async () =>
    JSON.parse((await folder.run(["info", "1", "--json"])).out);
  const before = await read();
  const { code, out } = await folder.run([
    "updatenote",
    "1",
    "Second",
    "text.",
  ]);
  assert.equal(code, 0);
  assert.match(out, /^Updated note 1 \(/);
  const after = await read();
  assert.deepEqual(after.tags, ["kept"]);
  assert.equal(after.createdAt, before.createdAt);
  assert.notEqual(after.updatedAt, null);
  assert.equal((await folder.run(["get", "1"])).out, "Second text.\n");
});

Deno.test("kbdb addnote refuses what is piped in and not UTF-8, and says how it is added", async () => {
  using folder = new CliFolder();
  const { code, err } = await folder.run(["addnote", "-", "--no-embed"], {
    input: Uint8Array.of(0x63, 0x61, 0x66, 0xe9),
  });
  assert.equal(code, 2);
  assert.match(err, /is not UTF-8; add it as a file.*kbdb add - --name FILE/);
});

Deno.test("kbdb updatenote takes the text from a pipe if it is -", async () => {
  using folder = await withNote();
  const { code, out } = await folder.run(
    ["updatenote", "1", "-", "--title", "Piped", "--json"],
    { input: "From a pipe.\n" },
  );
  assert.equal(code, 0);
  const report = JSON.parse(out);
  assert.equal(report.changed, true);
  assert.equal(report.document.title, "Piped");
});

for (
  const { rule, args, code, message } of [
    {
      rule: "neither id nor text",
      args: ["updatenote"],
      code: 2,
      message: /Both the id of a note and its new text are required/,
    },
    {
      rule: "no text",
      args: ["updatenote", "1"],
      code: 2,
      message: /Both the id of a note and its new text are required/,
    },
    {
      rule: "a blank text",
      args: ["updatenote", "1", " "],
      code: 2,
      message: /has no text|blank|empty/,
    },
    {
      rule: "a document that is not there",
      args: ["updatenote", "999", "text"],
      code: 4,
      message: /999/,
    },
    {
      rule: "a document that is no note",
      args: ["updatenote", "2", "text"],
      code: 2,
      message: /only notes can be updated/,
    },
    {
      rule: "the history of nothing",
      args: ["history", "999"],
      code: 4,
      message: /999/,
    },
    {
      rule: "the history of what is no note",
      args: ["history", "2"],
      code: 2,
      message: /only notes have a history/,
    },
    {
      rule: "a diff without versions",
      args: ["history", "1", "--diff"],
      code: 4,
      message: /has no versions before/,
    },
    {
      rule: "a diff of what are no versions",
      args: ["history", "1", "--diff", "a..b"],
      code: 2,
      message: /names no versions; use --diff N/,
    },
    {
      rule: "to restore a version that is not there",
      args: ["history", "1", "--restore", "7"],
      code: 4,
      message: /has no version 7/,
    },
    {
      rule: "a diff as a table",
      args: ["history", "1", "--diff", "--format", "csv"],
      code: 2,
      message: /text or json/,
    },
    {
      rule: "tags without tags",
      args: ["tag", "1"],
      code: 2,
      message: /Cannot tag without tags/,
    },
    {
      rule: "two collections",
      args: ["tag", "1", "--add-tags", "collection:a,collection:b"],
      code: 2,
      message: /in one collection/,
    },
    {
      rule: "two collections of a new note",
      args: ["addnote", "x", "-c", "a", "--tags", "collection:b"],
      code: 2,
      message: /in one collection/,
    },
    {
      rule: "a file of a note",
      args: ["file", "1"],
      code: 4,
      message: /Document 1 has no file.*kbdb get 1/,
    },
  ]
) {
  Deno.test(`kbdb exits ${code} for ${rule}`, async () => {
    using folder = await withNote();
    folder.write({ "a.md": "# A\n" });
    await folder.run(["add", "a.md", "--no-embed"]);
    const result = await folder.run(args);
    assert.equal(result.code, code, result.err);
    assert.match(result.err, message);
    assert.equal(result.out, "");
  });
}

Deno.test("kbdb history lists, compares and restores what a note said", async () => {
  using folder = await withNote();
  assert.match((await folder.run(["history", "1"])).err, /no versions before/);
  await folder.run(["updatenote", "1", "Second text."]);
  await folder.run(["updatenote", "1", "Third text."]);
  const versions = JSON.parse(
    (await folder.run(["history", "1", "--json"])).out,
  );
  assert.deepEqual(
    versions.map(({ content }: { content: string }) => content),
    ["First text.", "Second text."],
  );
  const diff = async (...range: string[]) =>
    (await folder.run(["history", "1", "--diff", ...range])).out;
  assert.match(await diff(), /-Second text\.\n\+Third text\./);
  assert.match(await diff("1"), /-First text\.\n\+Third text\./);
  assert.match(await diff("1..2"), /-First text\.\n\+Second text\./);
  const restored = await folder.run(["history", "1", "--restore", "1"]);
  assert.match(restored.out, /says what version 1 said/);
  assert.equal((await folder.run(["get", "1"])).out, "First text.\n");
  assert.match(
    (await folder.run(["history", "1", "--format", "csv"])).out,
    /^version,written,replaced,title,text\n1,/,
  );
});

Deno.test("kbdb tag adds and removes, moves between collections, and does all or nothing", async () => {
  using folder = await withNote();
  const tagged = await folder.run([
    "tag",
    "1",
    "--add-tags",
    "b,a",
    "--remove",
    "kept",
    "--add",
    "collection:memory",
    "--json",
  ]);
  assert.equal(tagged.code, 0);
  const [document] = JSON.parse(tagged.out);
  assert.deepEqual(document.tags, ["a", "b"]);
  assert.equal(document.collection, "memory");
  const back = await folder.run(["tag", "1", "-r", "collection:memory"]);
  assert.match(back.out, /collection:documents, a, b/);
  const half = await folder.run(["tag", "1", "nothing", "--add", "c"]);
  assert.equal(half.code, 4);
  assert.ok(!(await folder.run(["tags"])).out.includes("c "));
});

Deno.test("kbdb rm of one document asks nothing; of several it needs --yes in a script", async () => {
  using folder = await withNote();
  await folder.run(["addnote", "--no-embed", "Two."]);
  await folder.run(["addnote", "--no-embed", "Three."]);
  assert.equal((await folder.run(["rm", "1"])).code, 0);
  const refused = await folder.run(["rm", "2", "3"]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /Remove 2 documents .* say --yes/);
  const missing = await folder.run(["rm", "2", "9", "--yes"]);
  assert.equal(missing.code, 4);
  const answered = await folder.run(["rm", "2", "3"], {
    isTerminal: true,
    input: "n\n",
  });
  assert.equal(answered.code, 130);
  assert.equal(JSON.parse((await folder.run(["list", "--json"])).out).total, 2);
  const agreed = await folder.run(["rm", "2", "3"], {
    isTerminal: true,
    input: "y\n",
  });
  assert.equal(agreed.code, 0);
  assert.equal(JSON.parse((await folder.run(["list", "--json"])).out).total, 0);
});

Deno.test("kbdb rm of a folder with one document asks too", async () => {
  using folder = new CliFolder();
  folder.write({ "sub/a.md": "# A\n" });
  await folder.run(["add", "sub", "--no-embed"]);
  const { code, err } = await folder.run(["rm", "sub"]);
  assert.equal(code, 2);
  assert.match(err, /Remove 1 document /);
});
