import assert from "node:assert/strict";
import {
  Client,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS } from "../../lib/core/mod.ts";
import type { Kb } from "../../lib/kb/mod.ts";
import { createMcpHttp, type McpHttp } from "../../lib/mcp/mod.ts";
import { toToolExtras } from "../../lib/mcp/tool_sets.ts";
import { Uploads } from "../../lib/mcp/uploads.ts";
import {
  callJson,
  callTool,
  connectMcp,
  type ConnectOptions,
  type Revision,
  REVISIONS,
  speaking,
  type TestClient,
  until,
} from "../helpers/mcp.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

function connectKb(
  kb: Kb,
  revision: Revision = "2026-07-28",
  options: ConnectOptions = {},
): Promise<TestClient> {
  const extras = toToolExtras({ tools: "kb" });
  return connectMcp(kb, revision, { extras, ...options });
}

/** Connects a client over HTTP as one who has a key. */
async function connectHttp(
  mcp: McpHttp,
  caller: string,
  revision: Revision = "2026-07-28",
): Promise<Client> {
  const client = new Client({ name: "test", version: "0.0.0" }, {
    ...speaking(revision),
  });
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
      fetch: (url, init) => mcp.fetch(new Request(url, init), caller),
    }),
  );
  return client;
}

function openHttp(kb: Kb, readOnly = false): McpHttp {
  return createMcpHttp(kb, {
    version: "0.0.0",
    tools: "kb",
    readOnly,
    onDiagnostic: (text) => assert.fail(text),
  });
}

