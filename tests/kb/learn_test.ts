import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { KbError, LIMITS, toKbid } from "../../lib/core/mod.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

const DOT = new Uint8Array(Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
  "base64",
));

Deno.test("learn() makes one section of a text with many headings", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const report = kb.learn(
    "\ufeff# One\r\n\r\nalpha\r\n\r\n## Two\r\n\r\nbeta alpha\r\n",
  );
  assert.deepEqual(report, {
    kbid: toKbid("# One\n\nalpha\n\n## Two\n\nbeta alpha"),
    sectionType: "text/markdown",
    title: "One",
    indexedTerms: 4,
    created: true,
    attached: false,
  });
  const section = kb.getSection(report.kbid);
  assert.equal(section.content, "# One\n\nalpha\n\n## Two\n\nbeta alpha");
  assert.deepEqual(section.docids, []);
});

Deno.test("search() finds a section that stands alone, but not through a filter", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { kbid } = kb.learn("The spare key hangs behind the boiler.");
  await kb.embed();
  for (const retriever of ["fts", "vector", "hybrid"] as const) {
    const { hits, total } = await kb.search("spare key", { retriever });
    assert.equal(total, 1);
    const [hit] = hits;
    assert.deepEqual(
      [hit?.kbid, hit?.documentId, hit?.docid, hit?.path, hit?.lineStart],
      [kbid, null, null, null, 1],
    );
    const filtered = await kb.search("spare key", {
      retriever,
      collection: "documents",
    });
    assert.deepEqual(filtered.hits, []);
  }
  assert.equal(kb.get(kbid).document, null);
});

Deno.test("learn() joins a document, makes it, and is idempotent", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const first = kb.learn("alpha", {
    docid: "notes",
    title: "A",
    tags: ["x"],
    collection: "memory",
  });
  assert.deepEqual([first.created, first.attached], [true, false]);
  const alone = kb.learn("beta");
  const joined = kb.learn("beta", { docid: "notes" });
  assert.deepEqual(
    [joined.created, joined.attached, joined.indexedTerms],
    [false, true, 0],
  );
  assert.equal(kb.learn("beta", { docid: "notes" }).attached, false);
  const document = kb.getDocument("notes");
  assert.deepEqual(document.sections.map(({ kbid }) => kbid), [
    first.kbid,
    alone.kbid,
  ]);
  assert.deepEqual(
    [document.title, document.collection, document.tags, document.docType],
    ["A", "memory", ["x"], "markdown"],
  );
  assert.notEqual(document.updatedAt, null);
  assert.deepEqual(kb.getSection(alone.kbid).docids, ["notes"]);
});

Deno.test("learn() stores an image as it is and finds it by title and description", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const report = kb.learn(DOT, {
    type: "image/png",
    title: "Wiring diagram",
    description: "The pump's relay",
  });
  assert.equal(report.indexedTerms, 0);
  assert.deepEqual(kb.getSection(report.kbid).content, DOT);
  assert.equal(report.kbid, toKbid(DOT));
  const { hits } = await kb.search("relay", { retriever: "fts" });
  assert.equal(hits[0]?.kbid, report.kbid);
});

Deno.test.each([
  {
    rule: "a blank text",
    content: " \n",
    options: {},
    code: "invalid_input",
    says: /empty/,
  },
  {
    rule: "a NUL character",
    content: "a\0b",
    options: {},
    code: "invalid_input",
    says: /NUL/,
  },
  {
    rule: "a text that is too long",
    content: "a".repeat(LIMITS.noteChars + 1),
    options: {},
    code: "invalid_input",
    says: /limit/,
  },
  {
    rule: "an image without title",
    content: DOT,
    options: { type: "image/png" },
    code: "invalid_input",
    says: /title is required/,
  },
  {
    rule: "an image of another type than its bytes",
    content: DOT,
    options: { type: "image/jpeg", title: "Dot" },
    code: "invalid_input",
    says: /image\/png/,
  },
  {
    rule: "a type that is none of text and image",
    content: "a",
    options: { type: "video/mp4" },
    code: "unsupported_type",
    says: /text\/\*/,
  },
  {
    rule: "a collection without docid",
    content: "a",
    options: { collection: "memory" },
    code: "invalid_input",
    says: /docid/,
  },
  {
    rule: "a docid of two lines",
    content: "a",
    options: { docid: "a\nb" },
    code: "invalid_input",
    says: /docid/,
  },
])("learn() refuses $rule", async ({ content, options, code, says }) => {
  await using temp = openTempKb();
  const { kb } = temp;
  assert.throws(
    () => kb.learn(content, options),
    (error) =>
      error instanceof KbError && error.code === code &&
      says.test(error.message),
  );
  assert.equal(kb.status().sections, 0);
});

