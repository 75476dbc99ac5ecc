import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { openTempKb } from "../helpers/temp_kb.ts";
import { callJson, callTool, connectMcp, REVISIONS } from "../helpers/mcp.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

for (const revision of REVISIONS) {
  Deno.test(`search answers the envelope of the specification in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kbid } = temp.kb.learn("The system is organised in layers.", {
      title: "Architecture",
      docid: "doc-1",
    });
    await temp.kb.embed();
    await using mcp = await connectMcp(temp.kb, revision);
    const { text, structured, isError } = await callTool(
      mcp.client,
      "search",
      { query: "system layers" },
    );
    assert.equal(isError, false);
    const answer = JSON.parse(text);
    assert.equal(text, JSON.stringify(answer, null, 2));
    assert.deepEqual(structured, answer);
    assert.deepEqual(answer, {
      items: [{
        kbid,
        heading: "Architecture",
        type: "text/markdown",
        docids: ["doc-1"],
        snippet: "The system is organised in layers.",
        matched_terms: ["system", "layers"],
      }],
      total: 1,
      offset: 0,
      limit: 20,
      has_more: false,
      degraded: [],
    });
  });

  Deno.test(`retrieve answers sections as an array and documents as a record in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kbid } = temp.kb.learn("Spare key: boiler.", {
      title: "Keys",
      docid: "home",
      tags: ["house"],
      collection: "memory",
    });
    await using mcp = await connectMcp(temp.kb, revision);
    const section = await callTool(mcp.client, "retrieve", { kbid });
    const expected = [{
      kbid,
      sectionType: "text/markdown",
      content: "Spare key: boiler.",
      size: 18,
    }];
    assert.equal(section.text, JSON.stringify(expected, null, 2));
    const document = await callJson(mcp.client, "retrieve", { docid: "home" });
    assert.equal(document.docid, "home");
    assert.deepEqual(document.tags, ["house"]);
    assert.equal(document.collection, "memory");
    assert.deepEqual(document.sections, [
      { kbid, heading: "Keys", type: "text/markdown" },
    ]);
  });

  Deno.test(`status answers what the specification lists in ${revision}`, async () => {
    await using temp = openTempKb();
    temp.kb.learn("One.", {});
    await using mcp = await connectMcp(temp.kb, revision);
    const status = await callJson(mcp.client, "status");
    assert.equal(status.initialized, true);
    assert.equal(status.contextPath, temp.dir);
    assert.deepEqual(status.cacheStats, { contentCount: 1, indexCount: 0 });
    assert.equal(status.pending_vectors, 1);
    assert.equal(status.version, "0.0.0");
    assert.match(status.sqlite_version, /^3\./);
  });
}

Deno.test("retrieve without kbid and docid, and of what is not there, says so", async () => {
  await using temp = openTempKb();
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  assert.deepEqual(await callTool(mcp.client, "retrieve"), {
    text: "Provide kbid or docid",
    isError: true,
    notes: [],
    structured: undefined,
  });
  const missing = await callTool(mcp.client, "retrieve", { kbid: "abc123" });
  assert.equal(missing.text, "Section not found: abc123");
  assert.equal(missing.isError, true);
});

Deno.test("retrieve of an id that is nearly there offers the right one", async () => {
  await using temp = openTempKb();
  temp.kb.learn("One.", { docid: "handbook" });
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const { text } = await callTool(mcp.client, "retrieve", { docid: "handbok" });
  assert.equal(text, 'Document not found: handbok. Did you mean "handbook"?');
});

Deno.test("retrieve prefers kbid and gives an image as base64; search shows none of it", async () => {
  await using temp = openTempKb();
  const bytes = new Uint8Array(Buffer.from(PNG, "base64"));
  const { kbid } = temp.kb.learn(bytes, { type: "image/png", title: "Dot" });
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const answer = await callJson(mcp.client, "retrieve", { kbid, docid: "x" });
  assert.equal(answer[0].content, PNG);
  assert.equal(answer[0].sectionType, "image/png");
  const { items } = await callJson(mcp.client, "search", { query: "dot" });
  assert.equal(items[0].snippet, "");
});

