import assert from "node:assert/strict";
import { join } from "node:path";
import { openStore } from "../../lib/store/mod.ts";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { startServer, type TestServer } from "../helpers/http.ts";

const NOTE = "/api/v1/notes/1";
/** Text that needs pages of its own. */
const LONG = "The valve was moved to the cellar. ".repeat(20_000);

/** A server with one note that has a vector. */
async function openNote(
  base: Parameters<typeof startServer>[0] = {},
): Promise<TestServer> {
  const server = await startServer(base);
  server.kb.addNote("The key hangs behind the boiler.", { tags: ["home"] });
  await server.kb.embed();
  return server;
}

/** All that can be seen of the note. */
async function look(server: TestServer): Promise<unknown> {
  const { call } = server;
  const find = async (options: Record<string, unknown>) =>
    (await call("POST", "/api/v1/search", {
      json: { query: "boiler", ...options },
    })).json.results.length;
  return {
    document: (await call("GET", "/api/v1/documents/1")).json,
    history: (await call("GET", `${NOTE}/history`)).json,
    byWord: await find({ fts_only: true }),
    byMeaning: await find({ vec_only: true }),
    sound: (await server.kb.check()).ok,
  };
}

Deno.test("PATCH /notes/{id} keeps the old state when the disk is full, says so, and works once there is room", async () => {
  await using server = await openNote();
  const before = await look(server);
  server.temp.setDiskFull(true);
  const { status, headers, json } = await server.call("PATCH", NOTE, {
    json: { text: LONG },
  });
  assert.equal(status, 503);
  assert.ok(headers.has("retry-after"));
  assert.equal(json.error.code, "busy");
  assert.match(json.error.message, /disk is full.*free some space/);
  assert.deepEqual(await look(server), before);
  server.temp.setDiskFull(false);
  const again = await server.call("PATCH", NOTE, { json: { text: LONG } });
  assert.equal(again.status, 200);
});

Deno.test("PATCH /notes/{id} keeps the old state when another process holds the base too long", async () => {
  await using server = await openNote({ base: { busyTimeoutMs: 50 } });
  const before = await look(server);
  {
    using other = openStore(join(server.temp.dir, "kb.db"));
    other.run("BEGIN IMMEDIATE");
    const { status, headers, json } = await server.call("PATCH", NOTE, {
      json: { text: "elsewhere" },
    });
    assert.equal(status, 503);
    assert.ok(headers.has("retry-after"));
    assert.match(json.error.message, /another process is writing: try again/);
    other.run("ROLLBACK");
  }
  assert.deepEqual(await look(server), before);
});

Deno.test("PATCH /notes/{id} keeps the old state when the new text cannot be embedded", async () => {
  await using server = await openNote({
    base: { embedder: fakeEmbedder({ failOn: "poison" }) },
  });
  const before = await look(server);
  const { status, json } = await server.call("PATCH", NOTE, {
    json: { text: "poison" },
  });
  assert.equal(status, 500);
  assert.match(json.error.message, /as it was/);
  assert.deepEqual(await look(server), before);
});

Deno.test("POST /jobs keeps a job queued while the disk is full, tells of it, and works it off once there is room", async () => {
  await using server = await openNote({ runsJobs: false });
  const { json: job } = await server.call("POST", "/api/v1/jobs", {
    json: { note: LONG },
  });
  const read = async () =>
    (await server.call("GET", `/api/v1/jobs/${job.id}`)).json;
  const told: unknown[] = [];
  server.temp.setDiskFull(true);
  server.kb.jobs.start((error) => told.push(error));
  await until(() => told.length > 0);
  assert.match(String(told[0]), /disk is full.*free some space/);
  assert.equal((await read()).status, "queued");
  server.temp.setDiskFull(false);
  await until(async () => (await read()).status === "done");
});

/** Waits for something, but not for ever. */
async function until(what: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await what()); tries++) {
    assert.ok(tries < 500, "It did not come to pass");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