Deno.test("learn() refuses to write into the document of a file", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await kb.add(temp.folder({ "a.md": "# A\n\ntext" }));
  const docid = kb.list().documents[0]?.docid ?? "";
  assert.throws(() => kb.learn("more", { docid }), { code: "conflict" });
  assert.equal(kb.status().sections, 1);
});

Deno.test("unlearn() takes a section out of the base and of every document", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { kbid } = kb.learn("alpha", { docid: "one" });
  kb.learn("alpha", { docid: "two" });
  const { kbid: other } = kb.learn("beta", { docid: "two" });
  await kb.embed();
  assert.equal(kb.unlearn(kbid), true);
  assert.equal(kb.unlearn(kbid), false);
  assert.throws(() => kb.getSection(kbid), { code: "not_found" });
  assert.throws(() => kb.getDocument("one"), { code: "not_found" });
  assert.deepEqual(kb.getDocument("two").sections.map((head) => head.kbid), [
    other,
  ]);
  assert.deepEqual((await kb.search("alpha", { retriever: "fts" })).hits, []);
  assert.equal((await kb.check()).ok, true);
});

Deno.test("a section learned on its own outlives a document that has it too", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { kbid } = kb.learn("alpha");
  kb.learn("alpha", { docid: "notes" });
  kb.remove("notes");
  assert.deepEqual(kb.getSection(kbid).docids, []);
});

Deno.test("gc() removes what no document has, skills excepted, and can say so first", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { kbid } = kb.learn("alpha");
  kb.learn("beta", { docid: "notes" });
  kb.learnSkill({
    name: "greet",
    description: "Greets",
    body: "Hello {{who}}",
  });
  const report = {
    removedSections: 1,
    removedBytes: 5,
    sections: [{ kbid, heading: null, type: "text/markdown" }],
  };
  assert.deepEqual(kb.gc({ dryRun: true }), report);
  assert.deepEqual(kb.gc(), report);
  assert.deepEqual(kb.gc(), {
    removedSections: 0,
    removedBytes: 0,
    sections: [],
  });
  assert.equal(kb.status().sections, 2);
});

Deno.test("changeMark() and versionOf() follow changes, also those of another connection", async () => {
  await using temp = openTempKb();
  await using other = openTempKb({ dir: temp.dir });
  const { kb } = temp;
  const { kbid } = kb.learn("alpha", { docid: "notes" });
  const mark = kb.changeMark();
  const section = kb.versionOf({ kbid });
  const document = kb.versionOf({ docid: "notes" });
  const lists = kb.catalogVersions();
  assert.equal(kb.changeMark(), mark);
  other.kb.learn("beta", { docid: "notes" });
  assert.notEqual(kb.changeMark(), mark);
  assert.equal(kb.versionOf({ kbid }), section);
  assert.notEqual(kb.versionOf({ docid: "notes" }), document);
  assert.notEqual(kb.catalogVersions().documents, lists.documents);
  assert.equal(kb.catalogVersions().prompts, lists.prompts);
  other.kb.learnSkill({ name: "greet", description: "", body: "Hi" });
  assert.notEqual(kb.catalogVersions().prompts, lists.prompts);
  other.kb.unlearn(kbid);
  assert.equal(kb.versionOf({ kbid }), undefined);
});

Deno.test("findIds() lists ids by their start, within a limit", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  for (const docid of ["beta", "alpha-2", "alpha-1"]) {
    kb.learn(docid, { docid });
  }
  assert.deepEqual(kb.findIds("docid", "alpha", 10), ["alpha-1", "alpha-2"]);
  assert.deepEqual(kb.findIds("docid", "", 1), ["alpha-1"]);
  const kbid = toKbid("beta");
  assert.deepEqual(kb.findIds("kbid", kbid.slice(0, 8), 10), [kbid]);
});
