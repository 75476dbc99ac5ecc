import assert from "node:assert/strict";
import process from "node:process";
import { setImmediate } from "node:timers/promises";
import { readParts } from "../../lib/cli/io.ts";

Deno.test("readParts() keeps no part that was read", async () => {
  const partBytes = 64 * 1024;
  const parts = 4_000;
  async function* input(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < parts; count++) {
      await setImmediate();
      yield new Uint8Array(partBytes);
    }
  }
  const { signal } = new AbortController();
  let bytes = 0;
  let mostHeld = 0;
  const { external } = process.memoryUsage();
  for await (const part of readParts({ input: input(), signal })) {
    bytes += part.length;
    mostHeld = Math.max(mostHeld, process.memoryUsage().external - external);
  }
  assert.equal(bytes, parts * partBytes);
  assert.ok(mostHeld < bytes / 2, `${mostHeld} of ${bytes} bytes were held`);
});

Deno.test("readParts() ends a read that waits when the command is stopped", async () => {
  const stopping = new AbortController();
  async function* input(): AsyncGenerator<string> {
    yield "one";
    stopping.abort();
    await new Promise(() => {});
  }
  const { signal } = stopping;
  const read: unknown[] = [];
  await assert.rejects(async () => {
    for await (const part of readParts({ input: input(), signal })) {
      read.push(part);
    }
  }, { code: "cancelled" });
  assert.deepEqual(read, ["one"]);
});
