import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { startServer, type TestServer, toForm } from "../helpers/http.ts";

function file(name: string, text: string | Uint8Array<ArrayBuffer>): File {
  return new File([text], name);
}

/** What lies in the folder of uploaded files. */
function uploads({ temp }: TestServer): string[] {
  const dir = join(temp.dir, "files");
  return existsSync(dir) ? readdirSync(dir) : [];
}

Deno.test("POST /jobs takes a file in, which is then found", async () => {
  await using server = await startServer();
  const form = toForm({
    file: file("pump manual.md", "# Relay\n\nThe relay clicks."),
    tags: "pump, manual",
    collection: "workspace",
    title: "Manual",
  });
  const { status, headers, json } = await server.call("POST", "/api/v1/jobs", {
    body: form,
  });
  assert.equal(status, 202);
  assert.deepEqual([json.status, json.kind, json.name, json.attempts], [
    "queued",
    "file",
    "pump manual.md",
    0,
  ]);
  assert.equal(json.job_id, json.id);
  const location = headers.get("location") ?? "";
  assert.equal(location, `/api/v1/jobs/${json.id}`);
  let job = (await server.call("GET", location)).json;
  while (job.status !== "done") {
    assert.ok(["queued", "processing"].includes(job.status), job.error);
    job = (await server.call("GET", location)).json;
  }
  assert.equal(job.state, "indexed");
  const path = `/api/v1/documents/${job.document_id}`;
  const document = (await server.call("GET", path)).json;
  assert.deepEqual(
    [
      document.title,
      document.source_path,
      document.tags,
      document.collection,
      document.has_file,
    ],
    [
      "Manual",
      "pump manual.md",
      ["collection:workspace", "manual", "pump"],
      "workspace",
      true,
    ],
  );
  const found = await server.call("POST", "/api/v1/search", {
    json: { query: "relay", fts_only: true },
  });
  assert.equal(found.json.results[0].document_id, job.document_id);
});

for (const withPath of [true, false]) {
  const how = withPath ? "to one source_path" : "under one name";
  Deno.test(`identical files that arrive at the same time ${how} become one document, and both jobs are over`, async () => {
    await using server = await startServer();
    const jobs = await Promise.all(
      Array.from({ length: 8 }, () =>
        server.ingest({
          file: file("same.md", "The relay clicks."),
          ...(withPath ? { source_path: "notes/same.md" } : {}),
        })),
    );
    for (const { status, error } of jobs) {
      assert.ok(["done", "skipped"].includes(status), `${status}: ${error}`);
    }
    const ids = new Set(jobs.map(({ document_id }) => document_id));
    assert.equal(ids.size, 1, JSON.stringify(jobs));
    const documents = (await server.call("GET", "/api/v1/documents")).json;
    assert.equal(documents.length, 1);
    const [id] = ids;
    const original = await server.call("GET", `/api/v1/documents/${id}/file`);
    assert.deepEqual([original.status, original.text], [
      200,
      "The relay clicks.",
    ]);
    assert.ok(server.log.every(({ status }) => status < 500));
    assert.deepEqual(server.errors, []);
  });
}

Deno.test("a file that was uploaded gets its vectors without being asked for", async () => {
  await using server = await startServer();
  await server.ingest({ file: file("a.md", "The relay clicks.") });
  let { chunks } = (await server.call("GET", "/api/v1/status")).json;
  while (chunks.embedded === 0) {
    ({ chunks } = (await server.call("GET", "/api/v1/status")).json);
  }
  assert.deepEqual(chunks, { total: 1, embedded: 1, pending: 0 });
});

Deno.test("POST /jobs takes a note in, as a form or as JSON", async () => {
  await using server = await startServer();
  const form = await server.ingest({ note: "The spare key: boiler." });
  assert.deepEqual([form.kind, form.status], ["note", "done"]);
  const plain = (await server.call(
    "GET",
    `/api/v1/documents/${form.document_id}`,
  )).json;
  assert.deepEqual([plain.doc_type, plain.tags, plain.has_file], [
    "note",
    ["collection:documents"],
    false,
  ]);
  const { status, json } = await server.call("POST", "/api/v1/jobs", {
    json: {
      note: "The user prefers concise answers.",
      tags: ["feedback", "collection:memory"],
      title: "Style",
      docid: "style",
    },
  });
  assert.equal(status, 202);
  let job = json;
  while (job.status !== "done") {
    job = (await server.call("GET", `/api/v1/jobs/${json.id}`)).json;
  }
  const note = (await server.call(
    "GET",
    `/api/v1/documents/${job.document_id}`,
  )).json;
  assert.deepEqual([note.docid, note.title, note.tags, note.collection], [
    "style",
    "Style",
    ["collection:memory", "feedback"],
    "memory",
  ]);
});

