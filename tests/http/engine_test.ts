import assert from "node:assert/strict";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { KEY_TEXT, KEYS, startServer } from "../helpers/http.ts";

const PNG = Uint8Array.fromBase64(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==",
);

Deno.test("GET /health needs no key and says nothing but that the server lives", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  const { status, json, headers } = await server.call("GET", "/health");
  assert.deepEqual([status, json], [200, { status: "ok" }]);
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.match(headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
});

Deno.test("GET /auth/check says whether a key is right, and passes where none is needed", async () => {
  await using open = await startServer({ runsJobs: false });
  const { json } = await open.call("GET", "/api/v1/auth/check");
  assert.deepEqual(json, { ok: true });
  await using closed = await startServer({ keys: KEY_TEXT, runsJobs: false });
  const ask = async (key: string) =>
    (await closed.call("GET", "/api/v1/auth/check", { key })).status;
  assert.deepEqual([await ask(KEYS.read), await ask("wrong-key")], [200, 401]);
});

Deno.test("GET /status says version, model, counts, size and queue", async () => {
  await using server = await startServer({ runsJobs: false });
  server.kb.addNote("The relay clicks.", { collection: "memory" });
  server.kb.addNote("The pump hums.");
  await server.kb.embed();
  server.kb.addNote("One more.");
  server.kb.jobs.submitNote("waits");
  const { status, json } = await server.call("GET", "/api/v1/status");
  assert.equal(status, 200);
  assert.deepEqual(json.documents, {
    total: 3,
    by_type: { note: 3 },
    by_collection: { documents: 2, memory: 1 },
  });
  assert.deepEqual(json.chunks, { total: 3, embedded: 2, pending: 1 });
  assert.deepEqual(json.queue, { queued: 1, processing: 0 });
  assert.equal(json.version, "0.0.0");
  assert.ok(json.db_size_bytes > 0);
  assert.deepEqual([json.device, json.gpu], ["cpu", null]);
  assert.ok(json.model_name.length > 0);
});

Deno.test("POST /reindex makes all vectors anew in the background while search answers", async () => {
  let release: () => void = () => {};
  let isHeld = false;
  const embedder = fakeEmbedder({
    onEmbed: (texts) =>
      isHeld && texts.length > 1
        ? new Promise<void>((resolve) => {
          release = resolve;
        })
        : undefined,
  });
  await using server = await startServer({
    runsJobs: false,
    base: { embedder },
  });
  for (let count = 0; count < 5; count++) {
    server.kb.addNote(`The relay number ${count} clicks.`);
  }
  await server.kb.embed();
  const state = async () => (await server.call("GET", "/api/v1/reindex")).json;
  assert.equal((await state()).status, "idle");
  isHeld = true;
  const started = await server.call("POST", "/api/v1/reindex");
  assert.deepEqual([started.status, started.json.status], [202, "running"]);
  const again = await server.call("POST", "/api/v1/reindex");
  assert.equal(again.json.status, "running");
  const found = await server.call("POST", "/api/v1/search", {
    json: { query: "relay number 3" },
  });
  assert.deepEqual([found.status, found.json.degraded], [200, []]);
  assert.equal(found.json.results.length, 5);
  assert.equal((await state()).status, "running");
  isHeld = false;
  release();
  let now = await state();
  while (now.status === "running") now = await state();
  assert.deepEqual(now, { status: "done", done: 5, total: 5 });
  assert.deepEqual((await server.call("GET", "/api/v1/status")).json.chunks, {
    total: 5,
    embedded: 5,
    pending: 0,
  });
});

Deno.test("POST /reindex embeds each chunk with its title and headings, as when it was added", async () => {
  const texts = new Set<string>();
  const embedder = fakeEmbedder({
    onEmbed: (batch) => void batch.forEach((text) => texts.add(text)),
  });
  await using server = await startServer({ base: { embedder } });
  await server.ingest({
    file: new File(["# Pump\n\n## Relay\n\nIt clicks."], "manual.md"),
    title: "Manual",
  });
  await server.kb.embed();
  const added = [...texts];
  assert.ok(added.some((text) => /Manual.*Relay\n\n.*It clicks/s.test(text)));
  texts.clear();
  await server.call("POST", "/api/v1/reindex");
  let state = (await server.call("GET", "/api/v1/reindex")).json;
  while (state.status === "running") {
    state = (await server.call("GET", "/api/v1/reindex")).json;
  }
  assert.deepEqual([...texts].sort(), added.sort());
});

Deno.test("a reindex that fails says why and keeps the old vectors", async () => {
  await using server = await startServer({
    runsJobs: false,
    base: { model: "/nowhere/model" },
  });
  server.kb.addNote("text");
  await server.call("POST", "/api/v1/reindex");
  let state = (await server.call("GET", "/api/v1/reindex")).json;
  while (state.status === "running") {
    state = (await server.call("GET", "/api/v1/reindex")).json;
  }
  assert.equal(state.status, "failed");
  assert.match(state.error, /model/);
});

