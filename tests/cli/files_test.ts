import assert from "node:assert/strict";
import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { CliFolder } from "../helpers/run_cli.ts";

const BYTES = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0xff, 0x00, 0x0d, 0x0a);

Deno.test("kbdb add expands patterns the shell was kept from", async () => {
  using folder = new CliFolder();
  folder.write({
    "docs/a.md": "# A\n",
    "docs/deep/b.md": "# B\n",
    "docs/c.txt": "C\n",
    "docs/[1].md": "# One\n",
  });
  const { code, out } = await folder.run([
    "add",
    "docs/**/*.md",
    "--no-embed",
    "--json",
  ]);
  assert.equal(code, 0);
  const [report] = JSON.parse(out).reports;
  assert.deepEqual(report.counts, { indexed: 3 });
  assert.equal(report.root, "docs/**/*.md");
  const literal = await folder.run(["add", "docs/[1].md", "--no-embed"]);
  assert.match(literal.out, /1 unchanged/);
});

Deno.test("kbdb add exits 4 for a pattern that matches nothing", async () => {
  using folder = new CliFolder();
  const { code, err } = await folder.run(["add", "none/*.md", "--no-embed"]);
  assert.equal(code, 4);
  assert.match(err, /Cannot add "none\/\*\.md": no file matches it/);
});

Deno.test("kbdb add - takes a file from standard input, and the next of its name updates it", async () => {
  using folder = new CliFolder();
  const args = ["add", "-", "--name", "page.md", "--no-embed", "--tags", "web"];
  const first = await folder.run(args, { input: "# Page\n\nOld words.\n" });
  assert.equal(first.code, 0, first.err);
  assert.match(first.out, /stdin\/page\.md: 1 indexed/);
  await folder.run(args, { input: "# Page\n\nNew words.\n" });
  const { documents, total } = JSON.parse(
    (await folder.run(["list", "--json"])).out,
  );
  assert.equal(total, 1);
  assert.deepEqual(documents[0].tags, ["web"]);
  assert.match((await folder.run(["get", "1"])).out, /New words/);
  const original = await folder.run(["file", "1"]);
  assert.equal(original.out, "# Page\n\nNew words.\n");
});

Deno.test("a file from standard input is named by the path that list shows", async () => {
  using folder = new CliFolder();
  for (const name of ["a.md", "b.md"]) {
    await folder.run(["add", "-", "--name", name, "--no-embed"], {
      input: `# Page ${name}\n\nSquirrels.\n`,
    });
  }
  const path = "stdin/b.md";
  assert.match((await folder.run(["get", path])).out, /Page b/);
  assert.match((await folder.run(["file", path])).out, /Page b/);
  for (const args of [["list"], ["search", "--fts-only", "squirrels"]]) {
    const { out } = await folder.run([...args, "--path", path, "--json"]);
    const { documents, hits } = JSON.parse(out);
    assert.deepEqual(
      (documents ?? hits).map((one: { path: string }) => one.path),
      [path],
    );
  }
  const { out } = await folder.run(["rm", "stdin", "--yes"]);
  assert.match(out, /stdin\/a\.md[^]*stdin\/b\.md/);
});

for (
  const { rule, args, isTerminal = false, message } of [
    {
      rule: "has no name",
      args: ["add", "-"],
      message: /needs a name; use: kbdb add - --name FILE/,
    },
    {
      rule: "is named twice",
      args: ["add", "-", "-", "--name", "x"],
      message: /only once/,
    },
    {
      rule: "is not there but its name is",
      args: ["add", "a.md", "--name", "x"],
      message: /--name and --title are for one file from standard input/,
    },
    {
      rule: "is a person at a terminal",
      args: ["add", "-", "--name", "x"],
      isTerminal: true,
      message: /Nothing is piped in/,
    },
  ]
) {
  Deno.test(`kbdb add exits 2 if standard input ${rule}`, async () => {
    using folder = new CliFolder();
    const { code, err } = await folder.run(args, { isTerminal });
    assert.equal(code, 2);
    assert.match(err, message);
  });
}

Deno.test("kbdb add - exits 3 if what comes cannot be taken in", async () => {
  using folder = new CliFolder();
  const { code, out } = await folder.run(
    ["add", "-", "--name", "x.bin", "--no-embed"],
    { input: Uint8Array.of(0, 1, 2, 3) },
  );
  assert.equal(code, 3);
  assert.match(out, /x\.bin: 1 binary/);
});

