import assert from "node:assert/strict";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { startServer, type TestServer } from "../helpers/http.ts";

/** Adds a note in `memory` with a tag, with its vectors. */
async function addNote({ kb }: TestServer, text: string): Promise<number> {
  const { documentId } = kb.addNote(text, {
    tags: ["feedback"],
    collection: "memory",
  });
  await kb.embed();
  return Number(documentId);
}

/** What a search by word finds. */
async function find(server: TestServer, query: string): Promise<number[]> {
  const { json } = await server.call("POST", "/api/v1/search", {
    json: { query, fts_only: true },
  });
  return json.results.map(({ document_id }: { document_id: number }) =>
    document_id
  );
}

Deno.test("PATCH /notes/{id} replaces the text at once and keeps what the note is", async () => {
  await using server = await startServer({ runsJobs: false });
  const id = await addNote(server, "The user prefers tables.");
  const path = `/api/v1/documents/${id}`;
  const before = (await server.call("GET", path)).json;
  const { status, json } = await server.call("PATCH", `/api/v1/notes/${id}`, {
    json: { text: "The user prefers bullet points." },
  });
  assert.equal(status, 200);
  assert.deepEqual([json.changed, json.degraded], [true, []]);
  const after = (await server.call("GET", path)).json;
  for (const name of ["id", "docid", "created_at", "tags", "collection"]) {
    assert.deepEqual(after[name], before[name], name);
  }
  assert.equal(before.updated_at, null);
  assert.equal(after.updated_at, json.updated_at);
  assert.ok(after.updated_at >= after.created_at);
  assert.notEqual(after.content_hash, before.content_hash);
  assert.deepEqual(
    after.chunks.map(({ text }: { text: string }) => text),
    ["The user prefers bullet points."],
  );
  assert.deepEqual(await find(server, "bullet"), [id]);
  assert.deepEqual(await find(server, "tables"), []);
  const { json: meaning } = await server.call("POST", "/api/v1/search", {
    json: { query: "bullet points", vec_only: true },
  });
  assert.deepEqual(meaning.results[0].document_id, id);
  assert.deepEqual((await server.call("GET", "/api/v1/status")).json.chunks, {
    total: 1,
    embedded: 1,
    pending: 0,
  });
});

Deno.test("PATCH /notes/{id} cuts a long text into chunks, each with a vector", async () => {
  await using server = await startServer({ runsJobs: false });
  const id = await addNote(server, "short");
  const text = Array.from(
    { length: 400 },
    (_, index) => `Sentence number ${index} of a long note.`,
  ).join(" ");
  const { json } = await server.call("PATCH", `/api/v1/notes/${id}`, {
    json: { text },
  });
  assert.ok(json.chunk_count > 1);
  const { chunks } = (await server.call("GET", "/api/v1/status")).json;
  assert.deepEqual(chunks, {
    total: json.chunk_count,
    embedded: json.chunk_count,
    pending: 0,
  });
});

Deno.test("PATCH /notes/{id} cuts a text into the chunks that adding it makes", async () => {
  await using server = await startServer();
  const text = Array.from(
    { length: 30 },
    (_, part) => `## Part ${part}\n\n${`word${part} `.repeat(60)}`,
  ).join("\n\n");
  const id = await addNote(server, "short");
  await server.call("PATCH", `/api/v1/notes/${id}`, { json: { text } });
  const chunksOf = async (of: number) =>
    (await server.call("GET", `/api/v1/documents/${of}`)).json.chunks
      .map(({ text }: { text: string }) => text);
  const patched = await chunksOf(id);
  await server.call("DELETE", `/api/v1/documents/${id}`);
  const { document_id } = await server.ingest({ note: text });
  assert.ok(patched.length > 1);
  assert.deepEqual(patched, await chunksOf(document_id));
});

Deno.test("PATCH /notes/{id} answers 404 for no document, 422 for one that is no note, 400 for no text", async () => {
  await using server = await startServer();
  const note = await addNote(server, "text");
  const { document_id: file } = await server.ingest({
    file: new File(["text of a file"], "a.md"),
  });
  const rows: [number | string, unknown, number, RegExp][] = [
    [999, { text: "new" }, 404, /999/],
    [file, { text: "new" }, 422, /only notes can be updated/],
    [note, { text: "  " }, 400, /text/],
    [note, {}, 400, /text/],
    [note, { text: 5 }, 400, /text/],
    [note, { text: "a\0b" }, 400, /NUL/],
    [note, { text: "new", tags: ["a"] }, 400, /tags/],
    [note, { text: "new", title: "" }, 400, /title/],
    ["x", { text: "new" }, 400, /id/],
  ];
  for (const [id, json, expected, pattern] of rows) {
    const answer = await server.call("PATCH", `/api/v1/notes/${id}`, { json });
    const name = `${id} ${JSON.stringify(json)}`;
    assert.equal(answer.status, expected, name);
    assert.match(answer.json.error.message, pattern, name);
  }
  assert.deepEqual(server.kb.get(String(note)).text, "text");
  assert.equal(server.kb.get(String(file)).text, "text of a file");
  assert.deepEqual(server.errors, []);
});

