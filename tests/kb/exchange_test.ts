import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import {
  existsSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { exportBase, type Kb, openKb } from "../../lib/kb/mod.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { openTempKb, type TempKb, writeTree } from "../helpers/temp_kb.ts";
import { upload } from "../helpers/upload.ts";

const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** A base with something of every kind. */
async function fill(temp: TempKb): Promise<void> {
  const { kb } = temp;
  await kb.add(
    temp.folder({
      "garden.md":
        "---\ntitle: The garden\ntags: [green, \"2024\"]\nplan: {rows: 3, note: '--> tricky'}\n---\n# Beds\n\nSee [[Tools]] and [code](code.ts).\n\n## Roses\n\nRoses -- and thorns --> here.\n",
      "tools.md": '# Tools\n\nA spade. <!-- kbdb {"body_sha256":"x"} -->\n',
      "code.ts": "// A comment\nexport const spade = 1;\n",
      "empty.md": "",
    }),
    { tags: ["added"], collection: "yard" },
  );
  const { documentId } = kb.addNote("First text.", {
    docid: "my-note",
    tags: ["a tag, with comma"],
  });
  await kb.updateNote(String(documentId), "# Two\n\n## Three\n\nSecond text.");
  await upload(kb, "kept.md", "# Kept\n\nThe original of an upload.\n");
  kb.learn("A paragraph that stands alone, see [[Tools]].");
  kb.learn("Part of a learned document.", { docid: "learned" });
  kb.learn(Uint8Array.from(PIXEL), {
    type: "image/png",
    title: "A [pixel]",
    docid: "learned",
  });
  const { skill } = kb.learnSkill({
    name: "greet",
    description: "Greets",
    body: "Hello {{who}}",
  });
  kb.createAgent({
    name: "host",
    description: "Hosts",
    persona: "You are kind.\n\nAlways.",
    skills: [skill.kbid],
  });
  await kb.embed();
}

/** A value as JSON, without integer ids, which every base gives anew. */
function withoutIds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(
    value,
    (key, part) => typeof part === "number" && /id$/i.test(key) ? 0 : part,
  ));
}

/** Everything of a base that an export has to bring back. */
async function picture(kb: Kb): Promise<unknown> {
  const { documents } = kb.list({ limit: 1000, sort: "title" });
  return {
    documents: documents.map(({ id, ...summary }) => {
      const { id: _, sections, contentHash, metadata, warnings } = kb.info(
        String(id),
      );
      return {
        ...summary,
        contentHash,
        metadata,
        warnings,
        sections,
        text: kb.get(String(id)).text,
        chunks: kb.chunks(String(id)).map(({ id: _, ...chunk }) => chunk),
        history: kb.noteHistory(String(id)),
        references: sections.map(({ kbid }) =>
          withoutIds(kb.recall([kbid], { depth: 2 }))
        ),
      };
    }),
    skills: kb.listSkills(),
    agents: kb.listAgents(),
    tags: kb.listTags(),
    counts: { ...kb.status(), dir: "", databaseBytes: 0, jobsByStatus: {} },
    hits: (await kb.search("roses spade tools")).hits.map(withoutIds),
    check: (await kb.check()).errors,
  };
}

Deno.test.each([{ target: "export" }, { target: "export.jsonl" }])(
  "importFrom() of an $target brings back the same base, and again changes nothing",
  async ({ target }) => {
    await using temp = openTempKb();
    await fill(temp);
    const path = join(dirname(temp.dir), target);
    const report = await exportBase(temp.dir, path);
    assert.deepEqual(
      [report.documents, report.skills, report.sections],
      [8, 1, 1],
    );
    assert.equal(report.originals + report.originalsLeftOut, 1);
    await using kb = openKb({
      dir: join(dirname(temp.dir), "again"),
      embedder: fakeEmbedder(),
    });
    const first = await kb.importFrom(path);
    assert.deepEqual(first.counts, { added: 10 }, JSON.stringify(first.items));
    await kb.embed();
    assert.deepEqual(await picture(kb), await picture(temp.kb));
    const second = await kb.importFrom(path);
    assert.deepEqual(second.counts, { unchanged: 10 });
    assert.deepEqual(await picture(kb), await picture(temp.kb));
    const kept = kb.list().documents.find((one) => one.path === "kept.md");
    assert.equal(
      kb.original(kept?.docid ?? "") !== undefined,
      target === "export",
    );
  },
);

