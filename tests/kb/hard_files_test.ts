import assert from "node:assert/strict";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AddReport } from "../../lib/kb/mod.ts";
import { listFixtures } from "../helpers/extract_fixtures.ts";
import { openTempKb, type Tree } from "../helpers/temp_kb.ts";

/** Files that give nobody trouble. */
const GOOD: Tree = Object.fromEntries(
  Array.from(
    { length: 50 },
    (_, i) => [`good/${i}.md`, `# Note ${i}\n\nwords\n`],
  ),
);

/** States of the files that are not among the good ones. */
function oddStates({ root, files }: AddReport): Record<string, string> {
  return Object.fromEntries(
    files.flatMap(({ path, state }) => {
      const name = path.slice(root.length + 1);
      return name.startsWith("good/") ? [] : [[name, state]];
    }),
  );
}

Deno.test("add() takes 50 good files in beside ones with NUL, images named .md and damaged ones", async () => {
  await using temp = openTempKb();
  const [png] = listFixtures("images").filter(({ name }) =>
    name === "titled.png"
  );
  assert.ok(png !== undefined);
  const report = await temp.kb.add(temp.folder({
    ...GOOD,
    "nul.md": "a note with \0 in it",
    "escaped.json": '{"said": "one\\u0000two"}',
    "picture.md": png.bytes,
    "cut.png": png.bytes.subarray(0, 18),
    "page.pdf": "<!doctype html><h1>Sign in</h1><p>to read this",
    "program.txt": Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 2),
    "blank.html": "<p> </p>",
    "empty.csv": "",
    "front.md": "---\ntitle: x\n---\n",
  }));
  assert.deepEqual(oddStates(report), {
    "blank.html": "empty",
    "cut.png": "corrupted",
    "empty.csv": "empty",
    "escaped.json": "indexed",
    "front.md": "empty",
    "nul.md": "binary",
    "page.pdf": "indexed",
    "picture.md": "indexed",
    "program.txt": "binary",
  });
  assert.equal(report.counts.indexed, 53);
  assert.ok(
    report.files.every(({ state, reason }) =>
      state === "indexed" || (reason ?? "") !== ""
    ),
  );
  const { hits } = await temp.kb.search("words", { limit: 100 });
  assert.ok(hits.every(({ text }) => text.trim() !== ""));
});

Deno.test("add() finds late content of a long page with lines of the file", async () => {
  await using temp = openTempKb();
  const lines = Array.from(
    { length: 4_000 },
    (_, i) =>
      i % 100 === 0
        ? `<h2>Part ${i}</h2>`
        : `<p>Filler words of a long page.</p>`,
  );
  lines[70] = "<p>aardvark</p>";
  lines[2_000] = "<p>buttercup</p>";
  lines[3_999] = "<p>chinchilla</p>";
  const folder = temp.folder({ "long.html": lines.join("\n") });
  await temp.kb.add(folder);
  for (
    const [word, line] of [
      ["aardvark", 71],
      ["buttercup", 2_001],
      ["chinchilla", 4_000],
    ] as const
  ) {
    const { hits: [hit] } = await temp.kb.search(word, { retriever: "fts" });
    assert.ok(hit !== undefined, word);
    assert.ok(hit.lineStart <= line && hit.lineEnd >= line, word);
  }
});

Deno.test("add() keeps what was indexed of a page that becomes damaged", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "a.html": "<p>marmalade" });
  await temp.kb.add(folder);
  writeFileSync(join(folder, "a.html"), "<p>".repeat(10) + "<i>".repeat(300));
  const { files: [report] } = await temp.kb.add(folder);
  assert.equal(report?.state, "too_large");
  assert.match(report?.reason ?? "", /indexed before is kept/);
  const { hits } = await temp.kb.search("marmalade", { retriever: "fts" });
  assert.equal(hits.length, 1);
});

Deno.test("add() passes over what is named as a page and is a folder, a loose link or unreadable", async () => {
  await using temp = openTempKb();
  const folder = temp.folder({ "good/a.html": "<p>words", "locked.html": "x" });
  mkdirSync(join(folder, "folder.html"));
  symlinkSync("/nowhere", join(folder, "loose.html"));
  chmodSync(join(folder, "locked.html"), 0);
  const { counts, files } = await temp.kb.add(folder);
  assert.equal((counts.indexed ?? 0) + (counts.unreadable ?? 0), 3);
  assert.match(
    files.find(({ path }) => path.endsWith("loose.html"))?.reason ?? "",
    /leads nowhere/,
  );
});
