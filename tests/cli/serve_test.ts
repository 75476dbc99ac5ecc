import assert from "node:assert/strict";
import { join } from "node:path";
import { strToU8, zipSync } from "fflate";
import { openKb } from "../../lib/kb/mod.ts";
import { CliFolder } from "../helpers/run_cli.ts";
import { serveApart as serve, SERVED_KEY as KEY } from "../helpers/serve.ts";

const headers = {
  Authorization: `Bearer ${KEY}`,
  "Content-Type": "application/json",
};

function post(url: string, json: unknown): Promise<Response> {
  return fetch(url, { method: "POST", headers, body: JSON.stringify(json) });
}

Deno.test("kbdb serve answers, works on jobs, and ends with 0 at a signal", async () => {
  using folder = new CliFolder();
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    const dir = join(folder.root, signal);
    await using served = await serve(dir);
    const health = await fetch(`${served.url}/health`);
    assert.deepEqual(await health.json(), { status: "ok" });
    const refused = await fetch(`${served.url}/api/v1/status`);
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
    const queued = await post(`${served.url}/api/v1/jobs`, {
      note: "The relay clicks.",
    });
    const { id } = await queued.json();
    let status = "queued";
    while (status !== "done") {
      const job = await fetch(`${served.url}/api/v1/jobs/${id}`, { headers });
      ({ status } = await job.json());
    }
    const events = await fetch(`${served.url}/api/v1/jobs/${id}/events`, {
      headers,
    });
    await events.text();
    const { code, ms } = await served.stop(signal);
    assert.equal(code, 0, served.said());
    assert.ok(ms < 10_000, String(ms));
    assert.match(served.said(), /kbdb serve: stopped/);
    assert.ok(!served.said().includes(KEY));
    await using kb = openKb({ dir });
    assert.equal(kb.list().total, 1);
  }
});

Deno.test("kbdb serve answers searches while it reads files that are made to be too large", async () => {
  using folder = new CliFolder();
  await using served = await serve(join(folder.root, "base"));
  const bombs = {
    "deep.html": new TextEncoder().encode("<b>".repeat(2_000_000)),
    "wide.docx": zipSync({
      "[Content_Types].xml": strToU8("<Types/>"),
      "word/document.xml": strToU8(
        `<w:document xmlns:w="w"><w:body><w:p><w:t>${
          " ".repeat(100_000_000)
        }</w:t></w:p></w:body></w:document>`,
      ),
    }),
  };
  for (const [name, bytes] of Object.entries(bombs)) {
    const body = new FormData();
    body.append("file", new File([new Uint8Array(bytes)], name));
    const queued = await fetch(`${served.url}/api/v1/jobs`, {
      method: "POST",
      headers: { Authorization: headers.Authorization },
      body,
    });
    assert.equal(queued.status, 202);
    const { id } = await queued.json();
    let job = { status: "queued", state: "" };
    while (job.status === "queued" || job.status === "processing") {
      const [answer, health, found] = await Promise.all([
        fetch(`${served.url}/api/v1/jobs/${id}`, { headers }),
        fetch(`${served.url}/health`),
        post(`${served.url}/api/v1/search`, { query: "relay", fts_only: true }),
      ]);
      assert.deepEqual(await health.json(), { status: "ok" });
      assert.equal(found.status, 200);
      await found.body?.cancel();
      job = await answer.json();
    }
    assert.deepEqual([job.status, job.state], ["failed", "too_large"], name);
  }
});

Deno.test("kbdb serve finishes a request under way when it is told to stop", async () => {
  using folder = new CliFolder();
  const dir = join(folder.root, "base");
  await using served = await serve(dir, ["--no-log"]);
  let finish: () => void = () => {};
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller): void {
      controller.enqueue(encoder.encode('{"note":'));
      finish = () => {
        controller.enqueue(encoder.encode('"written while it stops"}'));
        controller.close();
      };
    },
  });
  const slow = fetch(`${served.url}/api/v1/jobs`, {
    method: "POST",
    headers,
    body,
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const stopped = served.stop("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, 300));
  finish();
  const answer = await slow;
  assert.equal(answer.status, 202);
  await answer.body?.cancel();
  const { code, ms } = await stopped;
  assert.equal(code, 0, served.said());
  assert.ok(ms < 5_000, String(ms));
  await using kb = openKb({ dir });
  assert.equal(kb.jobs.list().total, 1);
});

Deno.test("kbdb serve ends within 10 s though a client never ends its request", async () => {
  using folder = new CliFolder();
  await using served = await serve(join(folder.root, "base"));
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array([0x7b])),
  });
  const hanging = fetch(`${served.url}/api/v1/jobs`, {
    method: "POST",
    headers,
    body,
  }).then((answer) => answer.body?.cancel(), () => {});
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { code, ms } = await served.stop("SIGTERM");
  assert.equal(code, 0, served.said());
  assert.ok(ms < 10_000, String(ms));
  await hanging;
});