Deno.test("retrieve goes on where it was cut, for sections and documents", async () => {
  await using temp = openTempKb();
  const long = Array.from({ length: 9_000 }, (_, i) => `"w${i}"`).join("\n");
  const { kbid } = temp.kb.learn(long, { type: "text/plain" });
  for (let i = 0; i < 300; i++) {
    temp.kb.learn(`Section ${i}`, { docid: "many", title: `Title ${i}` });
  }
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  let read = "";
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const args = { kbid, offset };
    const { text, notes } = await callTool(mcp.client, "retrieve", args);
    assert.ok(text.length <= 20_000, `${text.length}`);
    const [part] = JSON.parse(text);
    read += part.content;
    offset = part.next_offset;
    if (offset !== undefined) assert.match(notes[0] ?? "", /offset/);
  }
  assert.equal(read, long);
  const kbids: string[] = [];
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const args = { docid: "many", offset };
    const { text } = await callTool(mcp.client, "retrieve", args);
    assert.ok(text.length <= 20_000, `${text.length}`);
    const part = JSON.parse(text);
    kbids.push(...part.sections.map((one: { kbid: string }) => one.kbid));
    offset = part.next_offset;
  }
  assert.equal(new Set(kbids).size, 300);
});

Deno.test("search with content shortens the page rather than a text, and says how to go on", async () => {
  await using temp = openTempKb();
  for (let i = 0; i < 8; i++) {
    temp.kb.learn(`apple ${i} ${"filler words ".repeat(500)}`, {});
  }
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const found = new Set<string>();
  for (let offset = 0, more = true; more;) {
    const args = { query: "apple", content: true, offset };
    const { text } = await callTool(mcp.client, "search", args);
    assert.ok(text.length <= 20_000, `${text.length}`);
    const answer = JSON.parse(text);
    for (const item of answer.items) {
      assert.match(item.content, /^apple \d/);
      found.add(item.kbid);
    }
    more = answer.has_more;
    assert.ok(answer.limit === 20 || answer.limit === answer.items.length);
    offset += answer.items.length;
  }
  assert.equal(found.size, 8);
});

Deno.test("search groups by document, counts with stats, and filters", async () => {
  await using temp = openTempKb();
  temp.kb.learn("apple pie", { docid: "a", tags: ["food"], title: "Pie" });
  temp.kb.learn("apple juice", { docid: "a" });
  temp.kb.learn("apple phone", { docid: "b", collection: "memory" });
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const documents = await callJson(mcp.client, "search", {
    query: "apple",
    mode: "documents",
  });
  assert.deepEqual(
    documents.items.map((item: { docids: string[] }) => item.docids).sort(),
    [["a"], ["b"]],
  );
  const stats = await callJson(mcp.client, "search", {
    query: "apple",
    mode: "stats",
  });
  assert.deepEqual(stats.terms, [{ term: "apple", chunks: 3 }]);
  assert.deepEqual(stats.by_collection, { documents: 1, memory: 1 });
  for (
    const [args, count] of [
      [{ tags: ["food"] }, 2],
      [{ collection: "memory" }, 1],
      [{ type: "pdf" }, 0],
    ] as const
  ) {
    const { items } = await callJson(mcp.client, "search", {
      query: "apple",
      ...args,
    });
    assert.equal(items.length, count, JSON.stringify(args));
  }
});

Deno.test("search says when it lacks vectors", async () => {
  await using temp = openTempKb();
  temp.kb.learn("apple pie", {});
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const { degraded, notes } = await callJson(mcp.client, "search", {
    query: "apple",
  });
  assert.deepEqual(degraded, ["no_vectors"]);
  assert.equal(notes.length, 1);
});
