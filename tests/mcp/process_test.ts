import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { openKb } from "../../lib/kb/mod.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { callJson, REVISIONS, speaking } from "../helpers/mcp.ts";
import { mcpCommand, McpProcess } from "../helpers/mcp_process.ts";
import { makeTempDir } from "../helpers/temp_store.ts";

/** Most time an end may take; the rule is 2 s, and a busy machine is no fault. */
const END_MS = 5_000;

/** A text that takes the model far longer than the end of a test. */
function longText(): string {
  return Array.from(
    { length: 2_000 },
    (_, index) =>
      `# Part ${index}\n\nThe ${index}th harbour keeps ${index * 7} boats, ` +
      `${index * 3} of them in need of paint before the winter storms come.`,
  ).join("\n\n");
}

function sleep(timeMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, timeMs));
}

/** Asserts that a base was closed as it should be. */
async function assertClosed(dir: string): Promise<void> {
  const path = join(dir, "kb.db");
  for (const ending of ["-wal", "-shm", "-journal"]) {
    assert.ok(!existsSync(path + ending), `kb.db${ending} was left`);
  }
  const db = new DatabaseSync(path, { readOnly: true });
  const rows = db.prepare("PRAGMA integrity_check").all();
  db.close();
  assert.deepEqual(rows.map((row) => ({ ...row })), [{
    integrity_check: "ok",
  }]);
  await using kb = openKb({ dir, embedder: fakeEmbedder() });
  assert.ok((await kb.check()).ok);
}

/** Asserts that nothing but JSON-RPC was written, one message a line. */
function assertOnlyMessages({ lines, messages }: McpProcess): void {
  assert.equal(messages.length, lines.length, lines.join("\n"));
  for (const message of messages) {
    assert.equal(message.jsonrpc, "2.0", JSON.stringify(message));
    const parts = [message.method, message.result, message.error];
    assert.equal(parts.filter((part) => part !== undefined).length, 1);
  }
}

Deno.test("kbdb mcp writes nothing but messages to standard output (model)", async () => {
  using temp = makeTempDir();
  const dir = join(temp.path, "base");
  await using mcp = await McpProcess.connect(dir);
  await mcp.request("logging/setLevel", { level: "debug" });
  const { kbid } = await mcp.callJson("learn", {
    content: "The ferry leaves at noon. See [[nowhere]].",
    docid: "ferry",
  });
  const { items } = await mcp.callJson("search", { query: "ferry" });
  assert.deepEqual(items.map((item: { kbid: string }) => item.kbid), [kbid]);
  for (const name of ["check", "rebuild", "gc", "no-such-tool"]) {
    await mcp.request("tools/call", { name, arguments: {} });
  }
  await mcp.request("no/such/method");
  await mcp.receive(({ method }) => method === "notifications/message");
  const { code } = await mcp.end("input");
  assert.equal(code, 0);
  assertOnlyMessages(mcp);
  assert.match(mcp.stderr, /made a new base/);
});

Deno.test("kbdb mcp says on standard error that there is no model, and goes on", async () => {
  using temp = makeTempDir();
  const dir = join(temp.path, "base");
  await using mcp = await McpProcess.connect(dir, {
    KB_MODEL: "no-such-model",
  });
  await mcp.request("logging/setLevel", { level: "debug" });
  await mcp.callJson("learn", { content: "The ferry leaves at noon" });
  const { items } = await mcp.callJson("search", { query: "ferry" });
  assert.equal(items.length, 1);
  const told = await mcp.receive(({ params }) => params?.["level"] === "error");
  assert.match(String(told.params?.["data"]), /no-such-model/);
  assert.equal((await mcp.end("input")).code, 0);
  assertOnlyMessages(mcp);
  assert.match(mcp.stderr, /no-such-model/);
});

Deno.test("kbdb mcp answers what it cannot read with an error and goes on", async () => {
  using temp = makeTempDir();
  await using mcp = await McpProcess.connect(join(temp.path, "base"));
  const errors = () =>
    mcp.messages.flatMap(({ error }) => error === undefined ? [] : [error]);
  const rows = [
    { line: "garbage", code: -32700, says: /not JSON/ },
    { line: '{"jsonrpc":"2.0"', code: -32700, says: /not JSON/ },
    { line: "\u0000\u0001\ud800", code: -32700, says: /not JSON/ },
    { line: "[]", code: -32600, says: /batches/ },
    { line: "null", code: -32600, says: /no JSON-RPC/ },
    { line: '{"id":1}', code: -32600, says: /no JSON-RPC/ },
    { line: "x".repeat(11 * 1024 * 1024), code: -32600, says: /longer than/ },
  ];
  for (const [index, { line, code, says }] of rows.entries()) {
    await mcp.send(line);
    await mcp.receive(() => errors().length > index);
    const error = errors().at(-1);
    assert.equal(error?.code, code);
    assert.match(error?.message ?? "", says);
    assert.equal((await mcp.callJson("status")).initialized, true);
  }
  assert.equal((await mcp.end("input")).code, 0);
  assertOnlyMessages(mcp);
});

