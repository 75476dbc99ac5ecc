import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTempKb } from "../helpers/temp_kb.ts";

Deno.test("chunks() gives a document's chunks in the order of its text, with lines", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await kb.add(temp.folder({ "a.md": "# A\n\none\n\n## B\n\ntwo\n" }));
  const [document] = kb.list().documents;
  assert.equal(document?.chunkCount, 2);
  assert.deepEqual(
    kb.chunks(String(document?.id)).map((
      { index, headingPath, lineStart, lineEnd },
    ) => [
      index,
      headingPath,
      lineStart,
      lineEnd,
    ]),
    [[0, ["A"], 1, 3], [1, ["A", "B"], 5, 7]],
  );
  assert.throws(() => kb.chunks("99"), { code: "not_found" });
});

Deno.test("original() finds the file of a document while its bytes are the same", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const folder = temp.folder({ "a.md": "# A\n" });
  await kb.add(folder);
  kb.addNote("note", { docid: "n" });
  const path = join(folder, "a.md");
  assert.deepEqual(kb.original(path), {
    path,
    name: "a.md",
    mime: "text/markdown",
    sizeBytes: 4,
  });
  assert.equal(kb.original("n"), undefined);
  writeFileSync(path, "# B\n");
  assert.equal(kb.original(path), undefined);
  assert.throws(() => kb.original("99"), { code: "not_found" });
});

Deno.test("list() filters by source path, dates and metadata", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const folder = temp.folder({
    "a.md": "---\nstatus: open\nowners: [ann, bob]\npriority: 2\n---\n# A\n",
    "b.md": '---\nstatus: "it\'s"\n---\n# B\n',
  });
  await kb.add(folder);
  const titles = (filter: Parameters<typeof kb.list>[0]) =>
    kb.list(filter).documents.map(({ title }) => title);
  assert.deepEqual(titles({ metadata: { status: "open" } }), ["A"]);
  assert.deepEqual(titles({ metadata: { owners: "bob", priority: "2" } }), [
    "A",
  ]);
  assert.deepEqual(titles({ metadata: { status: "it's" } }), ["B"]);
  assert.deepEqual(titles({ metadata: { 'a".b': "x" } }), []);
  assert.deepEqual(titles({ sourcePath: join(folder, "b.md") }), ["B"]);
  assert.deepEqual(titles({ before: "2000-01-01" }), []);
  assert.equal(titles({ after: "2000-01-01" }).length, 2);
});
