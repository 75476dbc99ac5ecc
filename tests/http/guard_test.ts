import assert from "node:assert/strict";
import { connect } from "node:net";
import { KbError } from "../../lib/core/mod.ts";
import { FailedLogins } from "../../lib/http/failed_logins.ts";
import { parseKeys } from "../../lib/http/keys.ts";
import { listen } from "../../lib/http/server.ts";
import {
  KEY_TEXT,
  KEYS,
  sendRaw,
  startServer,
  statusOf,
} from "../helpers/http.ts";

/** A path of a route with something in its places. */
function fill(path: string): string {
  return path.replace("{id}", "1").replace("{kbid}", "x");
}

Deno.test("every route answers 401 without a key or with a wrong one, unless it says that it needs none", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  assert.ok(server.app.routes.length > 25);
  for (const { method, path, scope } of server.app.routes) {
    const name = `${method} ${path}`;
    const { status, headers, json } = await server.call(method, fill(path));
    if (scope === "none") {
      assert.equal(status, 200, name);
      continue;
    }
    assert.equal(status, 401, name);
    assert.equal(headers.get("www-authenticate"), 'Bearer realm="kbdb"', name);
    assert.equal(json.error.code, "unauthorized", name);
  }
  assert.deepEqual(
    server.app.routes.filter(({ scope }) => scope === "none").map((
      { path },
    ) => path),
    ["/health", "/", "/openapi.json", "/docs"],
  );
  const wrong = await server.call("GET", "/api/v1/status", {
    key: "wrong-key",
  });
  assert.equal(wrong.status, 401);
});

Deno.test("every route that writes answers 403 to a key that may read only", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  let refused = 0;
  for (const { method, path, scope, ownerOnly } of server.app.routes) {
    const name = `${method} ${path}`;
    for (const key of ["read", "write"] as const) {
      const { status } = await server.call(method, fill(path), {
        key: KEYS[key],
      });
      const isAllowed = ownerOnly !== true &&
        (scope === "none" || scope === "read" ||
          (scope === "write" && key === "write"));
      assert.equal(status === 403, !isAllowed, `${name} by ${key}: ${status}`);
      assert.notEqual(status, 401, name);
      assert.ok(status < 500, `${name}: ${status}`);
      if (!isAllowed) refused++;
    }
  }
  assert.ok(refused > 6, String(refused));
});

