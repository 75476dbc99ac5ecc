import assert from "node:assert/strict";
import { LIMITS } from "../../lib/core/mod.ts";
import { Client } from "@modelcontextprotocol/client";
import { callJson, callTool, REVISIONS, speaking } from "../helpers/mcp.ts";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { mcpCommand } from "../helpers/mcp_process.ts";
import { makeTempDir } from "../helpers/temp_store.ts";
import {
  base64,
  connectTo as connect,
  over,
  startKb as start,
} from "../helpers/mcp_http.ts";

for (const revision of REVISIONS) {
  Deno.test(`the nine kb_ tools are listed with guidance over HTTP in ${revision}`, async (t) => {
    await using server = await start({ runsJobs: false });
    await using client = await connect(server, revision);
    const { tools } = await client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), [
      "kb_search",
      "kb_addnote",
      "kb_update_note",
      "kb_get",
      "kb_status",
      "kb_jobs",
      "kb_upload_start",
      "kb_upload_chunk",
      "kb_upload_finish",
    ]);
    const guidance = tools[0]?.description ?? "";
    assert.match(
      guidance,
      /For complex queries, consider expanding into 2-3 variant phrasings and calling this tool multiple times, then deduplicating results by chunk_id/,
    );
    assert.match(
      guidance,
      /For precision, rerank the returned results using your own judgement based on relevance to the original question/,
    );
    assert.match(client.getInstructions() ?? "", /kb_search/);
    if (revision === "2025-11-25") await t.assertSnapshot?.(tools);
  });

  Deno.test(`notes are added to a collection, found, updated and got over HTTP in ${revision}`, async () => {
    await using server = await start();
    await using client = await connect(server, revision);
    const added = await callJson(client, "kb_addnote", {
      text: "The user prefers concise responses.",
      collection: "memory",
      tags: ["feedback"],
    });
    assert.equal(added.status, "queued");
    const job = await over(client, added.job_id);
    assert.equal(job.status, "done");
    const other = await callJson(client, "kb_addnote", {
      text: "The user manual of the pump.",
    });
    const otherJob = await over(client, other.job_id);

    const memory = await callJson(client, "kb_search", {
      query: "user",
      collection: "memory",
      fts_only: true,
    });
    assert.equal(memory.total, 1);
    const [hit] = memory.results;
    assert.deepEqual([hit.collection, hit.tags, hit.document_id], [
      "memory",
      ["feedback"],
      job.document_id,
    ]);
    assert.match(hit.text, /concise/);
    assert.equal(typeof hit.score, "number");
    const both = await callJson(client, "kb_search", {
      query: "user",
      tags: ["feedback"],
      collection: "documents",
      fts_only: true,
    });
    assert.equal(both.total, 0);
    const tagged = await callJson(client, "kb_search", {
      query: "user",
      tags: ["feedback"],
      collection: "memory",
      fts_only: true,
    });
    assert.deepEqual(
      tagged.results.map(({ chunk_id }: { chunk_id: number }) => chunk_id),
      [hit.chunk_id],
    );
    const all = await callJson(client, "kb_search", { query: "user", top: 1 });
    assert.equal(all.results.length, 1);

    const updated = await callJson(client, "kb_update_note", {
      document_id: job.document_id,
      text: "The user prefers bullet points.",
    });
    assert.equal(updated.changed, true);
    const got = await callJson(client, "kb_get", {
      document_id: job.document_id,
    });
    assert.deepEqual([got.collection, got.tags, got.updated_at], [
      "memory",
      ["feedback"],
      updated.updated_at,
    ]);
    assert.match(got.chunks[0].text, /bullet points/);
    const plain = await callJson(client, "kb_get", {
      document_id: otherJob.document_id,
    });
    assert.deepEqual([plain.collection, plain.tags], ["documents", []]);
    assert.deepEqual(
      server.kb.listTags().map(({ name }) => name).sort(),
      ["collection:documents", "collection:memory", "feedback"],
    );
  });

  Deno.test(`a file is uploaded in parts over HTTP in ${revision}`, async () => {
    await using server = await start();
    await using client = await connect(server, revision);
    const text = "# Report\n\nThe insurance covers the pump.";
    const { upload_id } = await callJson(client, "kb_upload_start", {
      filename: "reports/report.md",
      total_size: text.length,
      tags: ["insurance"],
      collection: "workspace",
    });
    assert.match(upload_id, /^[0-9a-f-]{36}$/);
    for (const [index, part] of [text.slice(0, 10), text.slice(10)].entries()) {
      const { next_chunk_index } = await callJson(client, "kb_upload_chunk", {
        upload_id,
        data: base64(part),
        chunk_index: index,
      });
      assert.equal(next_chunk_index, index + 1);
    }
    const { job_id } = await callJson(client, "kb_upload_finish", {
      upload_id,
    });
    const job = await over(client, job_id);
    assert.equal(job.status, "done", job.error);
    const { documents } = await callJson(client, "kb_get", {
      source_path: "reports/report.md",
    });
    assert.deepEqual(
      [documents[0].id, documents[0].collection, documents[0].tags],
      [job.document_id, "workspace", ["insurance"]],
    );
    const original = await server.call(
      "GET",
      `/api/v1/documents/${job.document_id}/file`,
    );
    assert.equal(original.text, text);
    const again = await callTool(client, "kb_upload_finish", { upload_id });
    assert.ok(again.isError);
    assert.match(again.text, /no upload/);
  });
}

