import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { spool } from "../../lib/client/spool.ts";

async function* parts(...texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield await Promise.resolve(Buffer.from(text));
}

Deno.test("spool() sends the file when all of it has come", async () => {
  let all = "";
  const answer = await spool(parts("ab", "cd"), {
    maxBytes: 4,
    async send(file) {
      for await (const bytes of file) all += new TextDecoder().decode(bytes);
      return 7;
    },
  });
  assert.equal(answer, 7);
  assert.equal(all, "abcd");
});

Deno.test("spool() sends nothing of a file that is too large, and says the limit", async () => {
  let isSent = false;
  await assert.rejects(
    spool(parts("ab", "cd", "e"), {
      maxBytes: 4,
      send: () => Promise.resolve(isSent = true),
    }),
    { code: "invalid_input", details: { maxBytes: 4, reason: "too_large" } },
  );
  assert.equal(isSent, false);
});

Deno.test("spool() throws why a file was not sent, read or not", async () => {
  for (const isRead of [false, true]) {
    await assert.rejects(
      spool(parts("ab"), {
        maxBytes: 4,
        async send(file) {
          if (isRead) { for await (const _ of file) break; }
          throw new Error("away");
        },
      }),
      /away/,
    );
  }
  // An error of its stream would come after the call.
  await new Promise((resolve) => setTimeout(resolve, 10));
});
