import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  realpathSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { KbError, LIMITS } from "../../lib/core/mod.ts";
import type { FileReport } from "../../lib/ingest/mod.ts";
import { resolveRoot, walk } from "../../lib/ingest/walk.ts";
import { type Tree, writeTree } from "../helpers/temp_kb.ts";
import { makeTempDir, type TempDir } from "../helpers/temp_store.ts";

/** A temporary folder by its real path, with a tree in its subfolder `root`. */
function makeTree(files: Tree): TempDir & { readonly root: string } {
  const temp = makeTempDir();
  const path = realpathSync(temp.path);
  const root = join(path, "root");
  writeTree(root, files);
  return { path, root, [Symbol.dispose]: () => temp[Symbol.dispose]() };
}

/** What a walk finds: relative paths, with the state of what is left out. */
function found(root: string): string[] {
  return [...walk(root)].map((item) => {
    const name = relative(root, item.path);
    return "state" in item ? `${name}: ${item.state}` : name;
  });
}

/** The one thing that a walk leaves out. */
function leftOut(root: string): FileReport {
  const reports = [...walk(root)].filter((item) => "state" in item);
  assert.equal(reports.length, 1);
  return reports[0]!;
}

Deno.test("walk() finds files in the order of names, hidden ones too", () => {
  using tree = makeTree({ "b/c.md": "", "a.md": "x", ".hidden": "", "é": "" });
  assert.deepEqual(found(tree.root), [".hidden", "a.md", "b/c.md", "é"]);
});

Deno.test("walk() tells size and time of a file", () => {
  using tree = makeTree({ "a.md": "four" });
  assert.deepEqual([...walk(tree.root)], [{
    path: join(tree.root, "a.md"),
    sizeBytes: 4,
    mtimeMs: Date.UTC(2020),
  }]);
});

Deno.test("walk() of a file finds that file", () => {
  using tree = makeTree({ "a.md": "x", "b.md": "y" });
  const path = join(tree.root, "a.md");
  assert.deepEqual([...walk(path)].map((item) => item.path), [path]);
});

Deno.test("walk() of an empty folder finds nothing", () => {
  using tree = makeTree({});
  assert.deepEqual(found(tree.root), []);
});

Deno.test.each([
  { name: ".git" },
  { name: ".kbdb" },
  { name: "node_modules" },
  { name: "__pycache__" },
])("walk() leaves out folders named $name", ({ name }) => {
  using tree = makeTree({ [`sub/${name}/a.md`]: "x", "b.md": "y" });
  assert.deepEqual(found(tree.root), ["b.md", `sub/${name}: ignored`]);
});

Deno.test("walk() takes a file that is named like an ignored folder", () => {
  using tree = makeTree({ "node_modules": "a file" });
  assert.deepEqual(found(tree.root), ["node_modules"]);
});

Deno.test("walk() follows a link to a file inside the root", () => {
  using tree = makeTree({ "b.md": "text" });
  symlinkSync("b.md", join(tree.root, "a.md"));
  const items = [...walk(tree.root)];
  assert.deepEqual(found(tree.root), ["b.md", "a.md"]);
  assert.deepEqual(
    items.map((item) => "sizeBytes" in item ? item.sizeBytes : -1),
    [4, 4],
  );
});

Deno.test("walk() enters a folder by its own path, not by a link that sorts before it", () => {
  using tree = makeTree({ "b/c.md": "x", "a/d.md": "y" });
  symlinkSync(join(tree.root, "b"), join(tree.root, "a", "link"));
  assert.deepEqual(found(tree.root), ["a/d.md", "b/c.md", "a/link: ignored"]);
  assert.match(leftOut(tree.root).reason ?? "", /walked already/);
});

Deno.test("walk() stops at a link that leads back up", () => {
  using tree = makeTree({ "a/b/c.md": "x" });
  symlinkSync("../..", join(tree.root, "a", "b", "up"));
  assert.deepEqual(found(tree.root), ["a/b/c.md", "a/b/up: ignored"]);
});

