import assert from "node:assert/strict";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { KEY_TEXT, KEYS, startServer } from "../helpers/http.ts";
import { callJson, callTool, speaking } from "../helpers/mcp.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { serveHere } from "../helpers/serve.ts";

const AGENT = "key-of-an-agent";

/** A client of the `/mcp` of a server. */
async function connect(
  url: string,
  key?: string,
): Promise<Client & AsyncDisposable> {
  const client = new Client(
    { name: "test", version: "0.0.0" },
    speaking("2025-11-25"),
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: {
        headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      },
    }),
  );
  return Object.assign(client, {
    [Symbol.asyncDispose]: () => client.close(),
  });
}

/** Status of a request for tools. */
async function ask(url: string, key?: string): Promise<number> {
  const { status, body } = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  await body?.cancel();
  return status;
}

Deno.test("kbdb serve in front of another engine sends it KB_API_KEY, and takes KB_MCP_API_KEY of agents", async () => {
  await using engine = await startServer({ keys: KEY_TEXT, version: "0.1.0" });
  using folder = new CliFolder();
  await using served = await serveHere(folder, ["--no-log"], {
    KB_ENGINE_URL: engine.url,
    KB_API_KEY: `${KEYS.write}:write`,
    KB_MCP_API_KEY: AGENT,
    KB_MCP_PORT: "0",
  });
  assert.equal(served.mcpUrl, undefined, "one port is enough");
  assert.equal(await ask(served.url), 401);
  assert.equal(await ask(served.url, KEYS.write), 401);
  assert.equal(await ask(served.url, AGENT), 200);
  const rest = await fetch(`${served.url}/api/v1/status`, {
    headers: { Authorization: `Bearer ${KEYS.write}` },
  });
  await rest.body?.cancel();
  assert.ok(rest.status === 401 || rest.status === 404, String(rest.status));

  await using client = await connect(served.url, AGENT);
  const { job_id } = await callJson(client, "kb_addnote", {
    text: "The user prefers tables.",
    collection: "memory",
    tags: ["feedback"],
  });
  let document: number | null = null;
  while (document === null) {
    const { jobs } = await callJson(client, "kb_jobs");
    const [job] = jobs;
    assert.equal(job.job_id, job_id);
    document = job.document_id;
  }
  await callJson(client, "kb_update_note", {
    document_id: document,
    text: "The user prefers bullet points.",
  });
  const { results } = await callJson(client, "kb_search", {
    query: "bullet points",
    collection: "memory",
    fts_only: true,
  });
  assert.deepEqual([results[0].collection, results[0].tags], [
    "memory",
    ["feedback"],
  ]);
  const got = await callJson(client, "kb_get", { document_id: document });
  assert.deepEqual([got.collection, got.tags], ["memory", ["feedback"]]);
  assert.match(got.chunks[0].text, /bullet points/);
  const none = await callTool(client, "kb_update_note", {
    document_id: 999,
    text: "x",
  });
  assert.match(none.text, /There is no document 999/);
  assert.deepEqual(engine.kb.info(String(document)).tags, ["feedback"]);
  assert.equal((await callJson(client, "kb_status")).version, "0.1.0");
});

Deno.test("kbdb serve in front of an engine that is away starts, says so in every tool, and works once it is back", async () => {
  let port: number;
  {
    await using engine = await startServer();
    port = engine.port;
  }
  using folder = new CliFolder();
  await using served = await serveHere(folder, ["--no-log"], {
    KB_ENGINE_URL: `http://127.0.0.1:${port}`,
    KB_MCP_PORT: "0",
  });
  assert.equal(await ask(served.url), 200, "without keys all are let in");
  await using client = await connect(served.url);
  const { tools } = await client.listTools();
  assert.equal(tools.length, 9);
  const calls: [string, Record<string, unknown>][] = [
    ["kb_search", { query: "relay" }],
    ["kb_addnote", { text: "text" }],
    ["kb_update_note", { document_id: 1, text: "text" }],
    ["kb_get", { document_id: 1 }],
    ["kb_get", { source_path: "a.md" }],
    ["kb_status", {}],
    ["kb_jobs", { status: "failed" }],
    ["kb_upload_start", { filename: "a.md", total_size: 1 }],
  ];
  for (const [name, args] of calls) {
    const { isError, text } = await callTool(client, name, args);
    assert.ok(isError, name);
    assert.ok(
      text.startsWith(`Cannot reach the engine at http://127.0.0.1:${port}:`),
      `${name}: ${text}`,
    );
  }
  await using _engine = await startServer({ version: "0.1.0", port });
  assert.equal((await callJson(client, "kb_jobs")).total, 0);
});

Deno.test("kbdb serve in front of an engine whose key is wrong says so in tools", async () => {
  await using engine = await startServer({ keys: KEY_TEXT, version: "0.1.0" });
  using folder = new CliFolder();
  await using served = await serveHere(folder, ["--no-log"], {
    KB_ENGINE_URL: engine.url,
    KB_API_KEY: "another-key",
    KB_MCP_PORT: "0",
  });
  await using client = await connect(served.url);
  const { isError, text } = await callTool(client, "kb_status", {});
  assert.ok(isError);
  assert.match(text, /refuses the key/);
});