Deno.test("POST /jobs takes a tag field that is repeated", async () => {
  await using server = await startServer();
  const body = toForm({ note: "text" });
  body.append("tags", "a,b");
  body.append("tags", "c");
  const { json } = await server.call("POST", "/api/v1/jobs", { body });
  let job = json;
  while (job.status !== "done") {
    job = (await server.call("GET", `/api/v1/jobs/${json.id}`)).json;
  }
  const document = server.kb.info(String(job.document_id));
  assert.deepEqual(document.tags, ["a", "b", "c"]);
});

Deno.test.each([
  {
    name: "page.html",
    text: "<nav>menu</nav><h1>Marmalade</h1><p>of oranges",
    end: { status: "done", state: "indexed" },
  },
  {
    name: "deep.xml",
    text: "<a>".repeat(1_000),
    end: { status: "failed", state: "too_large" },
  },
  {
    name: "pack.zip",
    text: "PK\x05\x06" + "\0".repeat(18),
    end: { status: "failed", state: "unsupported" },
  },
])(
  "POST /jobs reads $name in a thread and says how it ended",
  async ({ name, text, end }) => {
    await using server = await startServer();
    const { status, state, error } = await server.ingest({
      file: file(name, text),
    });
    assert.deepEqual({ status, state }, end);
    assert.equal(status === "failed", typeof error === "string");
  },
);

Deno.test("POST /jobs with a known source_path updates its document", async () => {
  await using server = await startServer();
  const first = await server.ingest({
    file: file("a.md", "old text"),
    source_path: "memory/feedback.md",
  });
  const second = await server.ingest({
    file: file("b.md", "new text"),
    source_path: "memory/feedback.md",
  });
  assert.equal(second.document_id, first.document_id);
  const { json } = await server.call(
    "GET",
    "/api/v1/documents?source_path=memory/feedback.md",
  );
  assert.equal(json.length, 1);
  assert.notEqual(json[0].updated_at, null);
  assert.equal(
    (await server.call("GET", `/api/v1/documents/${first.document_id}/file`))
      .text,
    "new text",
  );
  assert.equal(uploads(server).length, 1);
});

Deno.test("POST /jobs refuses what is neither a file nor a note, and keeps nothing of it", async () => {
  await using server = await startServer({
    runsJobs: false,
    maxUploadBytes: 1000,
  });
  const two = toForm({ file: file("a.md", "a") });
  two.append("other", file("b.md", "b"));
  const rows: [string, BodyInit, number, RegExp][] = [
    ["nothing", toForm({ tags: "a" }), 400, /either a file or a note/],
    [
      "both",
      toForm({ file: file("a.md", "text"), note: "text" }),
      400,
      /either a file or a note/,
    ],
    ["two files", two, 400, /one file/],
    ["blank note", toForm({ note: "  " }), 400, /no text/],
    ["no name", toForm({ file: file("..", "text") }), 400, /name/],
    [
      "unknown field",
      toForm({ file: file("a.md", "text"), colour: "red" }),
      400,
      /colour/,
    ],
    [
      "__proto__",
      toForm({ file: file("a.md", "text"), __proto__x: "1" }),
      400,
      /__proto__x/,
    ],
    [
      "bad tag",
      toForm({ file: file("a.md", "text"), tags: "a\nb" }),
      400,
      /tag/i,
    ],
    [
      "bad collection",
      toForm({ file: file("a.md", "text"), collection: "a\nb" }),
      400,
      /collection/i,
    ],
    [
      "two collections",
      toForm({ note: "text", tags: "collection:a,collection:b" }),
      400,
      /not in "a" and "b"/,
    ],
    [
      "collection and another as a tag",
      toForm({ note: "text", tags: "collection:a", collection: "b" }),
      400,
      /not in "b" and "a"/,
    ],
    [
      "docid of a file",
      toForm({ file: file("a.md", "text"), docid: "a" }),
      400,
      /docid with a note/,
    ],
    [
      "path of a note",
      toForm({ note: "text", source_path: "a.md" }),
      400,
      /source_path with a file/,
    ],
    [
      "too large",
      toForm({ file: file("a.md", "a".repeat(1001)) }),
      413,
      /1000 bytes/,
    ],
    [
      "far too large",
      toForm({ file: file("a.md", "a".repeat(5_000_000)) }),
      413,
      /1000 bytes/,
    ],
    ["long note", toForm({ note: "a".repeat(1_100_000) }), 400, /characters/],
    ["note above all", toForm({ note: "a".repeat(5_000_000) }), 413, /note/],
  ];
  for (const [name, body, expected, pattern] of rows) {
    const { status, json } = await server.call("POST", "/api/v1/jobs", {
      body,
    });
    assert.equal(status, expected, `${name}: ${JSON.stringify(json)}`);
    assert.match(json.error.message, pattern, name);
    assert.deepEqual(uploads(server), [], name);
  }
  const broken = [
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "multipart/form-data; boundary=",
  ];
  for (const type of broken) {
    const { status } = await server.call("POST", "/api/v1/jobs", {
      body: "--y\r\nno form",
      headers: { "Content-Type": type },
    });
    assert.equal(status, 400, type);
  }
  assert.equal(server.kb.jobs.list().total, 0);
  assert.deepEqual(server.errors, []);
});