Deno.test("kbdb serve goes on with the jobs of a process that was killed", async () => {
  using folder = new CliFolder();
  const dir = join(folder.root, "base");
  {
    await using served = await serve(dir);
    for (let count = 0; count < 30; count++) {
      const answer = await post(`${served.url}/api/v1/jobs`, {
        note: `Note number ${count} of the queue.`,
      });
      assert.equal(answer.status, 202);
      await answer.body?.cancel();
    }
    await served.stop("SIGKILL");
  }
  await using served = await serve(dir);
  let done = 0;
  let processing = 0;
  while (done + processing < 30) {
    const answer = await fetch(`${served.url}/api/v1/status`, { headers });
    const { jobs } = await answer.json();
    done = jobs.done ?? 0;
    // One that was at work is taken up again when its lease is over.
    processing = jobs.processing ?? 0;
  }
  assert.ok(done >= 29 && processing <= 1);
});

Deno.test("kbdb serve gives back a job that takes long when it is told to stop", async () => {
  using folder = new CliFolder();
  const dir = join(folder.root, "base");
  await using served = await serve(dir);
  const body = new FormData();
  const text = "# Part\n\nSome words of a long text.\n\n".repeat(1_000_000);
  body.append("file", new File([text], "long.md"));
  const queued = await fetch(`${served.url}/api/v1/jobs`, {
    method: "POST",
    headers: { Authorization: headers.Authorization },
    body,
  });
  const { id } = await queued.json();
  for (let status = "queued"; status === "queued";) {
    const job = await fetch(`${served.url}/api/v1/jobs/${id}`, { headers });
    ({ status } = await job.json());
  }
  const { code, ms } = await served.stop("SIGINT");
  assert.equal(code, 0, served.said());
  assert.ok(ms < 10_000, String(ms));
  await using kb = openKb({ dir });
  const { status, attempts } = kb.jobs.get(id);
  assert.deepEqual([status, attempts], ["queued", 0]);
});

/** Calls a tool over HTTP and answers what it said. */
async function callMcp(
  url: string,
  name: string,
  args: Record<string, unknown>,
): Promise<string> {
  const answer = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      ...headers,
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2025-11-25",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
  return await answer.text();
}

Deno.test("an upload in parts is lost when kbdb serve is killed, and its agent begins again", async () => {
  using folder = new CliFolder();
  const dir = join(folder.root, "base");
  const begin = (url: string) =>
    callMcp(url, "kb_upload_start", { filename: "a.md", total_size: 4 });
  let part = { upload_id: "", data: btoa("te"), chunk_index: 0 };
  {
    await using served = await serve(dir);
    const id = /[0-9a-f-]{36}/.exec(await begin(served.url))?.[0] ?? "";
    part = { ...part, upload_id: id };
    const taken = await callMcp(served.url, "kb_upload_chunk", part);
    assert.match(taken, /"next_chunk_index":1/);
    await served.stop("SIGKILL");
  }
  await using served = await serve(dir);
  const lost = await callMcp(served.url, "kb_upload_chunk", {
    ...part,
    chunk_index: 1,
  });
  assert.match(lost, /"isError":true/);
  assert.match(lost, /There is no upload .*begin again with kb_upload_start/);
  assert.match(await begin(served.url), /[0-9a-f-]{36}/);
});

