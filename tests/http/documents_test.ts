import assert from "node:assert/strict";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startServer, type TestServer } from "../helpers/http.ts";

/** Adds a note and answers its id. */
function addNote(
  { kb }: TestServer,
  text: string,
  options: Parameters<TestServer["kb"]["addNote"]>[1] = {},
): number {
  return Number(kb.addNote(text, options).documentId);
}

Deno.test("GET /documents lists documents as an array, last changed first", async () => {
  await using server = await startServer({ runsJobs: false });
  const first = addNote(server, "first note", { tags: ["a"] });
  await new Promise((resolve) => setTimeout(resolve, 5));
  const second = addNote(server, "second note", { collection: "memory" });
  const list = async () => (await server.call("GET", "/api/v1/documents")).json;
  const before = await list();
  assert.deepEqual(before.map(({ id }: { id: number }) => id), [second, first]);
  for (const document of before) assert.equal(document.updated_at, null);
  assert.deepEqual(
    [
      before[1].title,
      before[1].doc_type,
      before[1].tags,
      before[1].chunk_count,
    ],
    ["first note", "note", ["collection:documents", "a"], 1],
  );
  await new Promise((resolve) => setTimeout(resolve, 5));
  await server.call("PUT", `/api/v1/documents/${first}/tags`, {
    json: { add: ["b"] },
  });
  const after = await list();
  assert.deepEqual(after.map(({ id }: { id: number }) => id), [first, second]);
  assert.equal(after[0].created_at, before[1].created_at);
  assert.ok(after[0].updated_at > after[0].created_at);
});

Deno.test("GET /documents keeps to every filter given, sorts and pages", async () => {
  await using server = await startServer();
  addNote(server, "B note", { tags: ["a", "b"], collection: "memory" });
  addNote(server, "A note", { tags: ["a"] });
  await server.ingest({
    file: new File(
      ["---\nauthor: Ann\nkeys: [x, y]\n---\n# Manual\n\ntext"],
      "m.md",
    ),
    tags: "manual",
    source_path: "docs/m.md",
  });
  const rows: [string, string[]][] = [
    ["?sort=title", ["A note", "B note", "Manual"]],
    ["?sort=title&limit=1&offset=1", ["B note"]],
    ["?type=note&sort=title", ["A note", "B note"]],
    ["?type=markdown&tags=manual", ["Manual"]],
    ["?type=note&tags=manual", []],
    ["?tags=a,b", ["B note"]],
    ["?tags=a&tags=b", ["B note"]],
    ["?collection=memory", ["B note"]],
    ["?tags=collection:memory", ["B note"]],
    ["?tags=collection:memory&collection=documents", []],
    ["?source_path=docs/m.md", ["Manual"]],
    ["?source_path=m.md", []],
    ["?metadata=author:Ann", ["Manual"]],
    ["?metadata=author:Ann&metadata=keys:y", ["Manual"]],
    ["?metadata=author:Bob", []],
    ["?after=2000-01-01&sort=title", ["A note", "B note", "Manual"]],
    ["?after=2000-01-01T00:00:00%2B02:00&type=markdown", ["Manual"]],
    ["?before=2000-01-01", []],
  ];
  for (const [query, expected] of rows) {
    const { json, status } = await server.call(
      "GET",
      `/api/v1/documents${query}`,
    );
    assert.equal(status, 200, query);
    assert.deepEqual(
      json.map(({ title }: { title: string }) => title),
      expected,
      query,
    );
  }
  const { headers } = await server.call("GET", "/api/v1/documents?limit=1");
  assert.equal(headers.get("x-total-count"), "3");
  const bad = [
    "?limit=0",
    "?limit=-1",
    "?limit=1.5",
    "?offset=x",
    "?sort=size",
    "?colour=red",
    "?after=soon",
    "?metadata=author",
    "?limit=1&limit=2",
  ];
  for (const query of bad) {
    const { status } = await server.call("GET", `/api/v1/documents${query}`);
    assert.equal(status, 400, query);
  }
  assert.deepEqual(server.errors, []);
});

Deno.test("GET /documents/{id} answers the record, all chunks, and whether there is a file", async () => {
  await using server = await startServer();
  const text = Array.from(
    { length: 5 },
    (_, index) => `# Part ${index}\n\nText of part ${index}.`,
  ).join("\n\n");
  const { document_id: id } = await server.ingest({
    file: new File([text], "parts.md"),
  });
  const { status, json } = await server.call("GET", `/api/v1/documents/${id}`);
  assert.equal(status, 200);
  assert.equal(json.chunk_count, json.chunks.length);
  assert.deepEqual(
    json.chunks.map(({ chunk_index }: { chunk_index: number }) => chunk_index),
    [0, 1, 2, 3, 4],
  );
  assert.match(json.chunks[3].text, /Text of part 3\./);
  assert.deepEqual([json.has_file, json.updated_at], [true, null]);
  assert.match(json.content_hash, /^[0-9a-f]{64}$/);
  const page = await server.call(
    "GET",
    `/api/v1/documents/${id}?chunk_offset=3&chunk_limit=1`,
  );
  assert.deepEqual(page.json.chunks, [json.chunks[3]]);
});