for (const how of ["input", "SIGTERM", "SIGINT"] as const) {
  const event = how === "input" ? "the end of its input" : how;

  Deno.test(`kbdb mcp ends in good order on ${event}`, async () => {
    using temp = makeTempDir();
    const dir = join(temp.path, "base");
    await using mcp = await McpProcess.connect(dir);
    await mcp.callJson("learn", { content: "The ferry leaves at noon" });
    const { code, signal, elapsedMs } = await mcp.end(how);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, mcp.stderr);
    assert.ok(elapsedMs < END_MS, `it took ${elapsedMs} ms`);
    await assertClosed(dir);
  });

  Deno.test(`kbdb mcp ends while it makes vectors on ${event} (model)`, async () => {
    using temp = makeTempDir();
    const dir = join(temp.path, "base");
    await using mcp = await McpProcess.connect(dir);
    await mcp.callJson("learn", { content: "The model is there once" });
    while ((await mcp.callJson("status")).vectors === 0) await sleep(20);
    await mcp.callJson("learn", { content: longText(), docid: "harbours" });
    await sleep(300);
    const { code, signal, elapsedMs } = await mcp.end(how);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, mcp.stderr);
    assert.ok(elapsedMs < END_MS, `it took ${elapsedMs} ms`);
    await assertClosed(dir);
    await using next = await McpProcess.connect(dir);
    const { pending_vectors: pending } = await next.callJson("status");
    assert.ok(pending > 0, "all vectors were made before the end");
    const { total } = await next.callJson("search", { query: "harbour" });
    assert.ok(total > 0);
  });
}

Deno.test("kbdb mcp ends in good order when nobody reads what it writes", async () => {
  using temp = makeTempDir();
  const dir = join(temp.path, ".kbdb");
  const { command, args, env } = mcpCommand(dir);
  const child = new Deno.Command(command, {
    args,
    env,
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  const ask = (id: number, method: string, params: object) =>
    writer.write(new TextEncoder().encode(
      JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n",
    ));
  await ask(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "0.0.0" },
  });
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  // Its input stays open: only the broken pipe can tell it.
  await ask(2, "tools/list", {});
  const { code } = await child.status;
  assert.equal(code, 0);
  await writer.close().catch(() => {});
  await assertClosed(dir);
});

Deno.test("kbdb mcp answers what it was asked before its input ended", async () => {
  using temp = makeTempDir();
  await using mcp = await McpProcess.connect(join(temp.path, "base"));
  const answer = mcp.request("tools/call", {
    name: "learn",
    arguments: { content: "The ferry leaves at noon" },
  });
  assert.equal((await mcp.end("input")).code, 0);
  assert.equal((await answer).result.isError, undefined);
});

Deno.test("two kbdb mcp on one base hear of each other's changes", async () => {
  using temp = makeTempDir();
  const dir = join(temp.path, "base");
  await using one = await McpProcess.connect(dir);
  await using other = await McpProcess.connect(dir);
  await one.callJson("learn", { content: "The first fact", docid: "facts" });
  const uri = "kbdb://document/facts";
  await other.request("resources/subscribe", { uri });
  const { kbid } = await one.callJson("learn", {
    content: "Zanzibar has two rainy seasons",
    docid: "facts",
  });
  const { items } = await other.callJson("search", { query: "zanzibar" });
  assert.equal(items[0]?.kbid, kbid);
  await other.receive(({ method, params }) =>
    method === "notifications/resources/updated" && params?.["uri"] === uri
  );
  await other.callJson("learn", { content: "A third fact", docid: "more" });
  await one.receive(({ method }) =>
    method === "notifications/resources/list_changed"
  );
  assert.equal((await one.end("input")).code, 0);
  assert.equal((await other.callJson("unlearn", { kbid })).removed, true);
  assert.equal((await other.end("SIGTERM")).code, 0);
  await assertClosed(dir);
});

for (const revision of REVISIONS) {
  Deno.test(`kbdb mcp serves the SDK's own client in ${revision}`, async () => {
    using temp = makeTempDir();
    const dir = join(temp.path, "base");
    const client = new Client(
      { name: "test", version: "0.0.0" },
      speaking(revision),
    );
    const transport = new StdioClientTransport({
      ...mcpCommand(dir),
      stderr: "ignore",
    });
    await client.connect(transport);
    assert.equal(client.getNegotiatedProtocolVersion(), revision);
    const { tools } = await client.listTools();
    assert.equal(tools.length, 18);
    const content = "The lighthouse keeper is called Ingrid";
    const { kbid } = await callJson(client, "learn", { content });
    const { items } = await callJson(client, "search", { query: "lighthouse" });
    assert.equal(items[0]?.kbid, kbid);
    const [section] = await callJson(client, "retrieve", { kbid });
    assert.equal(section.content, content);
    await client.close();
    await assertClosed(dir);
  });
}