Deno.test("GET /sections/{kbid} answers a text as it is and an image as base64", async () => {
  await using server = await startServer({ runsJobs: false });
  const text = server.kb.learn("Layers.", {
    title: "Architecture",
    docid: "a",
  });
  const image = server.kb.learn(PNG, { title: "Dot", type: "image/png" });
  const first = await server.call("GET", `/api/v1/sections/${text.kbid}`);
  assert.deepEqual(
    [first.json.content, first.json.encoding, first.json.docids],
    ["Layers.", "utf-8", ["a"]],
  );
  const second = await server.call("GET", `/api/v1/sections/${image.kbid}`);
  assert.equal(second.json.encoding, "base64");
  assert.deepEqual(Uint8Array.fromBase64(second.json.content), PNG);
  const none = await server.call(
    "GET",
    "/api/v1/sections/00000000000000000000000000",
  );
  assert.equal(none.status, 404);
  for (const kbid of ["x", "a%2Fb", "%00", "..%2f.."]) {
    const { status } = await server.call("GET", `/api/v1/sections/${kbid}`);
    assert.ok(status === 400 || status === 404, `${kbid}: ${status}`);
  }
});

Deno.test("GET /openapi.json is valid OpenAPI 3.1 with every route in it", async () => {
  await using server = await startServer({ runsJobs: false });
  const { json } = await server.call("GET", "/openapi.json");
  assert.equal(json.openapi, "3.1.0");
  assert.ok(json.info.title !== "" && json.info.version !== "");
  const told = Object.entries(json.paths).flatMap(([path, operations]) =>
    Object.keys(operations as object).map((method) =>
      `${method.toUpperCase()} ${path}`
    )
  );
  assert.deepEqual(
    told.sort(),
    server.app.routes.filter(({ isPrivate }) => isPrivate !== true)
      .map(({ method, path }) => `${method} ${path}`).sort(),
  );
  for (const [path, operations] of Object.entries(json.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    // deno-lint-ignore no-explicit-any -- JSON
    for (const operation of Object.values(operations as any) as any[]) {
      assert.ok(operation.summary !== "" && operation.tags.length === 1);
      // deno-lint-ignore no-explicit-any -- JSON
      const own = operation.parameters.filter((one: any) => one.in === "path");
      // deno-lint-ignore no-explicit-any -- JSON
      assert.deepEqual(own.map((one: any) => one.name), names, path);
      for (const one of operation.parameters) {
        assert.equal(typeof one.required, "boolean");
        assert.ok(typeof one.schema === "object");
      }
      const codes = Object.keys(operation.responses);
      assert.ok(codes.includes("default") && codes.length === 2, path);
    }
  }
  // Every reference leads somewhere.
  for (
    const [, ref = ""] of JSON.stringify(json).matchAll(/"\$ref":"([^"]+)"/g)
  ) {
    let node = json;
    for (const part of ref.replace(/^#\//, "").split("/")) node = node?.[part];
    assert.notEqual(node, undefined, ref);
  }
  const form = json.paths["/api/v1/jobs"].post.requestBody.content;
  assert.equal(
    form["multipart/form-data"].schema.properties.file.format,
    "binary",
  );
  assert.deepEqual(json.paths["/health"].get.security, []);
});

Deno.test("GET /docs is a page without scripts that names every route", async () => {
  await using server = await startServer({ runsJobs: false });
  const { text, headers } = await server.call("GET", "/docs");
  assert.match(headers.get("content-type") ?? "", /^text\/html/);
  assert.match(
    headers.get("content-security-policy") ?? "",
    /default-src 'none'/,
  );
  assert.ok(!/<script/i.test(text));
  for (const { method, path, isPrivate } of server.app.routes) {
    if (isPrivate === true) continue;
    assert.ok(text.includes(`<code>${method} ${path}</code>`), path);
  }
});

Deno.test("GET /metrics counts requests by route, documents and jobs", async () => {
  await using server = await startServer({ runsJobs: false });
  server.kb.addNote("text");
  server.kb.jobs.submitNote("waits");
  await server.call("GET", "/api/v1/documents/1");
  await server.call("GET", "/api/v1/documents/2");
  await server.call("GET", '/odd"path');
  const { text } = await server.call("GET", "/metrics");
  assert.match(
    text,
    /^kbdb_requests_total\{method="GET",path="\/api\/v1\/documents\/\{id\}",status="404"\} 1$/m,
  );
  assert.match(
    text,
    /^kbdb_requests_total\{method="GET",path="\(unknown\)",status="404"\} 1$/m,
  );
  assert.match(text, /^kbdb_documents 1$/m);
  assert.match(text, /^kbdb_jobs\{status="queued"\} 1$/m);
  for (const line of text.trim().split("\n")) {
    assert.match(
      line,
      /^# HELP \w+ .+$|^# TYPE \w+ (counter|gauge|histogram)$|^\w+(\{\w+=".*"\})? [\d.e-]+$/,
    );
  }
});

Deno.test("a fault of the server answers 500 and says nothing of its insides", async () => {
  await using server = await startServer({ runsJobs: false });
  const { kb } = server;
  Object.defineProperty(kb, "listTags", {
    value: () => {
      throw new TypeError("secret inside");
    },
  });
  const { status, json, text } = await server.call("GET", "/api/v1/tags");
  assert.deepEqual([status, json.error.code], [500, "internal"]);
  assert.ok(!text.includes("secret"));
  assert.match(String(server.errors[0]), /secret inside/);
});
