import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readJson, readParts } from "../../lib/http/body.ts";
import { toErrorResponse } from "../../lib/http/errors.ts";
import { readJobForm } from "../../lib/http/multipart.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** A request whose body comes part by part, each after a while, and then stays open. */
function slow(parts: readonly string[], everyMs: number): Request {
  const encoder = new TextEncoder();
  const waiting = [...parts];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller): Promise<void> {
      const part = waiting.shift();
      if (part === undefined) return await new Promise(() => {});
      await new Promise((resolve) => setTimeout(resolve, everyMs));
      controller.enqueue(encoder.encode(part));
    },
  });
  return new Request("http://127.0.0.1/", { method: "POST", body });
}

async function readAll(
  request: Request,
  options: Parameters<typeof readParts>[1],
): Promise<number> {
  let parts = 0;
  for await (const _ of readParts(request, options)) parts++;
  return parts;
}

Deno.test("readParts() ends a body that pauses, or takes too long in all, with 408", async () => {
  const rows = [
    [slow(["a", "b"], 1), { idleMs: 50 }],
    [slow(Array.from({ length: 100 }, () => "a"), 10), { totalMs: 60 }],
  ] as const;
  for (const [request, options] of rows) {
    const error: unknown = await readAll(request, options).then(
      () => assert.fail("it ended"),
      (error) => error,
    );
    assert.equal(toErrorResponse(error).status, 408);
  }
});

Deno.test("readJobForm() answers 408 to a form that pauses, and keeps nothing of its file", async () => {
  await using temp = openTempKb();
  const begin =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\na';
  const request = new Request(slow([begin], 1), {
    headers: { "Content-Type": "multipart/form-data; boundary=x" },
  });
  const error: unknown = await readJobForm(temp.kb, request, 1000, {
    idleMs: 50,
  }).then(() => assert.fail("it ended"), (error) => error);
  assert.equal(toErrorResponse(error).status, 408);
  assert.deepEqual(readdirSync(join(temp.dir, "files")), []);
});

Deno.test("readParts() ends when the client leaves", async () => {
  const leaving = new AbortController();
  const request = new Request(slow([], 1), { signal: leaving.signal });
  const read = readAll(request, {});
  leaving.abort();
  await assert.rejects(read, { code: "cancelled" });
});

Deno.test("readParts() of no body has no parts", async () => {
  assert.equal(await readAll(new Request("http://127.0.0.1/"), {}), 0);
});

Deno.test("readJson() refuses a body by the size it says and by the size it has", async () => {
  const post = (body: BodyInit, headers: HeadersInit = {}) =>
    new Request("http://127.0.0.1/", { method: "POST", body, headers });
  assert.deepEqual(await readJson(post('{"a":[1]}'), 9), { a: [1] });
  const rows = [
    post('{"a":[1]}', { "Content-Length": "1000" }),
    post('{"a":[12]}'),
    post(new Blob(['{"a":', "[12]}"]).stream()),
  ];
  for (const request of rows) {
    const error: unknown = await readJson(request, 9).then(
      () => assert.fail("it was taken"),
      (error) => error,
    );
    assert.equal(toErrorResponse(error).status, 413);
  }
});
