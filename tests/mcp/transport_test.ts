import assert from "node:assert/strict";
import type { JSONRPCMessage } from "@modelcontextprotocol/server";
import fc from "fast-check";
import { LineTransport } from "../../lib/mcp/transport.ts";
import { oddText } from "../helpers/schema_values.ts";

/** What a transport that reads some bytes hands on, and what it writes itself. */
async function receive(
  parts: readonly Uint8Array[],
): Promise<{ messages: JSONRPCMessage[]; written: string[] }> {
  const written: string[] = [];
  const messages: JSONRPCMessage[] = [];
  const transport = new LineTransport(
    {
      async *[Symbol.asyncIterator]() {
        for (const part of parts) yield await Promise.resolve(part);
      },
    },
    { write: (text) => written.push(text) },
  );
  transport.onmessage = (message) => messages.push(message);
  await transport.start();
  await transport.closed;
  return { messages, written };
}

/** Cuts bytes at some places. */
function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [...places.map((place) => place % (bytes.length + 1))]
    .sort((a, b) => a - b);
  return [0, ...sorted].map((from, index) =>
    bytes.subarray(from, sorted[index])
  );
}

Deno.test("LineTransport reads messages however their bytes are cut", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(oddText(["ferry"]), { maxLength: 5 }),
      fc.array(fc.nat(), { maxLength: 20 }),
      fc.constantFrom("\n", "\r\n", "\n\n", "\n \n"),
      fc.boolean(),
      async (texts, places, ending, isEnded) => {
        const sent = texts.map((text) => ({
          jsonrpc: "2.0",
          method: "notifications/test",
          params: { text },
        }));
        const lines = sent.map((message) => JSON.stringify(message));
        const text = lines.join(ending) + (isEnded ? ending : "");
        const bytes = new TextEncoder().encode(text);
        const { messages, written } = await receive(cut(bytes, places));
        assert.deepEqual(messages, sent);
        assert.deepEqual(written, []);
      },
    ),
    { seed: 20_260_728, numRuns: 200 },
  );
});

Deno.test("LineTransport answers any line that is no message and reads on", async () => {
  const ping = '{"jsonrpc":"2.0","method":"notifications/test"}\n';
  const bytes = fc.uint8Array({ maxLength: 40 });
  const json = fc.json().map((text) => new TextEncoder().encode(text));
  await fc.assert(
    fc.asyncProperty(fc.oneof(bytes, json), async (line) => {
      const rest = new TextEncoder().encode("\n" + ping);
      const { messages, written } = await receive([line, rest]);
      assert.equal(messages.length, 1);
      for (const text of written) {
        const { jsonrpc, error } = JSON.parse(text);
        assert.equal(jsonrpc, "2.0");
        assert.ok([-32700, -32600].includes(error.code), text);
      }
      const isBlank = new TextDecoder().decode(line).trim() === "";
      assert.equal(written.length > 0, !isBlank);
    }),
    { seed: 20_260_728, numRuns: 300 },
  );
});
