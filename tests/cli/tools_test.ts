import assert from "node:assert/strict";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { join } from "node:path";
import process from "node:process";
import { run } from "../../lib/cli/mod.ts";
import { openKb } from "../../lib/kb/mod.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import {
  callJson,
  callTool,
  speaking,
  TestInput,
  until,
} from "../helpers/mcp.ts";
import { CliFolder } from "../helpers/run_cli.ts";

/** A command that runs until it is told to stop. */
interface Running extends AsyncDisposable {
  readonly out: readonly string[];
  readonly err: readonly string[];
  readonly input: TestInput;
}

/** Starts a command in a folder; there is no model, so that none is loaded. */
function start(
  folder: CliFolder,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Running {
  const out: string[] = [];
  const err: string[] = [];
  const input = new TestInput();
  const stopping = new AbortController();
  const ended = run(args, {
    env: { KB_MODEL: join(folder.root, "no-model"), ...env },
    cwd: folder.cwd,
    home: join(folder.root, "home"),
    platform: process.platform,
    out: { write: (text) => out.push(text) },
    err: { write: (text) => err.push(text) },
    input,
    signal: stopping.signal,
  });
  return {
    out,
    err,
    input,
    async [Symbol.asyncDispose](): Promise<void> {
      stopping.abort();
      input.push(null);
      assert.equal(await ended, 0, err.join(""));
    },
  };
}

/** Starts `kbdb serve` and says where its MCP is. */
async function startServe(
  folder: CliFolder,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly running: Running; readonly url: URL }> {
  const running = start(
    folder,
    ["serve", "--db", "base", "--port", "0", "--no-log", ...args],
    env,
  );
  await until(() => running.err.join("").includes("listening on"), 20_000);
  const [, at = ""] = /listening on (\S+)/.exec(running.err.join("")) ?? [];
  return { running, url: new URL(`${at}/mcp`) };
}

async function connect(url: URL, key?: string): Promise<Client> {
  const client = new Client({ name: "test", version: "0.0.0" }, {
    ...speaking("2026-07-28"),
  });
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  await client.connect(
    new StreamableHTTPClientTransport(url, { requestInit: { headers } }),
  );
  return client;
}

async function listNames(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

const KEYS = {
  KB_MCP_API_KEY:
    "first-key-of-two:write,second-key-of-two:write,reading-key:read",
};

Deno.test("kbdb serve binds an upload to the key it was begun with, takes the file in, and offers a reading key what reads", async () => {
  using folder = new CliFolder();
  const { running, url } = await startServe(folder, [], KEYS);
  await using _ = running;
  const first = await connect(url, "first-key-of-two");
  const second = await connect(url, "second-key-of-two");
  const reading = await connect(url, "reading-key");
  const names = await listNames(first);
  assert.equal(names.length, 27);
  assert.ok(names.includes("search") && names.includes("kb_upload_start"));
  assert.deepEqual(
    (await listNames(reading)).filter((name) => name.startsWith("kb_")),
    ["kb_search", "kb_get", "kb_status", "kb_jobs"],
  );
  const { upload_id } = await callJson(first, "kb_upload_start", {
    filename: "a.md",
    total_size: 4,
    collection: "memory",
  });
  const chunk = {
    upload_id,
    data: new TextEncoder().encode("text").toBase64(),
    chunk_index: 0,
  };
  const foreign = await callTool(second, "kb_upload_chunk", chunk);
  assert.ok(foreign.isError);
  assert.match(foreign.text, /There is no upload/);
  await callJson(first, "kb_upload_chunk", chunk);
  const { job_id } = await callJson(first, "kb_upload_finish", { upload_id });
  let job = { status: "queued", document_id: 0 };
  while (["queued", "processing"].includes(job.status)) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { jobs } = await callJson(reading, "kb_jobs");
    job = jobs.find((one: { job_id: number }) => one.job_id === job_id);
  }
  assert.equal(job.status, "done");
  const { collection } = await callJson(reading, "kb_get", {
    document_id: job.document_id,
  });
  assert.equal(collection, "memory");
  for (const client of [first, second, reading]) await client.close();
});

Deno.test("kbdb serve --tools and --read-only say which tools there are", async () => {
  using folder = new CliFolder();
  {
    const { running, url } = await startServe(folder, ["--tools", "kb"]);
    await using _ = running;
    const client = await connect(url);
    assert.equal((await listNames(client)).length, 9);
    await client.close();
  }
  const { running, url } = await startServe(folder, [
    "--tools",
    "kb",
    "--read-only",
  ]);
  await using _ = running;
  const client = await connect(url);
  assert.equal((await listNames(client)).length, 4);
  await client.close();
});

Deno.test("kbdb serve takes KB_SEARCH_THRESHOLD for kb_search too", async () => {
  using folder = new CliFolder();
  {
    await using kb = openKb({
      dir: join(folder.cwd, "base"),
      embedder: fakeEmbedder(),
    });
    kb.addNote("one relay");
    kb.addNote("two relay relay pump");
  }
  const { running, url } = await startServe(folder, [], {
    KB_SEARCH_THRESHOLD: "1",
  });
  await using _ = running;
  const client = await connect(url);
  async function count(args: Record<string, unknown>): Promise<number> {
    const query = { query: "relay", fts_only: true };
    const answer = await callJson(client, "kb_search", { ...query, ...args });
    return answer.results.length;
  }
  assert.equal(await count({ threshold: 0 }), 2);
  assert.ok(await count({}) < 2);
  await client.close();
});

Deno.test("kbdb mcp --tools kb takes in what kb_addnote queues", async () => {
  using folder = new CliFolder();
  await using running = start(folder, ["mcp", "--db", "base", "--tools", "kb"]);
  let lastId = 0;
  // deno-lint-ignore no-explicit-any -- the test looks into answers of every shape
  async function request(method: string, params: object): Promise<any> {
    const id = ++lastId;
    running.input.push(
      JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n",
    );
    const find = () =>
      running.out.map((line) => JSON.parse(line)).find((one) => one.id === id);
    await until(() => find() !== undefined, 20_000);
    return find().result;
  }
  // deno-lint-ignore no-explicit-any -- the test looks into answers of every shape
  async function call(name: string, args: object = {}): Promise<any> {
    const { content } = await request("tools/call", { name, arguments: args });
    return JSON.parse(content[0].text);
  }
  await request("initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "test", version: "0.0.0" },
  });
  assert.equal((await request("tools/list", {})).tools.length, 9);
  await call("kb_addnote", { text: "The relay clicks." });
  for (let tries = 0; tries < 400; tries++) {
    if ((await call("kb_jobs", { status: "done" })).total === 1) break;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { results } = await call("kb_search", { query: "relay" });
  assert.equal(results[0].text, "The relay clicks.");
  assert.equal(results[0].collection, "documents");
});

Deno.test("kbdb mcp exits 2 if --tools names no set", async () => {
  using folder = new CliFolder();
  const { code, err } = await folder.run(["mcp", "--tools", "some"]);
  assert.equal(code, 2);
  assert.match(err, /kbdb, kb, all/);
});
