import assert from "node:assert/strict";
import { startServer, type TestServer } from "../helpers/http.ts";

/** A server whose base has a few notes with vectors. */
async function startWithNotes(): Promise<TestServer> {
  const server = await startServer({ runsJobs: false });
  const { kb } = server;
  kb.addNote("The pension revaluation follows the index.", {
    tags: ["money"],
  });
  kb.addNote("The user prefers short email.", {
    tags: ["feedback", "email"],
    collection: "memory",
  });
  kb.addNote("The relay clicks when the pump starts.", { tags: ["pump"] });
  await kb.embed();
  return server;
}

Deno.test("POST /search answers text, score, document and tags, with the collection on its own too", async () => {
  await using server = await startWithNotes();
  const { status, json } = await server.call("POST", "/api/v1/search", {
    json: { query: "user email", top: 5 },
  });
  assert.equal(status, 200);
  const [first] = json.results;
  assert.equal(first.rank, 1);
  assert.equal(first.text, "The user prefers short email.");
  assert.deepEqual(first.tags, ["collection:memory", "email", "feedback"]);
  assert.equal(first.collection, "memory");
  assert.equal(first.doc_type, "note");
  assert.equal(typeof first.document_id, "number");
  assert.equal(typeof first.chunk_id, "number");
  assert.deepEqual(first.matched_terms, ["user", "email"]);
  assert.deepEqual(json.degraded, []);
});

Deno.test("POST /search keeps to tags, collection, type and both together", async () => {
  await using server = await startWithNotes();
  const rows: [Record<string, unknown>, number][] = [
    [{}, 3],
    [{ collection: "memory" }, 1],
    [{ tags: ["collection:memory"] }, 1],
    [{ tags: ["email"], collection: "memory" }, 1],
    [{ tags: ["email", "collection:memory"] }, 1],
    [{ tags: ["pump"], collection: "memory" }, 0],
    [{ tags: ["collection:documents"], collection: "memory" }, 0],
    [{ tags: ["collection:documents", "collection:memory"] }, 0],
    [{ doc_type: "note" }, 3],
    [{ doc_type: "pdf" }, 0],
    [{ after: "2000-01-01" }, 3],
    [{ before: "2000-01-01" }, 0],
  ];
  for (const [filter, expected] of rows) {
    const { json } = await server.call("POST", "/api/v1/search", {
      json: { query: "the", fts_only: true, ...filter },
    });
    const name = JSON.stringify(filter);
    assert.equal(json.total, expected, name);
    assert.equal(json.results.length, expected, name);
  }
});

Deno.test("POST /search searches by word or by meaning only, pages, and explains", async () => {
  await using server = await startWithNotes();
  const ask = async (json: Record<string, unknown>) =>
    (await server.call("POST", "/api/v1/search", { json })).json;
  const words = await ask({ query: "relay", fts_only: true, explain: true });
  assert.deepEqual(words.results.map(({ rank }: { rank: number }) => rank), [
    1,
  ]);
  assert.ok("explanation" in words.results[0] && "timings" in words);
  const meaning = await ask({ query: "relay clicks", vec_only: true });
  assert.match(meaning.results[0].text, /relay/);
  const all = await ask({ query: "the" });
  const second = await ask({ query: "the", top: 1, offset: 1 });
  assert.equal(second.results.length, 1);
  assert.equal(second.results[0].chunk_id, all.results[1].chunk_id);
  assert.equal(second.results[0].rank, 2);
  const strict = await ask({ query: "relay clicks", threshold: 1 });
  assert.ok(strict.results.length < all.results.length);
});

Deno.test("POST /search takes the server's threshold unless it names one", async () => {
  await using server = await startServer({ threshold: 1, runsJobs: false });
  server.kb.addNote("one relay");
  server.kb.addNote("two relay relay pump");
  const ask = async (json: Record<string, unknown>) =>
    (await server.call("POST", "/api/v1/search", { json })).json.results.length;
  assert.equal(await ask({ query: "relay", threshold: 0 }), 2);
  assert.ok(await ask({ query: "relay" }) < 2);
});

Deno.test("POST /search answers 400 and what is wrong, never 500, to what is no search", async () => {
  await using server = await startWithNotes();
  const post = (body: string, type = "application/json") =>
    server.call("POST", "/api/v1/search", {
      body,
      headers: { "Content-Type": type },
    });
  const rows: [string, RegExp][] = [
    ["", /no JSON/],
    ["{", /no JSON/],
    ["[]", /body/],
    ["null", /body/],
    ['{"query":1}', /query/],
    ["{}", /query/],
    ['{"query":"a","top":0}', /top/],
    ['{"query":"a","top":1e400}', /top/],
    ['{"query":"a","top":1.5}', /top/],
    ['{"query":"a","threshold":2}', /threshold/],
    ['{"query":"a","colour":"red"}', /colour/],
    ['{"query":"a","after":"soon"}', /after/],
    ['{"query":"a","before":"2026-99-99"}', /before/],
    ['{"query":"a","__proto__":{"top":1}}', /__proto__/],
    ['{"query":"a","fts_only":true,"vec_only":true}', /exclude each other/],
    [`{"query":${JSON.stringify("a".repeat(10_001))}}`, /query/],
    ["[".repeat(100_000), /no JSON|body/],
    ["\ufeff[]", /body/],
  ];
  for (const [body, pattern] of rows) {
    const { status, json } = await post(body);
    const name = body.slice(0, 60);
    assert.equal(status, 400, name);
    assert.match(json.error.message, pattern, name);
    assert.equal(json.detail, json.error.message);
  }
  const odd = [
    '"',
    "*",
    "NEAR(",
    "col:x",
    "- x",
    "AND",
    "(",
    "a\u0000b",
    "\ud800",
  ];
  for (const query of odd) {
    const { status } = await server.call("POST", "/api/v1/search", {
      json: { query },
    });
    assert.ok(status === 200 || status === 400, `${query}: ${status}`);
  }
  const utf16 = new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]);
  const { status } = await server.call("POST", "/api/v1/search", {
    body: utf16,
  });
  assert.equal(status, 400);
  const large = await post(`{"query":"${"a".repeat(8_000_000)}"}`);
  assert.equal(large.status, 413);
  assert.deepEqual(server.errors, []);
});

Deno.test("POST /search answers by word and says so when there is no model", async () => {
  await using server = await startServer({
    base: { model: "/nowhere/model" },
    runsJobs: false,
  });
  server.kb.addNote("The relay clicks.");
  const { status, json } = await server.call("POST", "/api/v1/search", {
    json: { query: "relay" },
  });
  assert.equal(status, 200);
  assert.equal(json.results.length, 1);
  assert.notDeepEqual(json.degraded, []);
  const vectors = await server.call("POST", "/api/v1/search", {
    json: { query: "relay", vec_only: true },
  });
  assert.equal(vectors.status, 503);
  assert.equal(vectors.json.error.code, "model_unavailable");
});
