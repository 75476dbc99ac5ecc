import assert from "node:assert/strict";
import { join } from "node:path";
import { listFixtures } from "../helpers/extract_fixtures.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

Deno.test("add() stores images as learn() does, found by the words in them and by their names", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const images = Object.fromEntries(
    listFixtures("images").map(({ name, bytes }) => [name, bytes]),
  );
  const folder = temp.folder(images);
  const report = await kb.add(folder);
  assert.deepEqual(report.counts, { indexed: 12, corrupted: 1 });
  for (
    const [query, name, type] of [
      ["heron reeds", "heron.jpg", "image/jpeg"],
      ["cranes", "titled.png", "image/png"],
      ["plain scan", "plain_scan.webp", "image/webp"],
    ] as const
  ) {
    const { hits: [hit] } = await kb.search(query, { retriever: "fts" });
    assert.equal(hit?.path, join(folder, name), query);
    assert.equal(hit?.sectionType, type);
    assert.equal(hit?.docType, "image");
    assert.deepEqual(kb.getSection(hit.kbid).content, images[name]);
  }
  const heron = listFixtures("images").find(({ name }) => name === "heron.jpg");
  assert.ok(heron !== undefined);
  const learned = kb.learn(heron.bytes, { type: "image/jpeg", title: "again" });
  assert.equal(learned.created, false);
});
