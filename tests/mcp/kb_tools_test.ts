import assert from "node:assert/strict";
import {
  presentChunk,
  presentDocument,
  presentJob,
  presentStatus,
} from "../../lib/http/present.ts";
import type { Kb } from "../../lib/kb/mod.ts";
import {
  callJson,
  callTool,
  connectMcp,
  type ConnectOptions,
  REVISIONS,
  type TestClient,
  until,
} from "../helpers/mcp.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { openTempKb, type TempKb } from "../helpers/temp_kb.ts";
import { toToolExtras } from "../../lib/mcp/tool_sets.ts";

const NAMES = [
  "kb_search",
  "kb_addnote",
  "kb_update_note",
  "kb_get",
  "kb_status",
  "kb_jobs",
  "kb_upload_start",
  "kb_upload_chunk",
  "kb_upload_finish",
];
const READING = ["kb_search", "kb_get", "kb_status", "kb_jobs"];

function connectKb(
  kb: Kb,
  revision: typeof REVISIONS[number] = "2026-07-28",
  options: ConnectOptions = {},
): Promise<TestClient> {
  return connectMcp(kb, revision, {
    extras: toToolExtras({ tools: "kb" }),
    ...options,
  });
}

/** Waits for a job; the first file of a process waits for a thread to start. */
function untilOver(kb: Kb, id: number): Promise<void> {
  return until(
    () => !["queued", "processing"].includes(kb.jobs.get(id).status),
    20_000,
  );
}

function collectionTags(kb: Kb): string[] {
  return kb.listTags().map(({ name }) => name)
    .filter((name) => name.startsWith("collection:"));
}

/** Three notes in two collections, with vectors. */
async function addNotes({ kb }: TempKb): Promise<void> {
  kb.addNote("The pension revaluation follows the index.", { tags: ["money"] });
  kb.addNote("The user prefers short email.", {
    tags: ["feedback", "email"],
    collection: "memory",
  });
  kb.addNote("The relay clicks when the pump starts.");
  await kb.embed();
}

