import assert from "node:assert/strict";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AddReport } from "../../lib/kb/mod.ts";
import { listFixtures } from "../helpers/extract_fixtures.ts";
import { openTempKb, type TempKb, writeTree } from "../helpers/temp_kb.ts";

/** State and reason of each file, by its path in the folder. */
function endingsOf({ root, files }: AddReport): Record<string, string> {
  return Object.fromEntries(
    files.map(({ path, state, reason = "" }) => [
      path.slice(root.length + 1),
      reason === "" ? state : `${state}: ${reason}`,
    ]),
  );
}

/** Paths that are in a base, in the order of their names. */
function pathsOf({ kb }: TempKb): (string | null)[] {
  return kb.list({ sort: "path" }).documents.map(({ path }) => path);
}

Deno.test("add() tells a locked, a damaged and a scanned PDF apart, in words of its own", async () => {
  await using temp = openTempKb();
  const names = [
    "broken_xref.pdf",
    "locked.pdf",
    "owner.pdf",
    "scan.pdf",
    "truncated.pdf",
  ];
  const report = await temp.kb.add(temp.folder({
    ...Object.fromEntries(
      listFixtures("pdf").filter(({ name }) => names.includes(name)).map((
        { name, bytes },
      ) => [name, bytes]),
    ),
    "garbage.pdf": "%PDF-1.7\n1 0 obj\n<</Type/Catalog",
    "page.pdf": "<!doctype html><h1>Sign in</h1><p>to read this",
  }));
  assert.deepEqual(endingsOf(report), {
    "broken_xref.pdf": "indexed",
    "garbage.pdf": "corrupted: The PDF is damaged; make it anew.",
    "locked.pdf":
      "password_required: The PDF opens only with a password; add a copy without one.",
    "owner.pdf": "indexed",
    "page.pdf": "indexed",
    "scan.pdf":
      "no_text: The PDF holds no text, as scans do; recognise its text first (OCR).",
    "truncated.pdf": "corrupted: The PDF is damaged; make it anew.",
  });
  const page = report.files.find(({ path }) => path.endsWith("page.pdf"));
  assert.match(page?.warnings?.join() ?? "", /HTML/);
  const { hits } = await temp.kb.search("turbines", { retriever: "fts" });
  assert.notDeepEqual(hits, []);
});

Deno.test("add() names each thing in a tree that is no readable file, and takes the rest", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "a.md": "alpha", "folder.md/b.md": "beta" });
  symlinkSync("gone", join(folder, "dangling.md"));
  symlinkSync("self.md", join(folder, "self.md"));
  mkdirSync(join(folder, "empty.md"));
  await new Deno.Command("mkfifo", { args: [join(folder, "pipe.md")] })
    .output();
  const report = await temp.kb.add(folder);
  assert.deepEqual(endingsOf(report), {
    "a.md": "indexed",
    "dangling.md":
      "unreadable: It is a symbolic link that leads nowhere: it does not exist (ENOENT)",
    "folder.md/b.md": "indexed",
    "pipe.md": "unsupported: It is a device, pipe or socket, not a file",
    "self.md":
      "unreadable: It is a symbolic link that leads nowhere: a symbolic link leads back to itself (ELOOP)",
  });
  assert.deepEqual(report.counts, {
    indexed: 2,
    unsupported: 1,
    unreadable: 2,
  });
});

Deno.test("add() keeps the documents of a folder that cannot be entered any more", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "a.md": "alpha", "sub/b.md": "buttercup" });
  await temp.kb.add(folder);
  // A folder that leads to itself answers as one without permission does, also to root.
  rmSync(join(folder, "sub"), { recursive: true });
  symlinkSync("sub", join(folder, "sub"));
  const report = await temp.kb.add(folder);
  assert.match(endingsOf(report)["sub"] ?? "", /^unreadable: .*ELOOP/);
  assert.equal(report.counts.removed, undefined);
  const { hits } = await temp.kb.search("buttercup", { retriever: "fts" });
  assert.equal(hits.length, 1);
});

Deno.test("add() refuses and names links out of the folder, ends loops and loses nothing else", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "real/in.md": "inner", "z.md": "last" });
  const outside = temp.folder({ "secret.md": "secret", "deep/s.md": "deeper" });
  symlinkSync(join(outside, "secret.md"), join(folder, "file.md"));
  symlinkSync(outside, join(folder, "a_folder"));
  symlinkSync("..", join(folder, "real", "up"));
  symlinkSync(".", join(folder, "loop"));
  symlinkSync("real/in.md", join(folder, "inner.md"));
  const report = await temp.kb.add(folder);
  const endings = endingsOf(report);
  assert.deepEqual(
    Object.fromEntries(
      report.files.map(({ path, state }) => [
        path.slice(folder.length + 1),
        state,
      ]),
    ),
    {
      "a_folder": "outside_root",
      "file.md": "outside_root",
      "inner.md": "indexed",
      "loop": "ignored",
      "real/in.md": "indexed",
      "real/up": "ignored",
      "z.md": "indexed",
    },
  );
  assert.match(endings["file.md"] ?? "", /secret\.md, outside of the folder/);
  assert.deepEqual(
    pathsOf(temp),
    ["inner.md", "real/in.md", "z.md"].map((name) => join(folder, name)),
  );
  assert.deepEqual((await temp.kb.search("secret")).hits.length, 0);
});

Deno.test("add() leaves what it had of a folder when it is stopped by a pattern that leads out of it", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "root/a.md": "alpha", "out/b.md": "beta" });
  const root = join(folder, "root");
  await temp.kb.add(root);
  for (const pattern of ["../**/*.md", "sub/../../out/*.md"]) {
    await assert.rejects(temp.kb.add(root, { include: [pattern] }), {
      code: "invalid_input",
      message: /leads out of the folder/,
    });
  }
  assert.deepEqual(pathsOf(temp), [join(root, "a.md")]);
});

Deno.test("a collection, docid or tag that looks as a path is a name and touches no file", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const folder = temp.folder({ "y.md": "not to be touched" });
  const names = ["../y", "/etc/passwd", "..%2fy", "C:\\x", "../../x"];
  for (const name of names) {
    kb.addNote(`note in ${name}`, { collection: name, tags: [`t${name}`] });
    assert.equal(kb.list({ collection: name }).total, 1, name);
    assert.throws(() => kb.get(name), { code: "not_found" });
  }
  for (const name of ["a\0b", "a\nb", " "]) {
    assert.throws(() => kb.addNote("x", { collection: name }), {
      code: "invalid_input",
    });
  }
  assert.equal(kb.removeCollection("../y"), 1);
  writeTree(folder, { "z.md": "z" });
  writeFileSync(join(folder, "y.md"), "still here");
  assert.equal((await kb.add(folder)).counts.indexed, 2);
});
