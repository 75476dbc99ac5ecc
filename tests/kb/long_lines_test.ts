import assert from "node:assert/strict";
import { join } from "node:path";
import { LIMITS } from "../../lib/core/mod.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** Something for each number, joined. */
function many(count: number, part: (i: number) => string, glue = ""): string {
  return Array.from({ length: count }, (_, i) => part(i)).join(glue);
}

/** Files of which one line has a megabyte or more, and says `omega` at its end. */
const LINES: Readonly<Record<string, string>> = {
  "plain.txt": `${many(200_000, (i) => `word${i} `)}omega`,
  "plain.md": `# One\n\n${many(200_000, (i) => `word${i} `)}omega\n`,
  "row.md": `| a | b |\n| --- | --- |\n| ${
    many(100_000, (i) => `cell ${i} | `)
  }omega |\n`,
  "min.js": `${
    many(40_000, (i) => `function f${i}(a,b){return a+b*${i}}`, ";")
  };omega()\n`,
  "min.css": `${many(30_000, (i) => `.c${i}{color:#00${i % 10}}`)}.omega{}`,
  "line.json": `[${
    many(30_000, (i) => `{"name":"item ${i}","value":${i}}`, ",")
  },"omega"]`,
  "line.html": `<!doctype html><p>${
    many(200_000, (i) => `word${i} `)
  }<b>omega</b>`,
  "line.xml": `<list>${
    many(30_000, (i) => `<item n="${i}">item ${i}</item>`)
  }<item>omega</item></list>`,
};

Deno.test("add() takes lines of megabytes in, to their end and within every limit", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const folder = temp.folder(LINES);
  const { counts, files } = await kb.add(folder);
  assert.deepEqual(
    counts,
    { indexed: Object.keys(LINES).length },
    JSON.stringify(files),
  );
  const { hits } = await kb.search("omega", { retriever: "fts", limit: 100 });
  const found = new Set(
    hits.flatMap(({ path, alsoIn }) => [path, ...alsoIn.map((it) => it.path)]),
  );
  for (const name of Object.keys(LINES)) {
    const path = join(folder, name);
    assert.ok(found.has(path), name);
    for (const { tokenCount } of kb.chunks(path)) assert.ok(tokenCount <= 510);
    for (const { kbid } of kb.info(path).sections) {
      assert.ok(kb.getSection(kbid).content.length <= LIMITS.sectionChars);
    }
  }
});

Deno.test("add() says too_large of a row of very many columns, and why", async () => {
  await using temp = openTempKb();
  const { files } = await temp.kb.add(temp.folder({
    "wide.csv": many(500_000, (i) => `"cell ${i}"`, ","),
    "good.md": "alpha",
  }));
  assert.deepEqual(
    files.map(({ state, reason }) => [state, reason]),
    [
      ["indexed", undefined],
      ["too_large", "Line 1 has more than 10000 columns."],
    ],
  );
});

Deno.test("kbdb add takes one line of 2 MB and shows a short part of it", async () => {
  using folder = new CliFolder();
  folder.write({ "a.txt": LINES["plain.txt"] ?? "" });
  const added = await folder.run(["add", "a.txt", "--no-embed"]);
  assert.equal(added.code, 0, added.err);
  assert.match(added.out, /1 indexed/);
  const { out } = await folder.run(["search", "omega"]);
  assert.match(out, /omega/);
  assert.ok(out.length < 2_000, `${out.length}`);
});