for (const revision of REVISIONS) {
  Deno.test(`tools/list of kb has the nine tools of the specification in ${revision}`, async (t) => {
    await using temp = openTempKb();
    await using mcp = await connectKb(temp.kb, revision);
    const { tools } = await mcp.client.listTools();
    assert.deepEqual(tools.map(({ name }) => name), NAMES);
    assert.deepEqual(
      tools.filter(({ annotations }) => annotations?.readOnlyHint === true)
        .map(({ name }) => name),
      READING,
    );
    for (const tool of tools) {
      assert.equal(tool.inputSchema["additionalProperties"], false, tool.name);
      assert.equal(tool.annotations?.openWorldHint, false, tool.name);
    }
    const size = JSON.stringify(tools).length;
    assert.ok(size <= 16 * 1024, `tools/list is ${size} characters`);
    assert.match(mcp.client.getInstructions() ?? "", /kb_search/);
    if (revision === "2025-11-25") await t.assertSnapshot?.(tools);
  });

  Deno.test(`kb_search answers text, score, document and tags, the collection apart, in ${revision}`, async () => {
    await using temp = openTempKb();
    await addNotes(temp);
    await using mcp = await connectKb(temp.kb, revision);
    const answer = await callJson(mcp.client, "kb_search", {
      query: "user email",
      top: 5,
    });
    const [first] = answer.results;
    assert.equal(first.rank, 1);
    assert.equal(first.text, "The user prefers short email.");
    assert.equal(typeof first.score, "number");
    assert.equal(typeof first.chunk_id, "number");
    assert.equal(typeof first.document_id, "number");
    assert.equal(first.doc_type, "note");
    assert.equal(first.collection, "memory");
    assert.deepEqual(first.tags, ["email", "feedback"]);
    assert.deepEqual(answer.degraded, []);
  });

  Deno.test(`kb_addnote queues a note in documents, or in the collection given, in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb } = temp;
    await using mcp = await connectKb(kb, revision);
    const { client } = mcp;
    const first = await callJson(client, "kb_addnote", {
      text: "User prefers concise responses",
    });
    assert.equal(first.status, "queued");
    assert.equal(first.job_id, first.id);
    const second = await callJson(client, "kb_addnote", {
      text: "User prefers bullet points",
      title: "Style",
      collection: "memory",
      tags: ["feedback"],
    });
    kb.jobs.start();
    await untilOver(kb, second.job_id);
    const { jobs, total } = await callJson(client, "kb_jobs");
    assert.equal(total, 2);
    assert.deepEqual(
      jobs.map(({ status }: { status: string }) => status),
      ["done", "done"],
    );
    const [memory, documents] = await Promise.all(
      jobs.map(({ document_id }: { document_id: number }) =>
        callJson(client, "kb_get", { document_id })
      ),
    );
    assert.equal(documents.collection, "documents");
    assert.deepEqual(documents.tags, []);
    assert.equal(memory.collection, "memory");
    assert.equal(memory.title, "Style");
    assert.deepEqual(memory.tags, ["feedback"]);
    await until(() => kb.status().vectors.pendingChunks === 0);
  });

  Deno.test(`kb_update_note replaces the text and keeps id, tags and creation time in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb } = temp;
    await using mcp = await connectKb(kb, revision);
    const { documentId } = kb.addNote("The old preference.", {
      tags: ["feedback"],
      collection: "memory",
    });
    const before = kb.summary(String(documentId));
    const updated = await callJson(mcp.client, "kb_update_note", {
      document_id: documentId,
      text: "Updated preference: bullet points",
    });
    assert.equal(updated.id, documentId);
    assert.equal(updated.created_at, before.createdAt);
    assert.equal(typeof updated.updated_at, "string");
    assert.equal(updated.changed, true);
    assert.equal(updated.collection, "memory");
    assert.deepEqual(updated.tags, ["feedback"]);
    const { results } = await callJson(mcp.client, "kb_search", {
      query: "bullet",
      fts_only: true,
    });
    assert.equal(results[0].document_id, documentId);
    assert.deepEqual(mcp.diagnostics, []);
  });
}

Deno.test("kb_search says in its description how to expand a query and rerank", async () => {
  await using temp = openTempKb();
  await using mcp = await connectKb(temp.kb);
  const { tools } = await mcp.client.listTools();
  const { description = "" } = tools.find(({ name }) => name === "kb_search") ??
    assert.fail();
  assert.match(
    description,
    /For complex queries, consider expanding into 2-3 variant phrasings and calling this tool multiple times, then deduplicating results by chunk_id/,
  );
  assert.match(
    description,
    /For precision, rerank the returned results using your own judgement based on relevance to the original question/,
  );
});

for (
  const [filter, total] of [
    [{}, 3],
    [{ collection: "memory" }, 1],
    [{ collection: "workspace" }, 0],
    [{ tags: ["email"], collection: "memory" }, 1],
    [{ tags: ["money"], collection: "memory" }, 0],
    [{ tags: ["collection:memory"] }, 1],
    [{ tags: ["collection:documents"], collection: "memory" }, 0],
    [{ doc_type: "note" }, 3],
    [{ doc_type: "pdf" }, 0],
  ] as const
) {
  Deno.test(`kb_search keeps to ${JSON.stringify(filter)}`, async () => {
    await using temp = openTempKb();
    await addNotes(temp);
    await using mcp = await connectKb(temp.kb);
    const answer = await callJson(mcp.client, "kb_search", {
      query: "the",
      fts_only: true,
      ...filter,
    });
    assert.equal(answer.total, total);
    assert.equal(answer.results.length, total);
  });
}