Deno.test("an upload that breaks off leaves nothing", async () => {
  await using server = await startServer({ runsJobs: false });
  await new Promise<void>((resolve) => {
    const socket = connect(server.port, "127.0.0.1", () => {
      socket.write(
        "POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
          "Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n\r\n" +
          '--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nsome text',
      );
      setTimeout(() => socket.destroy(), 100);
    });
    socket.on("close", () => resolve());
  });
  for (let wait = 0; wait < 100 && uploads(server).length > 0; wait++) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(uploads(server), []);
  assert.equal(server.kb.jobs.list().total, 0);
  assert.equal((await server.call("GET", "/health")).status, 200);
});

Deno.test("a large upload arrives byte for byte", async () => {
  await using server = await startServer({ maxUploadBytes: 20_000_000 });
  const text = Array.from(
    { length: 40_000 },
    (_, line) => `line ${line} of the log`,
  ).join("\n");
  const job = await server.ingest({ file: file("log.txt", text) });
  assert.equal(job.status, "done", job.error);
  const { text: back, headers } = await server.call(
    "GET",
    `/api/v1/documents/${job.document_id}/file`,
  );
  assert.equal(Number(headers.get("content-length")), text.length);
  assert.ok(back === text);
});

Deno.test("GET /jobs lists newest first, by status, in pages", async () => {
  await using server = await startServer({ runsJobs: false });
  for (const note of ["one", "two", "three"]) {
    await server.call("POST", "/api/v1/jobs", { json: { note } });
  }
  await server.call("POST", "/api/v1/jobs/2/cancel");
  const ids = async (query: string) => {
    const { json } = await server.call("GET", `/api/v1/jobs${query}`);
    return [json.total, ...json.jobs.map(({ id }: { id: number }) => id)];
  };
  assert.deepEqual(await ids(""), [3, 3, 2, 1]);
  assert.deepEqual(await ids("?status=queued"), [2, 3, 1]);
  assert.deepEqual(await ids("?status=cancelled"), [1, 2]);
  assert.deepEqual(await ids("?status=failed"), [0]);
  assert.deepEqual(await ids("?limit=1&offset=1"), [3, 2]);
  for (const query of ["?status=lost", "?limit=0", "?limit=x", "?page=1"]) {
    const { status } = await server.call("GET", `/api/v1/jobs${query}`);
    assert.equal(status, 400, query);
  }
});

Deno.test("a job is cancelled and queued again; one that is over or unknown is not", async () => {
  await using server = await startServer({ runsJobs: false });
  await server.call("POST", "/api/v1/jobs", { json: { note: "one" } });
  const post = async (path: string) => {
    const { status, json } = await server.call("POST", `/api/v1/jobs/${path}`);
    return [status, json.status ?? json.error.code];
  };
  assert.deepEqual(await post("1/retry"), [409, "conflict"]);
  assert.deepEqual(await post("1/cancel"), [200, "cancelled"]);
  assert.deepEqual(await post("1/cancel"), [409, "conflict"]);
  assert.deepEqual(await post("1/retry"), [200, "queued"]);
  assert.deepEqual(await post("9/cancel"), [404, "not_found"]);
  assert.deepEqual(await post("9/retry"), [404, "not_found"]);
  assert.equal((await server.call("GET", "/api/v1/jobs/9")).status, 404);
  assert.equal((await server.call("GET", "/api/v1/jobs/x")).status, 400);
  assert.equal((await server.call("GET", "/api/v1/jobs/9/events")).status, 404);
});

Deno.test("a job that is cancelled while its file is read ends at once, stores nothing, and the next one is done", async () => {
  await using server = await startServer({ maxUploadBytes: 40_000_000 });
  const text = "# Part\n\nSome words of a long text.\n\n".repeat(800_000);
  const { json: long } = await server.call("POST", "/api/v1/jobs", {
    body: toForm({ file: file("long.md", text), source_path: "a/long.md" }),
  });
  const path = `/api/v1/jobs/${long.id}`;
  const read = async () => (await server.call("GET", path)).json;
  while ((await read()).status === "queued");
  const events = fetch(`${server.url}${path}/events`);
  const { status, json } = await server.call("POST", `${path}/cancel`);
  assert.deepEqual([status, json.status], [200, "cancelled"]);
  assert.match(await (await events).text(), /"status":"cancelled"/);
  const next = await server.ingest({ note: "The relay clicks." });
  assert.equal(next.status, "done");
  assert.equal((await read()).status, "cancelled");
  assert.equal(server.kb.list().total, 1);
  assert.deepEqual(server.errors, []);
});

Deno.test("a job that fails says why", async () => {
  await using server = await startServer();
  const job = await server.ingest({
    file: file("a.md", new Uint8Array([0, 1, 2, 255, 0, 7])),
  });
  assert.notEqual(job.status, "done");
  assert.ok(job.error !== null || job.state !== null, JSON.stringify(job));
});