/** Files of uploads that are not over. */
function listStaged(dir: string): string[] {
  const folder = join(dir, "uploads");
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** Begins an upload and answers its handle. */
async function start(client: Client, totalSize: number): Promise<string> {
  const { upload_id } = await callJson(client, "kb_upload_start", {
    filename: "report.md",
    total_size: totalSize,
  });
  return upload_id;
}

function base64(text: string): string {
  return new TextEncoder().encode(text).toBase64();
}

for (const revision of REVISIONS) {
  Deno.test(`an upload in chunks arrives as it was and becomes a document in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb, dir } = temp;
    kb.jobs.start();
    await using mcp = await connectKb(kb, revision);
    const { client } = mcp;
    const bytes = new TextEncoder().encode(
      "# Report\n\n" + "The relay clicks. ".repeat(40),
    );
    const started = await callJson(client, "kb_upload_start", {
      filename: "report.md",
      total_size: bytes.length,
      tags: ["insurance"],
      collection: "workspace",
    });
    const { upload_id } = started;
    assert.match(upload_id, /^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    assert.ok(Date.parse(started.expires_at) > Date.now());
    const size = 300;
    for (let index = 0; index * size < bytes.length; index++) {
      const part = bytes.subarray(index * size, (index + 1) * size);
      const state = await callJson(client, "kb_upload_chunk", {
        upload_id,
        data: part.toBase64(),
        chunk_index: index,
      });
      assert.equal(state.next_chunk_index, index + 1);
      assert.equal(listStaged(dir).length, 1, "on disk below the base");
    }
    const job = await callJson(client, "kb_upload_finish", { upload_id });
    assert.equal(job.kind, "file");
    await until(() => kb.jobs.get(job.job_id).status === "done", 20_000);
    await until(() => listStaged(dir).length === 0);
    assert.equal(kb.jobs.get(job.job_id).error, null);
    const got = await callJson(client, "kb_get", {
      document_id: kb.jobs.get(job.job_id).documentId,
    });
    assert.equal(got.source_path, "report.md");
    assert.equal(got.collection, "workspace");
    assert.deepEqual(got.tags, ["insurance"]);
    assert.equal(got.has_file, true);
    assert.equal(kb.original(String(got.id))?.sizeBytes, bytes.length);
    const again = await callTool(client, "kb_upload_finish", { upload_id });
    assert.ok(again.isError);
    assert.match(again.text, /There is no upload/);
  });

  Deno.test(`an upload over HTTP is not there for another key in ${revision}`, async () => {
    await using temp = openTempKb();
    await using mcp = openHttp(temp.kb);
    const owner = await connectHttp(mcp, "one key", revision);
    const other = await connectHttp(mcp, "another key", revision);
    const upload_id = await start(owner, 4);
    const chunk = { upload_id, data: base64("text"), chunk_index: 0 };
    const none = await callTool(other, "kb_upload_finish", {
      upload_id: "none",
    });
    for (
      const [tool, args] of [
        ["kb_upload_chunk", chunk],
        ["kb_upload_finish", { upload_id }],
      ] as const
    ) {
      const { text, isError } = await callTool(other, tool, args);
      assert.ok(isError);
      assert.equal(
        text.replace(upload_id, "none"),
        none.text,
        "as one that never was",
      );
    }
    await callJson(owner, "kb_upload_chunk", chunk);
    const job = await callJson(owner, "kb_upload_finish", { upload_id });
    assert.equal(job.status, "queued");
    await owner.close();
    await other.close();
  });
}

for (
  const [rule, sent, pattern] of [
    [
      "a chunk out of order",
      { data: base64("ab"), chunk_index: 1 },
      /chunk 0 comes next/,
    ],
    [
      "more bytes than announced",
      { data: base64("abcdef"), chunk_index: 0 },
      /the file has 6, but total_size is 4/,
    ],
    [
      "what is no base64",
      { data: "a-_b", chunk_index: 0 },
      /must be bytes in base64/,
    ],
    [
      "base64 without its padding",
      { data: "YQ", chunk_index: 0 },
      /must be bytes in base64/,
    ],
    ["an empty chunk", { data: "", chunk_index: 0 }, /must be bytes in base64/],
    [
      "a data URI",
      { data: "data:text/plain;base64,YWJj", chunk_index: 0 },
      /without "data:"/,
    ],
    [
      "a negative place",
      { data: base64("ab"), chunk_index: -1 },
      /"chunk_index" must be at least 0/,
    ],
  ] as const
) {
  Deno.test(`kb_upload_chunk refuses ${rule} and the upload goes on`, async () => {
    await using temp = openTempKb();
    await using mcp = await connectKb(temp.kb);
    const { client } = mcp;
    const upload_id = await start(client, 4);
    const { text, isError } = await callTool(client, "kb_upload_chunk", {
      upload_id,
      ...sent,
    });
    assert.ok(isError);
    assert.match(text, pattern);
    await callJson(client, "kb_upload_chunk", {
      upload_id,
      data: base64("text"),
      chunk_index: 0,
    });
    const job = await callJson(client, "kb_upload_finish", { upload_id });
    assert.equal(job.name, "report.md");
    assert.deepEqual(mcp.diagnostics, []);
  });
}

Deno.test("kb_upload_chunk says that a chunk sent twice is here", async () => {
  await using temp = openTempKb();
  await using mcp = await connectKb(temp.kb);
  const upload_id = await start(mcp.client, 4);
  const chunk = { upload_id, data: base64("te"), chunk_index: 0 };
  await callJson(mcp.client, "kb_upload_chunk", chunk);
  const again = await callTool(mcp.client, "kb_upload_chunk", chunk);
  assert.ok(again.isError);
  assert.match(again.text, /chunk 1 comes next, those before it are here/);
});

Deno.test("kb_upload_chunk refuses a chunk that is too large", async () => {
  await using temp = openTempKb();
  await using mcp = await connectKb(temp.kb);
  const bytes = new Uint8Array(LIMITS.uploadChunkBytes + 1);
  const upload_id = await start(mcp.client, bytes.length);
  const { text, isError } = await callTool(mcp.client, "kb_upload_chunk", {
    upload_id,
    data: bytes.toBase64(),
    chunk_index: 0,
  });
  assert.ok(isError);
  assert.match(text, /send it as several chunks/);
});

Deno.test("a chunk of the largest size passes over HTTP", async () => {
  await using temp = openTempKb();
  await using mcp = openHttp(temp.kb);
  const client = await connectHttp(mcp, "key");
  const bytes = new Uint8Array(LIMITS.uploadChunkBytes).fill(97);
  const upload_id = await start(client, bytes.length);
  const state = await callJson(client, "kb_upload_chunk", {
    upload_id,
    data: bytes.toBase64(),
    chunk_index: 0,
  });
  assert.equal(state.received_bytes, bytes.length);
  await client.close();
});

Deno.test("chunks sent at once are taken in order", async () => {
  await using temp = openTempKb();
  await using mcp = await connectKb(temp.kb);
  const { client } = mcp;
  const upload_id = await start(client, 8);
  const send = (chunk_index: number) =>
    callTool(client, "kb_upload_chunk", {
      upload_id,
      data: base64(`${chunk_index}${chunk_index}`),
      chunk_index,
    });
  const answers = await Promise.all([0, 1, 2, 3].map(send));
  assert.deepEqual(answers.filter(({ isError }) => isError), []);
  const { id } = await callJson(client, "kb_upload_finish", { upload_id });
  assert.equal(temp.kb.jobs.get(id).status, "queued");
  const [name = ""] = readdirSync(join(temp.dir, "files"));
  assert.equal(
    await readFile(join(temp.dir, "files", name), "utf8"),
    "00112233",
  );
});

Deno.test("kb_upload_finish refuses a file that is short and can be called again", async () => {
  await using temp = openTempKb();
  await using mcp = await connectKb(temp.kb);
  const { client } = mcp;
  const upload_id = await start(client, 4);
  const send = (data: string, chunk_index: number) =>
    callJson(client, "kb_upload_chunk", { upload_id, data, chunk_index });
  await send(base64("te"), 0);
  const short = await callTool(client, "kb_upload_finish", { upload_id });
  assert.ok(short.isError);
  assert.match(short.text, /2 of 4 bytes are here; send chunk 1 next/);
  await send(base64("xt"), 1);
  assert.equal(
    (await callJson(client, "kb_upload_finish", { upload_id })).status,
    "queued",
  );
});

Deno.test("an upload that is not finished in time is dropped with its bytes", async () => {
  await using temp = openTempKb();
  await using mcp = await connectKb(temp.kb, "2026-07-28", { uploadMs: 150 });
  const { client } = mcp;
  const upload_id = await start(client, 4);
  await callJson(client, "kb_upload_chunk", {
    upload_id,
    data: base64("te"),
    chunk_index: 0,
  });
  assert.equal(listStaged(temp.dir).length, 1);
  await until(() => listStaged(temp.dir).length === 0);
  const late = await callTool(client, "kb_upload_finish", { upload_id });
  assert.ok(late.isError);
  assert.match(late.text, /begin again with kb_upload_start/);
});

Deno.test("an upload is lost with its bytes when the server ends", async () => {
  await using temp = openTempKb();
  let upload_id: string;
  {
    await using mcp = await connectKb(temp.kb);
    upload_id = await start(mcp.client, 4);
    assert.equal(listStaged(temp.dir).length, 1);
  }
  assert.deepEqual(listStaged(temp.dir), []);
  await using mcp = await connectKb(temp.kb);
  const { isError } = await callTool(mcp.client, "kb_upload_finish", {
    upload_id,
  });
  assert.ok(isError);
});

Deno.test("Uploads removes what a process left that ended without closing, and nothing of others", async () => {
  await using temp = openTempKb();
  const dir = join(temp.dir, "uploads");
  mkdirSync(dir);
  const [old, recent] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const name of [`upload-${old}`, `upload-${recent}`, "mine.txt"]) {
    writeFileSync(join(dir, name), "bytes");
  }
  const hourAgo = new Date(Date.now() - 3_600_000);
  utimesSync(join(dir, `upload-${old}`), hourAgo, hourAgo);
  utimesSync(join(dir, "mine.txt"), hourAgo, hourAgo);
  await using uploads = new Uploads({ dir: () => dir });
  const request = { filename: "a", totalBytes: 1, tags: [] };
  const { id } = await uploads.start("key", request);
  assert.deepEqual(
    readdirSync(dir).sort(),
    ["mine.txt", `upload-${id}`, `upload-${recent}`].sort(),
  );
});

Deno.test("a key has a limit of uploads and of their bytes, another key its own", async () => {
  await using temp = openTempKb();
  await using mcp = openHttp(temp.kb);
  const client = await connectHttp(mcp, "one key");
  const ids: string[] = [];
  for (let n = 0; n < LIMITS.uploadsOpen; n++) ids.push(await start(client, 1));
  const args = { filename: "a.md", total_size: 1 };
  const full = await callTool(client, "kb_upload_start", args);
  assert.ok(full.isError);
  assert.match(full.text, /8 are open, which is the limit; finish one/);
  const other = await connectHttp(mcp, "another key");
  await start(other, LIMITS.uploadBytes);
  await start(other, LIMITS.uploadBytes);
  const large = await callTool(other, "kb_upload_start", args);
  assert.ok(large.isError);
  assert.match(large.text, /Cannot begin an upload of 1 bytes/);
  await callJson(client, "kb_upload_chunk", {
    upload_id: ids[0],
    data: base64("a"),
    chunk_index: 0,
  });
  await callJson(client, "kb_upload_finish", { upload_id: ids[0] });
  await start(client, 1);
  await client.close();
  await other.close();
});

Deno.test("a server that only reads has the kb tools that read", async () => {
  await using temp = openTempKb();
  await using mcp = openHttp(temp.kb, true);
  const client = await connectHttp(mcp, "key");
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map(({ name }) => name), [
    "kb_search",
    "kb_get",
    "kb_status",
    "kb_jobs",
  ]);
  const { text, isError } = await callTool(client, "kb_addnote", {
    text: "x",
  });
  assert.ok(isError);
  assert.match(text, /Unknown tool/);
  await client.close();
});

Deno.test("all tools are those of kbdb and then those of kb", async () => {
  await using temp = openTempKb();
  await using mcp = createMcpHttp(temp.kb, {
    version: "0.0.0",
    tools: "all",
    onDiagnostic: (text) => assert.fail(text),
  });
  const client = await connectHttp(mcp, "key");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.equal(names.length, 27);
  assert.equal(new Set(names).size, 27);
  assert.deepEqual([names[0], names[18]], ["search", "kb_search"]);
  assert.match(client.getInstructions() ?? "", /named kb_/);
  await client.close();
});