Deno.test("PATCH /notes/{id} answers 500 and leaves all as it was if the vectors fail", async () => {
  await using server = await startServer({
    runsJobs: false,
    base: { embedder: fakeEmbedder({ failOn: "poison" }) },
  });
  const id = await addNote(server, "The user prefers tables.");
  const path = `/api/v1/documents/${id}`;
  const before = (await server.call("GET", path)).json;
  const { status, json } = await server.call("PATCH", `/api/v1/notes/${id}`, {
    json: { text: "poison for the model" },
  });
  assert.deepEqual([status, json.error.code], [500, "model_unavailable"]);
  assert.deepEqual((await server.call("GET", path)).json, before);
  assert.deepEqual(await find(server, "tables"), [id]);
  assert.deepEqual(await find(server, "poison"), []);
  assert.deepEqual(
    (await server.call("GET", `/api/v1/notes/${id}/history`)).json,
    [],
  );
  assert.equal(
    (await server.call("GET", "/api/v1/status")).json.chunks.embedded,
    1,
  );
});

Deno.test("PATCH /notes/{id} works without a model and says that vectors are missing", async () => {
  await using server = await startServer({
    runsJobs: false,
    base: { model: "/nowhere/model" },
  });
  const id = Number(server.kb.addNote("old").documentId);
  const { status, json } = await server.call("PATCH", `/api/v1/notes/${id}`, {
    json: { text: "new" },
  });
  assert.deepEqual([status, json.degraded], [200, ["no_vectors"]]);
});

Deno.test("the same text again changes nothing", async () => {
  await using server = await startServer({ runsJobs: false });
  const id = await addNote(server, "text");
  const { json } = await server.call("PATCH", `/api/v1/notes/${id}`, {
    json: { text: "text" },
  });
  assert.deepEqual([json.changed, json.updated_at], [false, null]);
});

Deno.test("what a note said before is listed, compared and restored", async () => {
  await using server = await startServer({ runsJobs: false });
  const id = await addNote(server, "one\nshared");
  const path = `/api/v1/notes/${id}`;
  await server.call("PATCH", path, { json: { text: "two\nshared" } });
  await server.call("PATCH", path, { json: { text: "three\nshared" } });
  const history = (await server.call("GET", `${path}/history`)).json;
  assert.deepEqual(
    history.map((entry: Record<string, unknown>) => [
      entry["version"],
      entry["content"],
    ]),
    [[1, "one\nshared"], [2, "two\nshared"]],
  );
  const between = await server.call("GET", `${path}/diff?from=1&to=2`);
  assert.match(between.json.diff, /^-one$/m);
  assert.match(between.json.diff, /^\+two$/m);
  assert.match(between.json.diff, /^ shared$/m);
  const now = await server.call("GET", `${path}/diff?from=2`);
  assert.match(now.json.diff, /^\+three$/m);
  const restored = await server.call("POST", `${path}/restore`, {
    json: { version: 1 },
  });
  assert.deepEqual([restored.status, restored.json.changed], [200, true]);
  assert.equal(server.kb.get(String(id)).text, "one\nshared");
  assert.deepEqual(await find(server, "three"), []);
  assert.equal(
    (await server.call("GET", `${path}/history`)).json.at(-1).content,
    "three\nshared",
  );
});

Deno.test("history, diff and restore answer 404 for what is not there and 422 for what is no note", async () => {
  await using server = await startServer();
  const note = await addNote(server, "text");
  const { document_id: file } = await server.ingest({
    file: new File(["text of a file"], "a.md"),
  });
  const rows: [string, string, unknown, number][] = [
    ["GET", "999/history", undefined, 404],
    ["GET", "999/diff?from=1", undefined, 404],
    ["POST", "999/restore", { version: 1 }, 404],
    ["GET", `${note}/diff?from=1`, undefined, 404],
    ["GET", `${note}/diff`, undefined, 400],
    ["GET", `${note}/diff?from=0`, undefined, 400],
    ["POST", `${note}/restore`, { version: 1 }, 404],
    ["POST", `${note}/restore`, { version: 0 }, 400],
    ["GET", `${file}/history`, undefined, 422],
    ["GET", `${file}/diff?from=1`, undefined, 422],
    ["POST", `${file}/restore`, { version: 1 }, 422],
  ];
  for (const [method, path, json, expected] of rows) {
    const { status } = await server.call(method, `/api/v1/notes/${path}`, {
      json,
    });
    assert.equal(status, expected, `${method} ${path}`);
  }
});