Deno.test("kb_search searches by word or by meaning only", async () => {
  await using temp = openTempKb();
  await addNotes(temp);
  const calls = temp.embedder.texts.length;
  await using mcp = await connectKb(temp.kb);
  const words = await callJson(mcp.client, "kb_search", {
    query: "relay",
    fts_only: true,
  });
  assert.equal(words.results.length, 1);
  assert.equal(temp.embedder.texts.length, calls, "no vector was asked for");
  const meaning = await callJson(mcp.client, "kb_search", {
    query: "relay clicks",
    vec_only: true,
  });
  assert.match(meaning.results[0].text, /relay/);
});

Deno.test("kb_search shortens an answer that is too long and says how to go on", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  for (let n = 0; n < 60; n++) {
    kb.addNote(`Relay ${n}. ${"The pump hums along. ".repeat(40)}`);
  }
  await using mcp = await connectKb(kb);
  const seen = new Set<number>();
  for (let offset = 0; offset < 60;) {
    const { text } = await callTool(mcp.client, "kb_search", {
      query: "relay",
      fts_only: true,
      top: 60,
      offset,
    });
    assert.ok(text.length <= 20_000, `${text.length}`);
    const { results, notes } = JSON.parse(text);
    for (const { chunk_id } of results) seen.add(chunk_id);
    offset += results.length;
    if (offset < 60) {
      assert.ok(notes.at(-1).endsWith(`go on with offset ${offset}.`));
    }
  }
  assert.equal(seen.size, 60);
});

Deno.test("a text added again to another collection moves there, and one without collection stays", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.jobs.start();
  await using mcp = await connectKb(kb);
  async function add(args: Record<string, unknown>): Promise<number> {
    const { job_id } = await callJson(mcp.client, "kb_addnote", {
      text: "some note",
      ...args,
    });
    await untilOver(kb, job_id);
    return kb.jobs.get(job_id).documentId ?? assert.fail();
  }
  const id = await add({});
  assert.deepEqual(collectionTags(kb), ["collection:documents"]);
  assert.equal(await add({ collection: "memory", tags: ["a"] }), id);
  assert.equal(await add({ tags: ["b"] }), id);
  const summary = kb.summary(String(id));
  assert.equal(summary.collection, "memory");
  assert.deepEqual(summary.tags, ["a", "b"]);
  assert.deepEqual(
    kb.list({ collection: "documents" }).total,
    0,
    "in one collection only",
  );
});

Deno.test("kb_get answers a document with its chunks, cut where it is long", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const folder = temp.folder({
    "long.md": Array.from(
      { length: 60 },
      (_, n) => `# Part ${n}\n\n${`Sentence ${n} of the text. `.repeat(40)}`,
    ).join("\n\n"),
    "memory/feedback.md": "---\nauthor: someone\n---\n# Feedback\n\nShort.",
  });
  await kb.add(folder);
  await using mcp = await connectKb(kb);
  const { client } = mcp;
  const { documents } = kb.list({ sort: "path" });
  const [long, short] = documents.map(({ id }) => id);
  const texts: string[] = [];
  for (let chunk_offset = 0; chunk_offset !== undefined;) {
    const { text } = await callTool(client, "kb_get", {
      document_id: long,
      chunk_offset,
    });
    assert.ok(text.length <= 20_000, `${text.length}`);
    const got = JSON.parse(text);
    texts.push(...got.chunks.map((chunk: { text: string }) => chunk.text));
    chunk_offset = got.next_chunk_offset;
  }
  assert.deepEqual(
    texts,
    kb.chunks(String(long)).map(({ text }) => text),
  );
  const detail = await callJson(client, "kb_get", { document_id: short });
  assert.equal(detail.metadata.author, "someone");
  assert.equal(detail.collection, "documents");
  assert.equal(detail.has_file, true);
  const byPath = await callJson(client, "kb_get", {
    source_path: detail.source_path,
  });
  assert.equal(byPath.total, 1);
  assert.equal(byPath.documents[0].id, short);
  assert.equal(byPath.documents[0].collection, "documents");
});