Deno.test("kb_status and kb_jobs say what is there, jobs by status", async () => {
  await using server = await start({ runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  server.kb.addNote("text", { collection: "memory" });
  await callJson(client, "kb_addnote", { text: "one" });
  const { job_id } = await callJson(client, "kb_addnote", { text: "two" });
  server.kb.jobs.cancel(job_id);
  const status = await callJson(client, "kb_status");
  assert.equal(status.version, "0.0.0");
  assert.deepEqual(status.documents.by_collection, { memory: 1 });
  assert.deepEqual(status.queue, { queued: 1, processing: 0 });
  const jobs = await callJson(client, "kb_jobs");
  assert.deepEqual([jobs.total, jobs.next_offset], [2, undefined]);
  const cancelled = await callJson(client, "kb_jobs", { status: "cancelled" });
  assert.deepEqual(
    cancelled.jobs.map((job: { job_id: number }) => job.job_id),
    [
      job_id,
    ],
  );
  assert.equal(
    (await callJson(client, "kb_jobs", { status: "failed" })).total,
    0,
  );
});

Deno.test("kb_jobs pages through jobs, newest first, and says where the next page begins", async () => {
  await using server = await start({ runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  const ids: number[] = [];
  for (const text of ["one", "two", "three", "four", "five"]) {
    ids.unshift((await callJson(client, "kb_addnote", { text })).job_id);
  }
  const seen: number[] = [];
  const starts: (number | undefined)[] = [0];
  for (;;) {
    const offset = starts.at(-1);
    if (offset === undefined) break;
    const page = await callJson(client, "kb_jobs", { limit: 2, offset });
    assert.equal(page.total, 5);
    for (const { job_id } of page.jobs) seen.push(job_id);
    starts.push(page.next_offset);
  }
  assert.deepEqual(seen, ids);
  assert.deepEqual(starts, [0, 2, 4, undefined]);
  assert.deepEqual(await callJson(client, "kb_jobs", { offset: 9 }), {
    jobs: [],
    total: 5,
  });
});

Deno.test("kb_jobs whose entries are too long for one answer says where to go on", async () => {
  await using server = await start({ runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  const ids = Array.from(
    { length: 60 },
    (_, index) =>
      server.kb.jobs.submitNote(`note ${index}`, {
        title: `${index} ${"long ".repeat(90)}`,
      }).id as number,
  ).reverse();
  const seen: number[] = [];
  let offset: number | undefined = 0;
  let answers = 0;
  while (offset !== undefined) {
    const { text } = await callTool(client, "kb_jobs", { limit: 100, offset });
    assert.ok(text.length <= LIMITS.answerChars, String(text.length));
    const page = JSON.parse(text);
    for (const { job_id } of page.jobs) seen.push(job_id);
    offset = page.next_offset;
    answers++;
  }
  assert.deepEqual(seen, ids);
  assert.ok(answers > 1);
});

Deno.test("the kb_ tools say what is wrong with a call", async () => {
  await using server = await start();
  await using client = await connect(server, "2026-07-28");
  const { document_id: file } = await server.ingest({
    file: new File(["text of a file"], "a.md"),
  });
  const { upload_id } = await callJson(client, "kb_upload_start", {
    filename: "a.md",
    total_size: 5,
  });
  const rows: [string, Record<string, unknown>, RegExp][] = [
    ["kb_update_note", { document_id: 999, text: "a" }, /999/],
    ["kb_update_note", { document_id: file, text: "a" }, /only notes/],
    ["kb_get", { document_id: 999 }, /999/],
    ["kb_get", { source_path: "none.md" }, /none\.md/],
    ["kb_get", {}, /either document_id or source_path/],
    ["kb_addnote", { text: "  " }, /no text/],
    ["kb_addnote", { text: "a", colection: "memory" }, /collection/],
    ["kb_search", { query: "a", fts_only: true, vec_only: true }, /exclude/],
    ["kb_upload_start", { filename: "a", total_size: 1e12 }, /limit/],
    ["kb_upload_start", { filename: "../", total_size: 5 }, /its name must/],
    [
      "kb_upload_start",
      { filename: "a.md", total_size: 5, tags: ["a\nb"] },
      /on one line/,
    ],
    [
      "kb_addnote",
      { text: "a", tags: ["collection:memory"] },
      /give the collection itself instead/,
    ],
    ["kb_get", { document_id: 999 }, /no document 999: kb_search/],
    [
      "kb_upload_chunk",
      { upload_id: "x", data: "YQ==", chunk_index: 0 },
      /no upload/,
    ],
    ["kb_upload_finish", { upload_id: "x" }, /no upload/],
    [
      "kb_upload_chunk",
      { upload_id, data: "YQ==", chunk_index: 1 },
      /chunk 0 has to come next/,
    ],
    [
      "kb_upload_chunk",
      { upload_id, data: "no base64!", chunk_index: 0 },
      /base64/,
    ],
    [
      "kb_upload_chunk",
      { upload_id, data: base64("too long"), chunk_index: 0 },
      /total_size said 5/,
    ],
    ["kb_upload_finish", { upload_id }, /0 of 5 bytes/],
  ];
  for (const [name, args, pattern] of rows) {
    const { isError, text } = await callTool(client, name, args);
    const label = `${name} ${JSON.stringify(args)}`;
    assert.ok(isError, label);
    assert.match(text, pattern, label);
  }
  await callJson(client, "kb_upload_chunk", {
    upload_id,
    data: base64("12345"),
    chunk_index: 0,
  });
  await callJson(client, "kb_upload_finish", { upload_id });
  assert.deepEqual(server.errors, []);
});

Deno.test("a long document comes in parts that fit an answer", async () => {
  await using server = await start();
  await using client = await connect(server, "2026-07-28");
  const text = Array.from(
    { length: 60 },
    (_, index) => `# Part ${index}\n\n${`word${index} `.repeat(150)}`,
  ).join("\n\n");
  const { document_id } = await server.ingest({
    file: new File([text], "long.md"),
  });
  const seen: number[] = [];
  let chunk_offset: number | undefined = 0;
  while (chunk_offset !== undefined) {
    const { text } = await callTool(client, "kb_get", {
      document_id,
      chunk_offset,
    });
    assert.ok(text.length <= 20_000, String(text.length));
    const answer = JSON.parse(text);
    for (const { chunk_index } of answer.chunks) seen.push(chunk_index);
    chunk_offset = answer.next_chunk_offset;
  }
  assert.deepEqual(seen, [...seen.keys()]);
  assert.equal(seen.length, server.kb.info(String(document_id)).chunkCount);
});

Deno.test("kbdb mcp --tools kb serves the same on standard input and output, and works on jobs", async () => {
  using temp = makeTempDir();
  const { command, args, env } = mcpCommand(temp.path);
  const client = new Client({ name: "test", version: "0.0.0" }, {
    ...speaking("2025-11-25"),
  });
  await client.connect(
    new StdioClientTransport({
      command,
      args: [...args, "--tools", "kb"],
      env,
    }),
  );
  try {
    const { tools } = await client.listTools();
    assert.equal(tools.length, 9);
    const { job_id } = await callJson(client, "kb_addnote", {
      text: "The relay clicks.",
      collection: "memory",
    });
    assert.equal((await over(client, job_id)).status, "done");
    const { results } = await callJson(client, "kb_search", {
      query: "relay",
      collection: "memory",
      fts_only: true,
    });
    assert.equal(results.length, 1);
  } finally {
    await client.close();
  }
});

Deno.test("--tools all has the tools of both sets, each name once", async () => {
  await using server = await start({ tools: "all", runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  const names = (await client.listTools()).tools.map(({ name }) => name);
  assert.equal(names.length, 27);
  assert.equal(new Set(names).size, 27);
  assert.match(client.getInstructions() ?? "", /recall/);
});

Deno.test("a note or file that is queued again moves to the collection given, and stays without one", async () => {
  await using server = await start();
  await using client = await connect(server, "2026-07-28");
  async function addNote(args: Record<string, unknown>): Promise<number> {
    const { job_id } = await callJson(client, "kb_addnote", {
      text: "some note",
      ...args,
    });
    return (await over(client, job_id)).document_id;
  }
  async function addFile(args: Record<string, unknown>): Promise<number> {
    const { upload_id } = await callJson(client, "kb_upload_start", {
      filename: "a.md",
      total_size: 4,
      ...args,
    });
    const chunk = { upload_id, data: base64("text"), chunk_index: 0 };
    await callJson(client, "kb_upload_chunk", chunk);
    const { job_id } = await callJson(client, "kb_upload_finish", {
      upload_id,
    });
    return (await over(client, job_id)).document_id;
  }
  for (const add of [addNote, addFile]) {
    const id = await add({});
    const collection = () => server.kb.summary(String(id)).collection;
    assert.equal(collection(), "documents");
    assert.equal(await add({ collection: "memory", tags: ["a"] }), id);
    assert.equal(collection(), "memory");
    assert.equal(await add({ tags: ["b"] }), id);
    assert.equal(collection(), "memory");
    assert.deepEqual(server.kb.summary(String(id)).tags, ["a", "b"]);
  }
  assert.equal(server.kb.list({ collection: "documents" }).total, 0);
});

Deno.test("kb_search takes the server's threshold unless it names one", async () => {
  await using server = await start({ threshold: 1, runsJobs: false });
  await using client = await connect(server, "2026-07-28");
  server.kb.addNote("one relay");
  server.kb.addNote("two relay relay pump");
  async function count(args: Record<string, unknown>): Promise<number> {
    const query = { query: "relay", fts_only: true };
    const answer = await callJson(client, "kb_search", { ...query, ...args });
    return answer.results.length;
  }
  assert.equal(await count({ threshold: 0 }), 2);
  assert.ok(await count({}) < 2);
});