Deno.test("exportBase() leaves nothing half-made and overwrites nothing", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const out = join(dirname(temp.dir), "out");
  await assert.rejects(
    exportBase(temp.dir, join(out, "a"), { signal: AbortSignal.abort() }),
    { code: "cancelled" },
  );
  assert.ok(!existsSync(out) || readdirSync(out).length === 0);
  await exportBase(temp.dir, join(out, "a"));
  await assert.rejects(exportBase(temp.dir, join(out, "a")), {
    code: "conflict",
  });
});

Deno.test("exportBase() writes the documents that pass a filter only", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const path = join(dirname(temp.dir), "some.jsonl");
  const report = await exportBase(temp.dir, path, { collection: "yard" });
  assert.deepEqual([report.documents, report.skills, report.sections], [
    4,
    0,
    0,
  ]);
});

Deno.test("an exported file that was edited is taken in as it is now, by its headings", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const path = join(dirname(temp.dir), "out");
  await exportBase(temp.dir, path);
  const file = join(path, "documents", "yard", "garden.md");
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace("title: The garden", "title: The park").replace(
      "- green",
      "- red",
    ).replace("## Roses", "## Tulips"),
  );
  const later = new Date(Date.now() + 60_000);
  utimesSync(file, later, later);
  const { counts, items } = await temp.kb.importFrom(path);
  assert.deepEqual(counts, { unchanged: 9, updated: 1 }, JSON.stringify(items));
  const page = temp.kb.list({ collection: "yard" }).documents.find((
    { title },
  ) => title === "The park");
  assert.deepEqual(page?.tags, ["2024", "added", "red"]);
  const info = temp.kb.info(page?.docid ?? "");
  assert.deepEqual(info.sections.map(({ headingPath }) => headingPath), [
    ["Beds"],
    ["Beds", "Tulips"],
  ]);
  assert.deepEqual((await temp.kb.importFrom(path)).counts, { unchanged: 10 });
});

Deno.test("importFrom() keeps a document that changed later in the base, unless told otherwise", async () => {
  await using temp = openTempKb();
  await fill(temp);
  const path = join(dirname(temp.dir), "out.jsonl");
  await exportBase(temp.dir, path);
  await temp.kb.updateNote("my-note", "Written after the export.");
  const kept = await temp.kb.importFrom(path);
  assert.deepEqual(kept.counts, { unchanged: 9, kept: 1 });
  assert.match(temp.kb.get("my-note").text, /after the export/);
  await temp.kb.importFrom(path, { overwrite: true });
  assert.match(temp.kb.get("my-note").text, /Second text/);
});

Deno.test("importFrom() names each item that is wrong, and takes in the others", async () => {
  await using temp = openTempKb();
  const good = (docid: string) => ({
    kind: "document",
    docid,
    title: docid,
    doc_type: "note",
    created_at: "2026-01-01T00:00:00.000Z",
    content_hash: "0".repeat(64),
    sections: [{ content: `Text of ${docid}` }],
  });
  const path = join(dirname(temp.dir), "mixed.jsonl");
  writeFileSync(
    path,
    [
      JSON.stringify(good("one")),
      "{ no json",
      JSON.stringify({ ...good("two"), docid: "" }),
      JSON.stringify({
        ...good("three"),
        sections: [{ kbid: "0".repeat(26), content: "other" }],
      }),
      "",
      JSON.stringify(good("four\u2028")),
      JSON.stringify({ kind: "surprise" }),
    ].join("\r\n"),
  );
  const { items, counts } = await temp.kb.importFrom(path);
  assert.deepEqual(counts, { failed: 4, added: 2 });
  const failed = items.filter(({ state }) => state === "failed");
  assert.deepEqual(failed.map(({ item }) => item).sort(), [
    "line 2",
    "line 3",
    "line 4",
    "line 7",
  ]);
  for (const { reason = "" } of failed) assert.ok(reason.length > 8, reason);
  assert.equal(temp.kb.get("one").text, "Text of one");
});

