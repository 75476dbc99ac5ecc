import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zipSync } from "fflate";
import type { AddReport } from "../../lib/kb/mod.ts";
import { makeTar } from "../helpers/make_tar.ts";
import { openTempKb, type TempKb } from "../helpers/temp_kb.ts";

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** States by path behind the folder. */
function statesOf({ root, files }: AddReport): Record<string, string> {
  return Object.fromEntries(
    files.map(({ path, state }) => [path.slice(root.length + 1), state]),
  );
}

/** Adds a folder with one archive. */
async function addArchive(
  temp: TempKb,
  name: string,
  bytes: Uint8Array,
): Promise<AddReport> {
  return await temp.kb.add(temp.folder({ [name]: bytes }), {
    takesArchives: true,
  });
}

const TREE = {
  "a.md": utf8("# Alpha\n\napricot\n"),
  "deep/page.html": utf8("<h1>Beta</h1><p>blueberry"),
};

Deno.test("add() leaves archives unless asked, and says how", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "x.zip": zipSync(TREE) });
  const { files: [report] } = await temp.kb.add(folder);
  assert.equal(report?.state, "unsupported");
  assert.match(report?.reason ?? "", /--archives/);
});

Deno.test.each([
  { name: "x.zip", bytes: zipSync(TREE) },
  { name: "x.tar", bytes: makeTar(TREE) },
  { name: "x.tar.gz", bytes: gzipSync(makeTar(TREE)) },
  { name: "x.tgz", bytes: gzipSync(makeTar(TREE)) },
])(
  "add() takes the files of $name as documents of their own",
  async ({ name, bytes }) => {
    await using temp = openTempKb();
    const report = await addArchive(temp, name, bytes);
    assert.deepEqual(statesOf(report), {
      [name]: "indexed",
      [`${name}!/a.md`]: "indexed",
      [`${name}!/deep/page.html`]: "indexed",
    });
    const { hits: [hit] } = await temp.kb.search("blueberry", {
      retriever: "fts",
    });
    assert.equal(hit?.path, join(report.root, `${name}!/deep/page.html`));
    assert.equal(hit?.documentTitle, "Beta");
    const again = await temp.kb.add(report.root, { takesArchives: true });
    assert.deepEqual(again.counts, { unchanged: 1 });
  },
);

Deno.test("add() takes a packed file under its own name, and archives in archives", async () => {
  await using temp = openTempKb();
  const inner = zipSync({ "in/b.md": utf8("blackberry") });
  const outer = zipSync({
    "inner.zip": inner,
    "log.txt.gz": gzipSync(utf8("cherry")),
  });
  assert.deepEqual(statesOf(await addArchive(temp, "o.zip", outer)), {
    "o.zip": "indexed",
    "o.zip!/inner.zip": "indexed",
    "o.zip!/inner.zip!/in/b.md": "indexed",
    "o.zip!/log.txt.gz": "indexed",
    "o.zip!/log.txt.gz!/log.txt": "indexed",
  });
});

Deno.test("add() brings the documents of an archive up to date with it", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const inner = zipSync({ "b.md": utf8("blackberry") });
  const folder = temp.folder({
    "x.zip": zipSync({
      "a.md": utf8("one"),
      "b.md": utf8("two"),
      "n.zip": inner,
    }),
  });
  const options = { takesArchives: true };
  await kb.add(folder, options);
  const before = kb.info(join(folder, "x.zip!/a.md")).id;
  writeFileSync(
    join(folder, "x.zip"),
    zipSync({
      "a.md": utf8("one more"),
      "c.md": utf8("three"),
      "n.zip": inner,
    }),
  );
  const report = await kb.add(folder, options);
  assert.deepEqual(statesOf(report), {
    "x.zip": "indexed",
    "x.zip!/a.md": "indexed",
    "x.zip!/b.md": "removed",
    "x.zip!/c.md": "indexed",
    "x.zip!/n.zip": "unchanged",
  });
  assert.equal(kb.info(join(folder, "x.zip!/a.md")).id, before);
  assert.equal(kb.info(join(folder, "x.zip!/n.zip!/b.md")).chunkCount, 1);
  const alone = await kb.add(join(folder, "x.zip"));
  assert.deepEqual(alone.counts, { unchanged: 1 });
  writeFileSync(join(folder, "x.zip"), "PK\x03\x04 damaged");
  assert.deepEqual((await kb.add(folder, options)).counts, { corrupted: 1 });
  assert.equal(kb.list().total, 5);
  rmSync(join(folder, "x.zip"));
  await kb.add(folder, options);
  assert.equal(kb.list().total, 0);
});

Deno.test("add() refuses by name what leads out of an archive, and takes the rest", async () => {
  await using temp = openTempKb();
  const bytes = zipSync({
    "../../evil.md": utf8("out"),
    "/etc/passwd.md": utf8("absolute"),
    "C:\\x.md": utf8("drive"),
    "ok/..\\..\\win.md": utf8("back"),
    "__MACOSX/a.md": utf8("mac"),
    "__MACOSX/b.md": utf8("mac"),
    "good.md": utf8("fine"),
    "link.md": [utf8("good.md"), { os: 3, attrs: 0o120777 << 16 }],
  });
  assert.deepEqual(statesOf(await addArchive(temp, "x.zip", bytes)), {
    "x.zip": "indexed",
    "x.zip!/../../evil.md": "outside_root",
    "x.zip!//etc/passwd.md": "outside_root",
    "x.zip!/C:/x.md": "outside_root",
    "x.zip!/ok/../../win.md": "outside_root",
    "x.zip!/__MACOSX": "ignored",
    "x.zip!/good.md": "indexed",
    "x.zip!/link.md": "unsupported",
  });
  assert.equal(temp.kb.list().total, 2);
});

Deno.test("add() refuses the links of a tar archive", async () => {
  await using temp = openTempKb();
  const bytes = makeTar({ "a.md": utf8("alpha") }, [
    { name: "s.md", type: "2" },
    { name: "../h.md", type: "1" },
  ]);
  assert.deepEqual(statesOf(await addArchive(temp, "x.tar", bytes)), {
    "x.tar": "indexed",
    "x.tar!/a.md": "indexed",
    "x.tar!/s.md": "unsupported",
    "x.tar!/../h.md": "outside_root",
  });
});

Deno.test("remove() removes an archive with the documents of the files in it", async () => {
  await using temp = openTempKb();
  const { root } = await addArchive(temp, "x.zip", zipSync(TREE));
  assert.equal(temp.kb.remove(join(root, "x.zip")).length, 3);
  assert.equal(temp.kb.list().total, 0);
});