Deno.test("kb_status answers version, model, device, counts and the queue", async () => {
  await using temp = openTempKb();
  await addNotes(temp);
  await using mcp = await connectKb(temp.kb);
  await callJson(mcp.client, "kb_addnote", { text: "waits" });
  const status = await callJson(mcp.client, "kb_status");
  assert.equal(status.version, "0.0.0");
  assert.equal(typeof status.model_name, "string");
  assert.equal(typeof status.embedding_dim, "number");
  assert.equal(status.device, "cpu");
  assert.deepEqual(status.documents, {
    total: 3,
    by_type: { note: 3 },
    by_collection: { documents: 2, memory: 1 },
  });
  assert.deepEqual(status.queue, { queued: 1, processing: 0 });
});

Deno.test("kb_jobs lists the newest first, of one status if asked for", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await using mcp = await connectKb(kb);
  const { client } = mcp;
  const ids: number[] = [];
  for (const text of ["one", "two", "three"]) {
    ids.push((await callJson(client, "kb_addnote", { text })).job_id);
  }
  kb.jobs.cancel(ids[1] ?? 0);
  const all = await callJson(client, "kb_jobs");
  assert.deepEqual(
    all.jobs.map(({ job_id }: { job_id: number }) => job_id),
    ids.toReversed(),
  );
  const cancelled = await callJson(client, "kb_jobs", { status: "cancelled" });
  assert.deepEqual(
    [cancelled.total, cancelled.jobs[0].job_id],
    [1, ids[1]],
  );
  const failed = await callJson(client, "kb_jobs", { status: "failed" });
  assert.deepEqual(failed, { jobs: [], total: 0 });
  const page = await callJson(client, "kb_jobs", { limit: 1, offset: 1 });
  assert.equal(page.jobs[0].job_id, ids[1]);
  assert.equal(page.next_offset, 2);
});

Deno.test("documents, chunks, jobs and status have the fields of the REST API", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await using mcp = await connectKb(kb);
  const { client } = mcp;
  const { documentId } = kb.addNote("A note.");
  const ref = String(documentId);
  const { job_id } = await callJson(client, "kb_addnote", { text: "waits" });
  const got = await callJson(client, "kb_get", { document_id: documentId });
  const [job] = (await callJson(client, "kb_jobs")).jobs;
  const status = await callJson(client, "kb_status");
  for (const name of Object.keys(presentDocument(kb.summary(ref)))) {
    assert.ok(name in got, name);
  }
  const [chunk] = kb.chunks(ref).map(presentChunk);
  assert.deepEqual(got.chunks[0], chunk);
  assert.deepEqual(job, presentJob(kb.jobs.get(job_id)));
  assert.deepEqual(
    Object.keys(status),
    Object.keys(presentStatus(kb.status(), { version: "", dims: 0 })),
  );
});

