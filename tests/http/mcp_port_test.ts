import assert from "node:assert/strict";
import { listen } from "../../lib/http/server.ts";
import {
  KEY_TEXT,
  KEYS,
  sendRaw,
  startServer,
  statusOf,
} from "../helpers/http.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { serveHere } from "../helpers/serve.ts";

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
  await using served = await serveHere(
    folder,
    ["--db", "base", "--port", "0", "--no-log"],
    { KB_MCP_PORT: "0" },
  );
  const { url: all, mcpUrl: mcp } = served;
  assert.ok(mcp !== undefined && all !== mcp, served.said());
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
  assert.equal(await served.stop(), 0, served.said());
  await assert.rejects(fetch(`${mcp}/health`));
});

Deno.test("KB_MCP_ALLOWED_HOSTS of kbdb serve counts at /mcp of both ports", async () => {
  using folder = new CliFolder();
  const args = ["--db", "base", "--port", "0", "--mcp-port", "0", "--no-log"];
  const LOCAL = ["localhost:3000", "127.0.0.1:3000", "[::1]:3000"];
  const rows: [string | undefined, string[], string[]][] = [
    [undefined, LOCAL, ["192.168.1.50:3000", "kb.example.com"]],
    ["", LOCAL, ["192.168.1.50:3000"]],
    ["192.168.1.50", [...LOCAL, "192.168.1.50:3000"], ["10.0.0.99:3000"]],
    [
      "192.168.1.50,kb.example.com",
      [...LOCAL, "192.168.1.50:81", "kb.example.com", "kb.example.com:9"],
      ["10.0.0.99:3000", "example.com"],
    ],
  ];
  const json = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';
  for (const [setting, allowed, refused] of rows) {
    await using served = await serveHere(
      folder,
      args,
      setting === undefined ? {} : { KB_MCP_ALLOWED_HOSTS: setting },
    );
    for (const url of [served.url, served.mcpUrl ?? assert.fail()]) {
      const ask = (host: string, origin: string) =>
        sendRaw(
          Number(new URL(url).port),
          `POST /mcp HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${origin}\r\n` +
            "Accept: application/json, text/event-stream\r\nContent-Type: application/json\r\n" +
            `Content-Length: ${json.length}\r\nConnection: close\r\n\r\n${json}`,
        );
      for (const host of allowed) {
        const answer = await ask(host, host);
        assert.equal(statusOf(answer), 200, `${setting} / ${host}`);
        assert.match(answer, /kb_search/);
      }
      for (const host of refused) {
        const answer = await ask(host, "localhost");
        assert.equal(statusOf(answer), 421, `${setting} / ${host}`);
        assert.match(answer, /Invalid Host header/);
        const origin = await ask("localhost", host);
        assert.equal(statusOf(origin), 403, `${setting} / ${host}`);
      }
    }
  }
});
