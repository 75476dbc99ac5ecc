import assert from "node:assert/strict";
import process from "node:process";
import { run } from "../../lib/cli/mod.ts";
import { listen } from "../../lib/http/server.ts";
import {
  KEY_TEXT,
  KEYS,
  sendRaw,
  startServer,
  statusOf,
} from "../helpers/http.ts";
import { CliFolder } from "../helpers/run_cli.ts";

Deno.test("a port of some paths answers these and 404 to all others, behind the same guard", async () => {
  await using server = await startServer({ keys: KEY_TEXT, runsJobs: false });
  await using second = await listen(server.app, {
    port: 0,
    hasKeys: true,
    paths: ["/mcp", "/health"],
  });
  async function statusAt(path: string, key?: string): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${second.port}${path}`, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    });
    await response.body?.cancel();
    return response.status;
  }
  assert.equal(await statusAt("/health"), 200);
  assert.equal(await statusAt("/mcp"), 401);
  assert.equal(await statusAt("/mcp", KEYS.read), 405);
  assert.equal(await statusAt("/api/v1/status"), 401);
  for (const { method, path } of server.app.routes) {
    if (method !== "GET" || ["/mcp", "/health"].includes(path)) continue;
    const asked = path.replace(/\{\w+\}/, "1");
    assert.equal(await statusAt(asked, KEYS.admin), 404, path);
  }
  assert.equal(await statusAt("/%61pi/v1/status", KEYS.admin), 404);
  assert.equal(await statusAt("/mcp/../api/v1/status", KEYS.admin), 404);
  const foreign = await sendRaw(
    second.port,
    "GET /health HTTP/1.1\r\nHost: evil.com\r\nConnection: close\r\n\r\n",
  );
  assert.equal(statusOf(foreign), 421);
  const absolute = await sendRaw(
    second.port,
    `GET http://localhost/api/v1/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${KEYS.admin}\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(statusOf(absolute), 404);
  assert.equal(
    (await server.call("GET", "/api/v1/status", { key: KEYS.read })).status,
    200,
  );
});

Deno.test("kbdb serve answers MCP alone at KB_MCP_PORT and everything at --port, and stops both", async () => {
  using folder = new CliFolder();
  const stopping = new AbortController();
  let told = "";
  let onListening: () => void = () => {};
  const listening = new Promise<void>((resolve) => onListening = resolve);
  const ended = run(
    ["serve", "--db", "base", "--port", "0", "--no-log"],
    {
      env: { KB_MCP_PORT: "0" },
      cwd: folder.cwd,
      home: folder.root,
      platform: process.platform,
      out: { write: () => {} },
      err: {
        write(text) {
          told += text;
          if (String(text).includes("listening on")) onListening();
        },
      },
      input: { async *[Symbol.asyncIterator]() {} },
      signal: stopping.signal,
    },
  );
  await Promise.race([listening, ended]);
  const mcp = /MCP alone on (http:\/\/127\.0\.0\.1:\d+)\/mcp/.exec(told)?.[1];
  const all = /listening on (http:\/\/127\.0\.0\.1:\d+)\n/.exec(told)?.[1];
  assert.ok(mcp !== undefined && all !== undefined && mcp !== all, told);
  async function post(url: string): Promise<number> {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        },
      }),
    });
    const text = await response.text();
    if (response.ok) assert.match(text, /"serverInfo"/);
    return response.status;
  }
  assert.equal(await post(`${mcp}/mcp`), 200);
  assert.equal(await post(`${all}/mcp`), 200);
  for (const [url, status] of [[mcp, 404], [all, 200]] as const) {
    const response = await fetch(`${url}/api/v1/status`);
    await response.body?.cancel();
    assert.equal(response.status, status);
  }
  stopping.abort();
  assert.equal(await ended, 0, told);
  await assert.rejects(fetch(`${mcp}/health`));
});
