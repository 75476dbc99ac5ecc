import assert from "node:assert/strict";
import { startServer } from "../helpers/http.ts";

Deno.test("GET /jobs/{id}/events streams states until the job is over", async () => {
  await using server = await startServer({ runsJobs: false });
  await server.call("POST", "/api/v1/jobs", { json: { note: "one" } });
  const response = await fetch(`${server.url}/api/v1/jobs/1/events`);
  assert.match(response.headers.get("content-type") ?? "", /event-stream/);
  server.kb.jobs.start();
  const text = await response.text();
  const states = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) =>
    JSON.parse(data).status
  );
  assert.equal(states[0], "queued");
  assert.equal(states.at(-1), "done");
  const over = await fetch(`${server.url}/api/v1/jobs/1/events`);
  assert.match(await over.text(), /"status":"done"/);
});

/** Lets the clock of the process run ahead until the end of the scope. */
class FakeTime implements Disposable {
  readonly #now = performance.now.bind(performance);
  #aheadMs = 0;

  constructor() {
    performance.now = () => this.#now() + this.#aheadMs;
  }

  pass(ms: number): void {
    this.#aheadMs += ms;
  }

  [Symbol.dispose](): void {
    performance.now = this.#now;
  }
}

Deno.test("a stream of events says that it lives while nothing happens", async () => {
  using time = new FakeTime();
  await using server = await startServer({ runsJobs: false });
  await server.call("POST", "/api/v1/jobs", { json: { note: "one" } });
  const response = await fetch(`${server.url}/api/v1/jobs/1/events`);
  const reader = response.body?.pipeThrough(new TextDecoderStream())
    .getReader();
  assert.match((await reader?.read())?.value ?? "", /"status":"queued"/);
  time.pass(20_000);
  assert.match((await reader?.read())?.value ?? "", /^: /);
  await reader?.cancel();
});

Deno.test("a stream of events ends when the client leaves or the server stops", async () => {
  await using server = await startServer({ runsJobs: false });
  await server.call("POST", "/api/v1/jobs", { json: { note: "one" } });
  const path = `${server.url}/api/v1/jobs/1/events`;
  const left = await fetch(path);
  await left.body?.cancel();
  const staying = await fetch(path);
  server.app.drain();
  assert.match(await staying.text(), /"status":"queued"/);
  assert.deepEqual(server.errors, []);
});
