import assert from "node:assert/strict";
import { KbError, LIMITS } from "../../lib/core/mod.ts";
import { Buffer } from "node:buffer";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { Uploads } from "../../lib/mcp/uploads.ts";
import { callJson, callTool, until } from "../helpers/mcp.ts";
import { openTempKb } from "../helpers/temp_kb.ts";
import { connectTo as connect, startKb as start } from "../helpers/mcp_http.ts";

Deno.test("an upload that is not known is refused with why and what to do", async () => {
  await using server = await start({ runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  const part = { upload_id: "x", data: "YQ==", chunk_index: 0 };
  for (
    const [name, args] of [
      ["kb_upload_chunk", part],
      ["kb_upload_finish", { upload_id: "x" }],
    ] as const
  ) {
    const { text } = await callTool(client, name, args);
    assert.match(text, /10 minutes.*server stopped.*kb_upload_start/);
  }
  const { tools } = await client.listTools();
  const begin = tools.find(({ name }) => name === "kb_upload_start");
  assert.match(begin?.description ?? "", /10 minutes/);
});

Deno.test("an upload belongs to the key that began it, and a key that may only read has none", async () => {
  await using server = await start({
    mcpKeys: "first-agent,second-agent,third-agent:read",
    runsJobs: false,
  });
  await using first = await connect(server, "2026-07-28", "first-agent");
  await using second = await connect(server, "2026-07-28", "second-agent");
  await using third = await connect(server, "2026-07-28", "third-agent");
  const { upload_id } = await callJson(first, "kb_upload_start", {
    filename: "a.md",
    total_size: 1,
  });
  const part = { upload_id, data: "YQ==", chunk_index: 0 };
  const stolen = await callTool(second, "kb_upload_chunk", part);
  assert.match(stolen.text, /no upload/);
  await callJson(first, "kb_upload_chunk", part);
  const { tools } = await third.listTools();
  assert.deepEqual(tools.map(({ name }) => name), [
    "kb_search",
    "kb_get",
    "kb_status",
    "kb_jobs",
  ]);
  const refused = await callTool(third, "kb_addnote", { text: "a" });
  assert.ok(refused.isError);
});

Deno.test("Uploads gives up what is not finished in time or is left at the end, and keeps nothing of it", async () => {
  await using temp = openTempKb();
  const dir = join(temp.dir, "files");
  const files = () => existsSync(dir) ? readdirSync(dir) : [];
  {
    await using uploads = new Uploads(temp.kb.jobs, { expireMs: 300 });
    const id = await uploads.start("a", "a.md", 1_000_000, {});
    await uploads.add("a", id, 0, new Uint8Array(5));
    await until(() => files().length === 1);
    // Parts that go on coming do not put off the end.
    await assert.rejects(async () => {
      for (let index = 1;; index++) {
        await uploads.add("a", id, index, new Uint8Array(5));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }, { code: "not_found", message: /within 10 minutes/ });
    await until(() => files().length === 0);
  }
  {
    await using uploads = new Uploads(temp.kb.jobs);
    const id = await uploads.start("a", "a.md", 10, {});
    await uploads.add("a", id, 0, new Uint8Array(5));
    await until(() => files().length === 1);
  }
  assert.deepEqual(files(), []);
});

Deno.test("kb_upload_start keeps to the largest upload of the server", async () => {
  await using server = await start({ runsJobs: false, maxUploadBytes: 1000 });
  await using client = await connect(server, "2026-07-28");
  const ask = (total_size: number) =>
    callTool(client, "kb_upload_start", { filename: "a.md", total_size });
  assert.match((await ask(1000)).text, /upload_id/);
  const { isError, text } = await ask(1001);
  assert.ok(isError);
  assert.match(text, /the limit is 1000/);
});

Deno.test("Uploads says why a part cannot be kept", async () => {
  const reason = new KbError("busy", "the disk is full");
  for (const failsAt of ["the first part", "the end"]) {
    await using uploads = new Uploads({
      checkFile: () => {},
      release: () => {},
      submitReceived: () => assert.fail("it was not kept"),
      async receive(source) {
        for await (const _ of source) {
          if (failsAt === "the first part") throw reason;
        }
        throw reason;
      },
    });
    const id = await uploads.start("a", "a.md", 2, {});
    await assert.rejects(
      async () => {
        for (const index of [0, 1]) {
          await uploads.add("a", id, index, new Uint8Array(1));
          await new Promise((resolve) => setTimeout(resolve, 10));
        }
        await uploads.finish("a", id);
      },
      reason,
      failsAt,
    );
  }
});

Deno.test("Uploads lets one owner have so many under way, and refuses what is too large before it comes", async () => {
  await using temp = openTempKb();
  await using uploads = new Uploads(temp.kb.jobs);
  for (let count = 0; count < 8; count++) {
    await uploads.start("a", "a.md", 10, {});
  }
  await assert.rejects(uploads.start("a", "a.md", 10, {}), {
    code: "conflict",
  });
  await uploads.start("b", "a.md", LIMITS.fileBytes, {});
  await assert.rejects(uploads.start("b", "a.md", LIMITS.fileBytes + 1, {}), {
    code: "invalid_input",
    message: /the limit is 67108864/,
  });
});

Deno.test("kb_upload_start says of a full quota what to do, not that the base is busy", async () => {
  await using server = await start({ runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  const args = { filename: "a.md", total_size: 5 };
  for (let count = 0; count < 8; count++) {
    await callJson(client, "kb_upload_start", args);
  }
  const { isError, text } = await callTool(client, "kb_upload_start", args);
  assert.ok(isError);
  assert.match(text, /8 are under way; finish one first$/);
});

Deno.test("a chunk of the largest size passes over HTTP", async () => {
  await using server = await start({ runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  const { upload_id, chunk_size_max } = await callJson(
    client,
    "kb_upload_start",
    { filename: "a.md", total_size: 2 * 1024 * 1024 },
  );
  const data = Buffer.alloc(chunk_size_max, "a").toString("base64");
  const large = { upload_id, data, chunk_index: 0 };
  const state = await callJson(client, "kb_upload_chunk", large);
  assert.equal(state.received_bytes, 2 * 1024 * 1024);
  await callJson(client, "kb_upload_finish", { upload_id });
  assert.deepEqual(server.errors, []);
});