for (
  const [tool, args, rule] of [
    ["kb_search", {}, /"query" is missing/],
    [
      "kb_search",
      { query: "x", limit: 5 },
      /no parameter "limit".*Parameters: query, top/,
    ],
    ["kb_search", { query: "x", top: 0 }, /"top" must be at least 1/],
    [
      "kb_search",
      { query: "x", fts_only: true, vec_only: true },
      /"vec_only" and fts_only exclude each other, give one of them/,
    ],
    ["kb_addnote", { text: "" }, /"text" must have at least 1 character/],
    ["kb_addnote", { text: " \n" }, /it has no text/],
    [
      "kb_addnote",
      { text: "x", tags: ["collection:memory"] },
      /give the collection itself instead/,
    ],
    ["kb_addnote", { text: "x", collection: "a\nb" }, /on one line/],
    [
      "kb_update_note",
      { document_id: 999, text: "x" },
      /There is no document.*999/i,
    ],
    [
      "kb_update_note",
      { document_id: "1", text: "x" },
      /"document_id" must be a number, got "1"/,
    ],
    ["kb_get", {}, /Give either document_id or source_path/],
    [
      "kb_get",
      { document_id: 1, source_path: "a" },
      /Give either document_id or source_path/,
    ],
    ["kb_get", { document_id: 999 }, /no document.*999/i],
    ["kb_get", { source_path: "no/such.md" }, /no document of the path/],
    ["kb_status", { verbose: true }, /It takes no parameters/],
    ["kb_jobs", { status: "running" }, /must be one of "queued"/],
    ["kb_upload_start", { filename: "a.md" }, /"total_size" is missing/],
    [
      "kb_upload_start",
      { filename: "a.md", total_size: 0 },
      /"total_size" must be at least 1/,
    ],
    [
      "kb_upload_start",
      { filename: "a.md", total_size: 1e12 },
      /"total_size" must be at most/,
    ],
    [
      "kb_upload_start",
      { filename: "../", total_size: 5 },
      /its name must have 1 to/,
    ],
    [
      "kb_upload_start",
      { filename: "a.md", total_size: 5, tags: ["a\nb"] },
      /on one line/,
    ],
    [
      "kb_upload_chunk",
      { upload_id: "none", data: "YQ==", chunk_index: 0 },
      /There is no upload "none".*begin again with kb_upload_start/,
    ],
    ["kb_upload_finish", { upload_id: "none" }, /There is no upload "none"/],
    ["search", { query: "x" }, /Unknown tool: search\. .*Did you mean "kb_/],
  ] as const
) {
  Deno.test(`${tool} ${JSON.stringify(args).slice(0, 60)} is an error that names the fix`, async () => {
    await using temp = openTempKb();
    await using mcp = await connectKb(temp.kb);
    const { text, isError } = await callTool(mcp.client, tool, args);
    assert.ok(isError, text);
    assert.match(text, rule);
    assert.deepEqual(mcp.diagnostics, []);
  });
}

Deno.test("kb_update_note refuses what is no note", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  await kb.add(temp.folder({ "a.md": "# A\n\nText." }));
  await using mcp = await connectKb(kb);
  const { text, isError } = await callTool(mcp.client, "kb_update_note", {
    document_id: kb.list().documents[0]?.id,
    text: "x",
  });
  assert.ok(isError);
  assert.match(text, /only notes can be updated/);
});

Deno.test("kb tools take a document by its number only, not by a docid that looks like one", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  kb.addNote("The note.", { docid: "77" });
  await using mcp = await connectKb(kb);
  for (
    const [tool, args] of [["kb_get", {}], ["kb_update_note", {
      text: "x",
    }]] as const
  ) {
    const answer = await callTool(mcp.client, tool, {
      document_id: 77,
      ...args,
    });
    assert.ok(answer.isError, tool);
  }
});

Deno.test("kb_update_note leaves the note as it was if its vectors fail", async () => {
  await using temp = openTempKb({
    embedder: fakeEmbedder({ failOn: "poison" }),
  });
  const { kb } = temp;
  const { documentId } = kb.addNote("The old text.");
  await using mcp = await connectKb(kb);
  const { isError } = await callTool(mcp.client, "kb_update_note", {
    document_id: documentId,
    text: "poison",
  });
  assert.ok(isError);
  assert.equal(kb.get(String(documentId)).text, "The old text.");
  assert.equal(kb.summary(String(documentId)).updatedAt, null);
});

Deno.test("kb_search finds a section that stands alone, in no collection", async () => {
  await using temp = openTempKb();
  temp.kb.learn("The valve sticks.", { title: "Valve" });
  await using mcp = await connectKb(temp.kb);
  const { structured, isError, text } = await callTool(
    mcp.client,
    "kb_search",
    { query: "valve", fts_only: true },
  );
  assert.ok(!isError, text);
  assert.deepEqual(structured, JSON.parse(text));
  const [hit] = JSON.parse(text).results;
  assert.deepEqual(
    [hit.document_id, hit.collection, hit.tags],
    [null, null, []],
  );
});