Deno.test("walk() reports a link to itself", () => {
  using tree = makeTree({ "a.md": "x" });
  symlinkSync("loop", join(tree.root, "loop"));
  assert.deepEqual(found(tree.root), ["a.md", "loop: unreadable"]);
  assert.match(leftOut(tree.root).reason ?? "", /back to itself \(ELOOP\)/);
});

Deno.test("walk() reports a link that leads nowhere", () => {
  using tree = makeTree({ "b.md": "x" });
  symlinkSync("gone.md", join(tree.root, "a.md"));
  assert.deepEqual(found(tree.root), ["b.md", "a.md: unreadable"]);
  assert.match(leftOut(tree.root).reason ?? "", /leads nowhere.*ENOENT/);
});

Deno.test("walk() does not follow links that leave the root", () => {
  using tree = makeTree({ "a.md": "x" });
  const outside = join(tree.path, "root-beside");
  writeTree(outside, { "secret.md": "y" });
  symlinkSync(outside, join(tree.root, "folder"));
  symlinkSync(join(outside, "secret.md"), join(tree.root, "file.md"));
  assert.deepEqual(found(tree.root), [
    "a.md",
    "file.md: outside_root",
    "folder: outside_root",
  ]);
});

Deno.test("walk() reports a pipe without opening it", async () => {
  using tree = makeTree({ "a.md": "x" });
  const pipe = join(tree.root, "pipe.md");
  const { success } = await new Deno.Command("mkfifo", { args: [pipe] })
    .output();
  assert.ok(success);
  assert.deepEqual(found(tree.root), ["a.md", "pipe.md: unsupported"]);
});

Deno.test("walk() reports a file above the limit, and takes one at it", () => {
  using tree = makeTree({ "at.txt": "", "above.txt": "" });
  truncateSync(join(tree.root, "at.txt"), LIMITS.fileBytes);
  truncateSync(join(tree.root, "above.txt"), LIMITS.fileBytes + 1);
  assert.deepEqual(found(tree.root), ["above.txt: too_large", "at.txt"]);
  assert.match(leftOut(tree.root).reason ?? "", /67108865 bytes/);
});

Deno.test("walk() stops at the deepest folder it follows", () => {
  const depth = LIMITS.folderDepth;
  using tree = makeTree({
    [`${"d/".repeat(depth)}in.md`]: "x",
    [`${"d/".repeat(depth + 1)}out.md`]: "y",
  });
  assert.deepEqual(found(tree.root), [
    `${"d/".repeat(depth)}d: ignored`,
    `${"d/".repeat(depth)}in.md`,
  ]);
});

Deno.test({
  name: "walk() reports a folder that may not be read (not as root)",
  ignore: Deno.uid() === 0,
  fn() {
    using tree = makeTree({ "a.md": "x", "b/c.md": "y" });
    const folder = join(tree.root, "b");
    chmodSync(folder, 0);
    try {
      assert.deepEqual(found(tree.root), ["a.md", "b: unreadable"]);
      assert.match(leftOut(tree.root).reason ?? "", /permission denied/);
    } finally {
      chmodSync(folder, 0o700);
    }
  },
});

Deno.test("resolveRoot() answers the real path behind a link", () => {
  using tree = makeTree({ "a.md": "x" });
  symlinkSync(tree.root, join(tree.path, "link"));
  assert.equal(resolveRoot(join(tree.path, "link")), tree.root);
  assert.equal(resolveRoot(`${tree.root}/../root/`), tree.root);
});

Deno.test.each([
  { what: "is not there", name: "gone" },
  { what: "is below a file", name: "file.md/below" },
  { what: "links nowhere", name: "dangling" },
])("resolveRoot() says not_found of a path that $what", ({ name }) => {
  using tree = makeTree({ "file.md": "x" });
  mkdirSync(join(tree.root, "folder"));
  writeFileSync(join(tree.root, "folder", "b.md"), "y");
  symlinkSync("nowhere", join(tree.root, "dangling"));
  const path = join(tree.root, name);
  assert.throws(
    () => resolveRoot(path),
    (error: unknown) =>
      error instanceof KbError && error.code === "not_found" &&
      error.message.includes(path) && error.details["path"] === path,
  );
});