Deno.test("importFrom() of a folder from elsewhere keeps frontmatter, wiki links and originals", async () => {
  await using temp = openTempKb();
  const root = join(dirname(temp.dir), "Vault");
  writeTree(root, {
    "Coffee.md":
      "---\ntitle: Coffee\ntype: note\npermalink: food/coffee\ntags: [drink]\ncreated: 2024-05-06\n---\n# Coffee\n\n- [method] Pour over\n- relates to [[Tea#Green|green tea]]\n- [plain](deep/Tea.md)\n",
    "deep/Tea.md": "# Tea\n\n## Green\n\nNot too hot.\n",
    ".obsidian/app.json": "{}",
    "x.bin": Uint8Array.of(0, 1, 2),
    "bad.md": "---\nkbdb: document\ndocid: no-time\n---\ntext\n",
  });
  const { items, counts } = await temp.kb.importFrom(root, {
    collection: "vault",
  });
  assert.equal(counts["failed"], 1);
  assert.equal(counts["binary"], 1);
  assert.match(
    items.find(({ item }) => item === "bad.md")?.reason ?? "",
    /title|created_at/,
  );
  const coffee = temp.kb.list({ tags: ["drink"] }).documents[0];
  assert.deepEqual([coffee?.title, coffee?.path, coffee?.collection], [
    "Coffee",
    "Vault/Coffee.md",
    "vault",
  ]);
  assert.match(coffee?.createdAt ?? "", /^2024-05-06/);
  const info = temp.kb.info(coffee?.docid ?? "");
  assert.equal(info.metadata["permalink"], "food/coffee");
  assert.ok(temp.kb.original(coffee?.docid ?? "") !== undefined);
  const green = (await temp.kb.search("not too hot")).hits[0]?.kbid ?? "";
  const recalled = JSON.stringify(temp.kb.recall([green], { depth: 3 }));
  assert.match(recalled, /Coffee/, `what links to it is known: ${recalled}`);
  const broken = (await temp.kb.check()).errors.filter(({ type }) =>
    type === "broken_reference"
  );
  assert.deepEqual(broken, []);
  const again = await temp.kb.importFrom(root, { collection: "vault" });
  assert.equal(again.counts["indexed"], undefined, JSON.stringify(again.items));
  assert.equal(temp.kb.list({ collection: "vault" }).total, 3);
});

Deno.test("importFrom() in two processes at once makes one document of a file", async () => {
  await using temp = openTempKb();
  await using other = openTempKb({ dir: temp.dir });
  const root = join(dirname(temp.dir), "Vault");
  writeTree(root, { "a.md": "# A\n", "b.md": "# B\n" });
  await Promise.all([temp.kb, other.kb].map((kb) => kb.importFrom(root)));
  assert.equal(temp.kb.status().documents, 2);
});

Deno.test("importFrom() reads nothing outside the folder", async () => {
  await using temp = openTempKb();
  await upload(temp.kb, "kept.md", "# Kept\n");
  const path = join(dirname(temp.dir), "out");
  await exportBase(temp.dir, path);
  const file = join(path, "documents", "documents", "kept.md");
  const text = readFileSync(file, "utf8");
  writeFileSync(
    file,
    text.replace(/^original: .*$/m, "original: ../../../.kbdb/kb.db"),
  );
  const { items } = await temp.kb.importFrom(path);
  assert.match(
    items.find(({ state }) => state === "failed")?.reason ?? "",
    /outside the folder/,
  );
});