Deno.test("kbdb serve searches by word, by meaning and by both with nothing in its environment (model)", async () => {
  using folder = new CliFolder();
  await using served = await serve(
    join(folder.root, "base"),
    [],
    { HF_HUB_OFFLINE: "1" },
    ["PATH", "HOME", "TMPDIR", "DENO_DIR"],
  );
  const url = `${served.url}/api/v1`;
  await (await post(`${url}/jobs`, { note: "The spare key: boiler." })).text();
  for (let embedded = 0; embedded === 0;) {
    const status = await fetch(`${url}/status`, { headers });
    ({ chunks: { embedded } } = await status.json());
  }
  for (const how of [{}, { fts_only: true }, { vec_only: true }]) {
    const found = await post(`${url}/search`, { query: "spare key", ...how });
    const { results, degraded } = await found.json();
    assert.deepEqual([results.length, degraded], [1, []]);
  }
});

Deno.test("kbdb serve --read-only serves a base that is there and writes nothing", async () => {
  using folder = new CliFolder();
  const dir = join(folder.root, "base");
  const missing = await folder.run(["serve", "--read-only", "--db", dir]);
  assert.equal(missing.code, 4, missing.err);
  {
    await using kb = openKb({ dir });
    kb.addNote("The relay clicks.");
  }
  await using served = await serve(dir, ["--read-only"]);
  const refused = await post(`${served.url}/api/v1/jobs`, { note: "text" });
  assert.equal(refused.status, 403);
  await refused.body?.cancel();
  const found = await post(`${served.url}/api/v1/search`, {
    query: "relay",
    fts_only: true,
  });
  assert.equal((await found.json()).results.length, 1);
  const tools = await fetch(`${served.url}/mcp`, {
    method: "POST",
    headers: { ...headers, Accept: "application/json, text/event-stream" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  const text = await tools.text();
  assert.deepEqual(
    [...text.matchAll(/"name":"(kb_\w+)"/g)].map(([, name]) => name),
    [
      "kb_search",
      "kb_get",
      "kb_status",
      "kb_jobs",
    ],
  );
});

Deno.test("kbdb serve exits 2 for an address others reach without a key, and for settings that are none", async () => {
  using folder = new CliFolder();
  const rows: [string[], Record<string, string>, RegExp][] = [
    [["--host", "0.0.0.0"], {}, /without a key/],
    [["--host", "0.0.0.0"], { KB_MCP_API_KEY: "agents-key" }, /without a key/],
    [[], { KB_API_KEY: "short" }, /KB_API_KEY/],
    [[], { KB_SEARCH_THRESHOLD: "much" }, /KB_SEARCH_THRESHOLD/],
    [["--port", "70000"], {}, /65535/],
    [["--port", "x"], {}, /whole number/],
  ];
  for (const [args, env, pattern] of rows) {
    const { code, err } = await folder.run(["serve", "--port", "0", ...args], {
      env,
    });
    assert.equal(code, 2, err);
    assert.match(err, pattern);
    assert.ok(!err.includes("short"), err);
  }
});

Deno.test("kbdb serve exits 75 if another program has the port", async () => {
  using folder = new CliFolder();
  await using served = await serve(join(folder.root, "base"));
  const { code, err } = await folder.run([
    "serve",
    "--db",
    join(folder.root, "other"),
    "--port",
    new URL(served.url).port,
  ]);
  assert.equal(code, 75, err);
  assert.match(err, /--port/);
});

Deno.test("kbdb serve takes a key of kbdb key create, and refuses it once that is revoked", async () => {
  using folder = new CliFolder();
  const dir = join(folder.root, "base");
  await openKb({ dir }).close();
  const at = ["--db", dir, "key"];
  const made = await folder.run([...at, "create", "laptop"]);
  await using served = await serve(dir, [], { KB_API_KEY: "" });
  async function ask(key: string): Promise<number> {
    const { status, body } = await fetch(`${served.url}/api/v1/status`, {
      headers: { Authorization: `Bearer ${key}` },
    });
    await body?.cancel();
    return status;
  }
  assert.equal(await ask(made.out.trim()), 200);
  assert.equal(await ask("kbdb_another"), 401);
  const { out } = await folder.run([...at, "list"]);
  assert.match(out, /^laptop {2}read {2}made .* used just now/);
  await folder.run([...at, "revoke", "laptop"]);
  assert.equal(await ask(made.out.trim()), 401);
});