Deno.test("kbdb file gives the original byte by byte, and replaces nothing without --force", async () => {
  using folder = new CliFolder();
  folder.write({ "a.md": "# A\r\n\r\nLine.\r\n" });
  await folder.run(["add", "a.md", "--no-embed"]);
  const { bytes } = await folder.run(["file", "1"]);
  assert.equal(new TextDecoder().decode(bytes), "# A\r\n\r\nLine.\r\n");
  const target = join(folder.cwd, "copy.md");
  const written = await folder.run(["file", "1", "-o", "copy.md"]);
  assert.match(written.out, /^Wrote 14 B to copy\.md/);
  assert.equal(readFileSync(target, "utf8"), "# A\r\n\r\nLine.\r\n");
  folder.write({ "copy.md": "mine" });
  const refused = await folder.run(["file", "1", "-o", "copy.md"]);
  assert.equal(refused.code, 5);
  assert.match(refused.err, /exists; replace it with --force/);
  assert.equal(readFileSync(target, "utf8"), "mine");
  await folder.run(["file", "1", "-o", "copy.md", "--force"]);
  assert.equal(readFileSync(target, "utf8"), "# A\r\n\r\nLine.\r\n");
  folder.write({ "sub/x": "" });
  await folder.run(["file", "1", "-o", "sub"]);
  assert.ok(existsSync(join(folder.cwd, "sub/a.md")));
  assert.equal((await folder.run(["file", "1", "-o", "no/such/a.md"])).code, 2);
});

Deno.test("kbdb file writes no image to a terminal, and gives out no file that changed", async () => {
  using folder = new CliFolder();
  folder.write({ "x.png": BYTES, "a.md": "# A\n" });
  await folder.run(["add", "x.png", "a.md", "--no-embed"]);
  const { documents } = JSON.parse((await folder.run(["list", "--json"])).out);
  const ids = new Map<string, string>(
    documents.map(({ docType, id }: { docType: string; id: number }) => [
      docType,
      String(id),
    ]),
  );
  const image = ids.get("image");
  if (image !== undefined) {
    const { code, err } = await folder.run(["file", image], {
      isTerminal: true,
    });
    assert.equal(code, 2);
    assert.match(err, /would garble the terminal; use -o x\.png/);
    assert.deepEqual(
      [...(await folder.run(["file", image])).bytes],
      [...BYTES],
    );
  }
  const text = ids.get("markdown") ?? "";
  folder.write({ "a.md": "# Changed\n" });
  const changed = await folder.run(["file", text]);
  assert.equal(changed.code, 4);
  assert.match(changed.err, /is gone or has changed since it was added/);
});

Deno.test("kbdb add names the links of a pattern that lead out of its folder, and takes the rest", async () => {
  using folder = new CliFolder();
  folder.write({
    "root/in/a.md": "# A\n\ninside words\n",
    "out/secret.md": "# Secret\n\noutside words\n",
  });
  const at = (name: string) => join(folder.cwd, name);
  symlinkSync("../out", at("root/folder"));
  symlinkSync("../out/secret.md", at("root/file.md"));
  symlinkSync(".", at("root/loop"));
  symlinkSync("in/a.md", at("root/inner.md"));
  symlinkSync("nowhere.md", at("root/dangling.md"));
  const { code, out } = await folder.run([
    "add",
    "root/**/*.md",
    "--no-embed",
    "--json",
  ]);
  assert.equal(code, 0);
  const [{ files }] = JSON.parse(out).reports;
  const refused = files.filter(({ state }: { state: string }) =>
    state === "outside_root"
  );
  assert.deepEqual(refused.map(({ path }: { path: string }) => path), [
    at("root/file.md"),
    at("root/folder/secret.md"),
  ]);
  const { documents } = JSON.parse((await folder.run(["list", "--json"])).out);
  assert.deepEqual(documents.map(({ path }: { path: string }) => path), [
    at("root/in/a.md"),
  ]);
});

Deno.test("kbdb add and sync exit 2 for a pattern that leads out of the folder, and remove nothing", async () => {
  using folder = new CliFolder();
  folder.write({ "notes/a.md": "# A\n", "out/b.md": "# B\n" });
  await folder.run(["add", "notes", "--no-embed"]);
  for (const command of ["add", "sync"]) {
    for (const flag of ["--include", "--exclude"]) {
      const { code, err } = await folder.run([
        command,
        "notes",
        flag,
        "../**/*.md",
        "--no-embed",
      ]);
      assert.equal(code, 2, `${command} ${flag}`);
      assert.match(err, /"\.\.\/\*\*\/\*\.md": it leads out of the folder/);
    }
  }
  const { total } = JSON.parse((await folder.run(["list", "--json"])).out);
  assert.equal(total, 1);
});