Deno.test("every route answers 421 for a foreign Host and 403 for a foreign Origin", async () => {
  await using server = await startServer({ runsJobs: false });
  for (const { method, path } of server.app.routes) {
    const name = `${method} ${path}`;
    const host = await sendRaw(
      server.port,
      `${method} ${
        fill(path)
      } HTTP/1.1\r\nHost: evil.com\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(statusOf(host), 421, name);
    const origin = await server.call(method, fill(path), {
      headers: { Origin: "http://evil.com" },
    });
    assert.equal(origin.status, 403, name);
    assert.equal(origin.json.error.code, "invalid_origin", name);
  }
});

Deno.test("a path that is written in another way needs the same key", async () => {
  await using server = await startServer({
    keys: KEY_TEXT,
    mcpKeys: "key-of-agents",
    runsJobs: false,
  });
  const rows: [string, string, number][] = [
    ["POST", "/api/v1/%72eindex", 403],
    ["POST", "/%61pi/v1/jobs", 403],
    ["DELETE", "/api/v1/documents/%31", 403],
    ["POST", "/%6dcp", 401],
    ["POST", "/api/v1/reindex/", 404],
    ["POST", "//api/v1/reindex", 404],
    ["POST", "/api/v1/reindex%2F", 404],
    ["POST", "/API/V1/REINDEX", 404],
    ["GET", "/openapiXjson", 404],
  ];
  for (const [method, path, expected] of rows) {
    const { status } = await server.call(method, path, { key: KEYS.read });
    assert.equal(status, expected, `${method} ${path}`);
  }
});

Deno.test("a path or method that is not known says nothing without a key, 404 or 405 with one", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  assert.equal((await server.call("GET", "/api/v1/none")).status, 401);
  const key = KEYS.read;
  assert.equal((await server.call("GET", "/api/v1/none", { key })).status, 404);
  for (const method of ["PUT", "OPTIONS", "PATCH"]) {
    const { status, headers } = await server.call(method, "/api/v1/jobs", {
      key,
    });
    assert.equal(status, 405, method);
    assert.equal(headers.get("allow"), "POST, GET");
    assert.equal(headers.get("access-control-allow-origin"), null);
  }
  const head = await server.call("HEAD", "/api/v1/status", { key });
  assert.deepEqual([head.status, head.text], [200, ""]);
  assert.equal((await server.call("HEAD", "/api/v1/status")).status, 401);
});

Deno.test("a key counts only in the Authorization header, whatever the case of its scheme", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  const path = "/api/v1/auth/check";
  const ask = async (Authorization: string) =>
    (await server.call("GET", path, { headers: { Authorization } })).status;
  assert.equal(await ask(`Bearer ${KEYS.read}`), 200);
  assert.equal(await ask(`bearer ${KEYS.read}`), 200);
  assert.equal(await ask(`Basic ${KEYS.read}`), 401);
  assert.equal(await ask(KEYS.read), 401);
  assert.equal(await ask(`Bearer ${KEYS.read}:read`), 401);
  assert.equal(
    (await server.call("GET", `${path}?key=${KEYS.read}&token=${KEYS.read}`))
      .status,
    401,
  );
  const twice = await sendRaw(
    server.port,
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong-key\r\nAuthorization: Bearer ${KEYS.read}\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(statusOf(twice), 401);
  const { json } = await server.call("GET", path, { key: KEYS.write });
  assert.deepEqual(json, { ok: true });
});

Deno.test("after ten wrong keys an address is answered 429 for a while, even with the right key", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  for (let attempt = 0; attempt < 10; attempt++) {
    const { status } = await server.call("GET", "/api/v1/status", {
      key: `wrong-key-${attempt}`,
    });
    assert.equal(status, 401);
  }
  const { status, headers } = await server.call("GET", "/api/v1/status", {
    key: KEYS.admin,
  });
  assert.equal(status, 429);
  const waitSeconds = Number(headers.get("retry-after"));
  assert.ok(waitSeconds > 50 && waitSeconds <= 60);
  assert.equal((await server.call("GET", "/health")).status, 200);
});

Deno.test("FailedLogins forgets after a minute and does not grow without bound", () => {
  let now = 0;
  const failures = new FailedLogins(() => now);
  for (let count = 0; count < 10; count++) failures.add("a");
  assert.equal(failures.waitSeconds("a"), 60);
  assert.equal(failures.waitSeconds("b"), 0);
  now = 59_500;
  assert.equal(failures.waitSeconds("a"), 1);
  now = 60_000;
  assert.equal(failures.waitSeconds("a"), 0);
  failures.add("a");
  assert.equal(failures.waitSeconds("a"), 0);
  for (let count = 0; count < 30_000; count++) failures.add(`address-${count}`);
});

Deno.test("a read-only server answers 403 to all that writes, with any key or none", async () => {
  for (const keys of ["", KEY_TEXT]) {
    await using server = await startServer({
      keys,
      readOnly: true,
      runsJobs: false,
    });
    for (const { method, path, scope } of server.app.routes) {
      const { status, json } = await server.call(
        method,
        fill(path),
        keys === "" ? {} : { key: KEYS.admin },
      );
      const isRefused = scope === "write" || scope === "admin";
      assert.equal(status === 403, isRefused, `${method} ${path}`);
      if (isRefused) assert.equal(json.error.code, "read_only");
    }
  }
});

Deno.test("a server answers 503 and when to try again if too much is under way", async () => {
  await using server = await startServer({ inFlightMax: 1, runsJobs: false });
  let finish: () => void = () => {};
  const body = new ReadableStream<Uint8Array>({
    start(controller): void {
      controller.enqueue(new TextEncoder().encode('{"note":'));
      finish = () => {
        controller.enqueue(new TextEncoder().encode('"text"}'));
        controller.close();
      };
    },
  });
  const slow = fetch(`${server.url}/api/v1/jobs`, { method: "POST", body });
  const path = "/api/v1/status";
  let refused = await server.call("GET", path);
  while (refused.status !== 503) refused = await server.call("GET", path);
  assert.equal(refused.headers.get("retry-after"), "1");
  assert.equal(refused.json.error.code, "busy");
  assert.equal((await server.call("GET", "/health")).status, 200);
  finish();
  const answer = await slow;
  assert.equal(answer.status, 202);
  await answer.body?.cancel();
  assert.equal((await server.call("GET", path)).status, 200);
});

Deno.test("a client that does not bring its headers within 10 s is cut off", async () => {
  await using server = await startServer({ runsJobs: false });
  const line = "GET /health HTTP/1.1\r\n";
  const answers = await Promise.all(
    ["", "GET /hea", `${line}Host: localhost\r\nX: `].map((text) =>
      new Promise<string>((resolve) => {
        const socket = connect(server.port, "127.0.0.1");
        let answer = "";
        // Bytes that go on coming do not put off the end.
        const timer = setInterval(() => text !== "" && socket.write("a"), 500);
        socket.on("connect", () => text !== "" && socket.write(text));
        socket.on("data", (bytes) => answer += bytes);
        socket.on("error", () => {});
        socket.on("close", () => {
          clearInterval(timer);
          resolve(answer);
        });
      })
    ),
  );
  for (const answer of answers) assert.match(answer, /^(HTTP\/1\.1 408|$)/);
});

Deno.test("a client that does not read its answer is cut off, one that reads it is not", async () => {
  await using server = await startServer({ runsJobs: false });
  const text = "Words of a long text.\n".repeat(600_000);
  await server.kb.add(server.temp.folder({ "long.txt": text }));
  await using listening = await listen(server.app, {
    port: 0,
    hasKeys: false,
    silentMs: 500,
  });
  const { port } = listening;
  const path = "/api/v1/documents/1/file";
  const socket = connect(port, "127.0.0.1");
  const cut = new Promise((resolve) => socket.on("close", resolve));
  socket.on("error", () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  const read = await fetch(`http://127.0.0.1:${port}${path}`);
  assert.equal((await read.text()).length, text.length);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  let received = 0;
  socket.on("data", (bytes) => received += bytes.length);
  await cut;
  assert.ok(received < text.length, String(received));
});

Deno.test("listen() refuses an address that others reach, if no key is needed", async () => {
  await using server = await startServer({ runsJobs: false });
  for (const host of ["0.0.0.0", "::", "192.0.2.1", "example.com", ""]) {
    await assert.rejects(
      listen(server.app, { host, port: 0, hasKeys: false }),
      { code: "invalid_input", message: /without a key/ },
      host,
    );
  }
  await assert.rejects(
    listen(server.app, { port: server.port, hasKeys: false }),
    { code: "busy", message: /--port/ },
  );
});

Deno.test("MCP has keys of its own, else those of the API", async () => {
  const json = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const headers = { Accept: "application/json, text/event-stream" };
  {
    await using server = await startServer({
      keys: KEY_TEXT,
      mcpKeys: "key-of-agents",
      runsJobs: false,
    });
    const ask = async (key: string, path = "/mcp") =>
      (await server.call("POST", path, { json, headers, key })).status;
    assert.equal(await ask("key-of-agents"), 200);
    assert.equal(await ask(KEYS.admin), 401);
    assert.equal(await ask("key-of-agents", "/api/v1/search"), 401);
    assert.equal(
      (await server.call("POST", "/mcp", { json, headers })).status,
      401,
    );
  }
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  const { status } = await server.call("POST", "/mcp", {
    json,
    headers,
    key: KEYS.read,
  });
  assert.equal(status, 200);
});

Deno.test("parseKeys() reads scopes and keeps digests only", () => {
  const keys = parseKeys(" abcdefgh:read,with:colon:write , plainkey1 ,", "K");
  assert.deepEqual(keys.map(({ scope }) => scope), ["read", "write", "admin"]);
  assert.deepEqual(keys.map(({ digest }) => digest.length), [32, 32, 32]);
  assert.ok(!JSON.stringify(keys).includes("plainkey1"));
  assert.deepEqual(parseKeys(" , ", "K"), []);
  assert.throws(() => parseKeys("abcdefgh,short:read", "K"), {
    code: "invalid_input",
    message: "Cannot use key 2 of K: it has 5 characters, the least is 8",
  });
});

Deno.test("what is noted of a request holds neither key nor query", async () => {
  await using server = await startServer({ keys: KEY_TEXT });
  const { headers } = await server.call("POST", "/api/v1/search", {
    key: KEYS.admin,
    json: { query: "a secret" },
  });
  await server.call("GET", "/api/v1/documents?source_path=secret.md", {
    key: KEYS.admin,
  });
  await server.call("GET", "/secret/path", { key: "wrong-secret" });
  const text = JSON.stringify(server.log);
  assert.equal(server.log[0]?.requestId, headers.get("x-request-id"));
  assert.deepEqual(server.log.map(({ path }) => path), [
    "/api/v1/search",
    "/api/v1/documents",
    "(unknown)",
  ]);
  assert.ok(!text.includes("secret") && !text.includes(KEYS.admin), text);
  assert.deepEqual(server.errors, []);
});

Deno.test.each([
  {
    rule: "says that the port is taken",
    host: "127.0.0.1",
    taken: true,
    code: "busy",
    message: /another program does; .*--port/,
  },
  {
    rule: "says that the machine does not have the address",
    host: "192.0.2.1",
    taken: false,
    code: "invalid_input",
    message:
      /Cannot listen on 192\.0\.2\.1.*(--allow-net|does not have that address)/,
  },
  {
    rule: "says that a name is not known",
    host: "no-such-host.invalid",
    taken: false,
    code: "invalid_input",
    message: /Cannot listen on no-such-host\.invalid/,
  },
])("listen() $rule", async ({ host, taken, code, message }) => {
  await using server = await startServer({ runsJobs: false });
  const port = taken ? server.port : 0;
  await assert.rejects(
    listen(server.app, { host, port, hasKeys: true }),
    (error) =>
      error instanceof KbError && error.code === code &&
      message.test(error.message),
  );
});