Deno.test("a path names a document by its integer id only", async () => {
  await using server = await startServer({ runsJobs: false });
  const id = addNote(server, "text", { docid: "my-note" });
  assert.equal(
    (await server.call("GET", `/api/v1/documents/${id}`)).status,
    200,
  );
  const rows: [string, number][] = [
    ["999", 404],
    ["0", 404],
    ["my-note", 400],
    ["-1", 400],
    ["1e3", 400],
    ["99999999999999999999", 400],
    ["%2e%2e", 404],
  ];
  for (const [ref, expected] of rows) {
    for (const suffix of ["", "/file"]) {
      const { status } = await server.call(
        "GET",
        `/api/v1/documents/${ref}${suffix}`,
      );
      assert.equal(status, expected, ref + suffix);
    }
    const { status } = await server.call("DELETE", `/api/v1/documents/${ref}`);
    assert.ok(status === expected || status === 405, `${ref}: ${status}`);
  }
  assert.equal(server.kb.list().total, 1);
});

Deno.test("GET /documents/{id}/file sends the file to be saved under its name, whatever it is", async () => {
  await using server = await startServer();
  const rows: [string, string, RegExp][] = [
    [
      "report.md",
      "# R",
      /^attachment; filename="report\.md"; filename\*=UTF-8''report\.md$/,
    ],
    [
      "日本 é.md",
      "text 2",
      /filename\*=UTF-8''%E6%97%A5%E6%9C%AC%20%C3%A9\.md$/,
    ],
    ["a;b'c(1)*.md", "text 3", /filename\*=UTF-8''a%3Bb%27c%281%29%2A\.md$/],
    ["page.html", "<script>alert(1)</script>", /filename="page\.html"/],
    [`${"n".repeat(240)}.md`, "text 4", /filename="n{240}\.md"/],
  ];
  for (const [name, text, pattern] of rows) {
    const job = await server.ingest({ file: new File([text], name) });
    if (job.status !== "done") continue;
    const { status, headers, text: back } = await server.call(
      "GET",
      `/api/v1/documents/${job.document_id}/file`,
    );
    assert.equal(status, 200, name);
    assert.equal(back, text);
    assert.match(headers.get("content-disposition") ?? "", pattern);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("content-security-policy"), "sandbox");
  }
});

Deno.test("GET /documents/{id}/file answers 404 for a note, or if the file is gone", async () => {
  await using server = await startServer();
  const note = addNote(server, "text");
  assert.equal(
    (await server.call("GET", `/api/v1/documents/${note}/file`)).status,
    404,
  );
  const { document_id: id } = await server.ingest({
    file: new File(["text of the file"], "a.md"),
  });
  rmSync(join(server.temp.dir, "files"), { recursive: true });
  const { status, json } = await server.call(
    "GET",
    `/api/v1/documents/${id}/file`,
  );
  assert.deepEqual([status, json.error.code], [404, "not_found"]);
  const detail = await server.call("GET", `/api/v1/documents/${id}`);
  assert.equal(detail.json.has_file, false);
});

Deno.test("DELETE /documents/{id} removes a document with chunks, vectors, tags and file", async () => {
  await using server = await startServer();
  const { document_id: id } = await server.ingest({
    file: new File(["The relay clicks."], "a.md"),
    tags: "pump",
  });
  await server.kb.embed();
  const dir = join(server.temp.dir, "files");
  assert.equal(readdirSync(dir).length, 1);
  const { status, json } = await server.call(
    "DELETE",
    `/api/v1/documents/${id}`,
  );
  assert.deepEqual([status, json.deleted, json.id], [200, true, id]);
  assert.ok(!existsSync(dir) || readdirSync(dir).length === 0);
  assert.deepEqual((await server.call("GET", "/api/v1/tags")).json, []);
  const found = await server.call("POST", "/api/v1/search", {
    json: { query: "relay clicks" },
  });
  assert.deepEqual(found.json.results, []);
  for (const method of ["GET", "DELETE"]) {
    const again = await server.call(method, `/api/v1/documents/${id}`);
    assert.equal(again.status, 404, method);
  }
});

Deno.test("PUT /documents/{id}/tags adds and removes tags; a collection takes the place of another", async () => {
  await using server = await startServer({ runsJobs: false });
  const id = addNote(server, "text", { tags: ["a", "b"] });
  const put = (json: unknown) =>
    server.call("PUT", `/api/v1/documents/${id}/tags`, { json });
  const same = (await put({ add: ["a"], remove: ["none"] })).json;
  assert.equal(same.updated_at, null);
  const changed = (await put({ add: ["c"], remove: ["a"] })).json;
  assert.deepEqual(changed.tags, ["collection:documents", "b", "c"]);
  assert.notEqual(changed.updated_at, null);
  const moved = (await put({ add: ["collection:memory"] })).json;
  assert.deepEqual([moved.tags, moved.collection], [
    ["collection:memory", "b", "c"],
    "memory",
  ]);
  const left = (await put({ remove: ["collection:memory"] })).json;
  assert.equal(left.collection, "documents");
  const rows: [unknown, number][] = [
    [{ add: [""] }, 400],
    [{ add: ["a\nb"] }, 400],
    [{ add: ["collection:"] }, 400],
    [{ add: ["collection:a", "collection:b"] }, 400],
    [{ add: "a" }, 400],
    [{ tags: ["a"] }, 400],
    [{ add: Array.from({ length: 1000 }, (_, index) => `t${index}`) }, 400],
  ];
  for (const [json, expected] of rows) {
    assert.equal((await put(json)).status, expected, JSON.stringify(json));
  }
  const none = await server.call("PUT", "/api/v1/documents/999/tags", {
    json: { add: ["a"] },
  });
  assert.equal(none.status, 404);
  assert.deepEqual((await server.call("GET", "/api/v1/tags")).json, [
    { name: "b", documents: 1 },
    { name: "c", documents: 1 },
    { name: "collection:documents", documents: 1 },
  ]);
});
