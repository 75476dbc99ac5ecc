import assert from "node:assert/strict";
import { RemoteEngine } from "../../lib/client/mod.ts";
import { LIMITS } from "../../lib/core/mod.ts";
import { FILES_PATH } from "../../lib/wire/mod.ts";
import { createMcpHttp } from "../../lib/mcp/mod.ts";
import { openToolSet } from "../../lib/mcp/tool_sets.ts";
import { startServer } from "../helpers/http.ts";
import {
  callJson,
  callTool,
  connectMcp,
  REVISIONS,
  until,
} from "../helpers/mcp.ts";
import { startRemote } from "../helpers/remote.ts";

for (const revision of REVISIONS) {
  Deno.test(`both tool sets work in front of another engine in ${revision}`, async () => {
    await using remote = await startRemote();
    const { engine, server } = remote;
    await using set = openToolSet(engine, "all");
    await using mcp = await connectMcp(engine, revision, {
      extras: { tools: set.tools },
    });
    const { client } = mcp;
    const { kbid } = await callJson(client, "learn", {
      content: "The valve sticks in winter.",
      title: "Valve",
    });
    const found = await callJson(client, "search", {
      query: "valve",
      content: true,
    });
    assert.equal(found.items[0].kbid, kbid);
    assert.match(found.items[0].content, /sticks/);
    const { upload_id } = await callJson(client, "kb_upload_start", {
      filename: "a.md",
      total_size: 7,
    });
    await callJson(client, "kb_upload_chunk", {
      upload_id,
      data: btoa("# Attic"),
      chunk_index: 0,
    });
    await callJson(client, "kb_upload_finish", { upload_id });
    await until(() => server.kb.list().total === 1, 30_000);
    const unknown = await callTool(client, "recall", { kbid: "0000" });
    assert.ok(unknown.isError);
    const { resources } = await client.listResources();
    assert.equal(resources.length, 1);
    assert.deepEqual(server.errors, []);
  });
}

Deno.test("uploads in parts through another kbdb keep no connection to the engine, and are sent once whole", async () => {
  await using remote = await startRemote();
  const { engine, server } = remote;
  await using set = openToolSet(engine, "kb");
  await using mcp = await connectMcp(engine, "2025-11-25", {
    extras: { tools: set.tools },
  });
  const { client } = mcp;
  const ids: string[] = [];
  for (let n = 0; n < LIMITS.uploads; n++) {
    const { upload_id } = await callJson(client, "kb_upload_start", {
      filename: `docs/${n}.md`,
      total_size: 8,
    });
    const part = { upload_id, data: btoa(`# F${n}`), chunk_index: 0 };
    await callJson(client, "kb_upload_chunk", part);
    ids.push(upload_id);
  }
  assert.equal((await callJson(client, "kb_status")).documents.total, 0);
  assert.ok(server.log.every(({ path }) => path !== FILES_PATH));
  for (const upload_id of ids) {
    const part = { upload_id, data: btoa(" end"), chunk_index: 1 };
    await callJson(client, "kb_upload_chunk", part);
    await callJson(client, "kb_upload_finish", { upload_id });
  }
  await until(() => server.kb.list().total === LIMITS.uploads, 30_000);
  const { documents } = server.kb.list({ sourcePath: "docs/3.md" });
  assert.equal(server.kb.get(String(documents[0]?.id)).text, "# F3 end");
});

Deno.test("an upload in parts whose engine went away says so at its end", async () => {
  await using remote = await startRemote();
  await using set = openToolSet(remote.engine, "kb");
  await using mcp = await connectMcp(remote.engine, "2025-11-25", {
    extras: { tools: set.tools },
  });
  const { client } = mcp;
  const { upload_id } = await callJson(client, "kb_upload_start", {
    filename: "a.md",
    total_size: 4,
  });
  const part = { upload_id, data: btoa("text"), chunk_index: 0 };
  await callJson(client, "kb_upload_chunk", part);
  await remote.server.stop();
  const { isError, text } = await callTool(client, "kb_upload_finish", {
    upload_id,
  });
  assert.ok(isError);
  assert.match(text, /^Cannot reach the engine at /);
});

Deno.test("MCP is served while its engine is away, says so, and works once it is back", async () => {
  let port: number;
  {
    await using server = await startServer();
    port = server.port;
  }
  const url = `http://127.0.0.1:${port}`;
  await using engine = new RemoteEngine({
    address: { url },
    version: "0.1.0",
  });
  await using mcp = await connectMcp(engine, "2025-11-25");
  for (
    const [name, args] of [["status", {}], ["search", { query: "x" }]] as const
  ) {
    const { isError, text } = await callTool(mcp.client, name, args);
    assert.ok(isError);
    assert.ok(text.startsWith(`Cannot reach the engine at ${url}:`), text);
  }
  await using _server = await startServer({ version: "0.1.0", port });
  const status = await callJson(mcp.client, "status");
  assert.equal(status.initialized, true);
  assert.ok(
    mcp.diagnostics.filter((text) => text.startsWith("Cannot look")).length <=
      1,
    String(mcp.diagnostics),
  );
});

Deno.test("MCP over HTTP works in front of another engine", async () => {
  await using remote = await startRemote();
  await using mcp = createMcpHttp(remote.engine, {
    version: "0.1.0",
    tools: "kb",
    onDiagnostic: () => {},
  });
  const response = await mcp.fetch(
    new Request("http://localhost/mcp", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "kb_status", arguments: {} },
      }),
    }),
  );
  assert.match(await response.text(), /model_name/);
});
