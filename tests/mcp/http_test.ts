import assert from "node:assert/strict";
import {
  Client,
  type Notification,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { createMcpHttp } from "../../lib/mcp/http.ts";
import { REVISIONS, speaking } from "../helpers/mcp.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

const SKILL = {
  name: "summarize",
  description: "Summarize a document",
  body: "Summarize {{docid}}.",
};

for (const revision of REVISIONS) {
  Deno.test(`a client over HTTP hears the messages of a tool in ${revision}`, async () => {
    await using temp = openTempKb();
    const diagnostics: string[] = [];
    await using mcp = createMcpHttp(temp.kb, {
      version: "0.0.0",
      onDiagnostic: (text) => diagnostics.push(text),
    });
    const client = new Client({ name: "test", version: "0.0.0" }, {
      ...speaking(revision),
    });
    const heard: Notification[] = [];
    client.fallbackNotificationHandler = (notification) => {
      heard.push(notification);
      return Promise.resolve();
    };
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
        fetch: (url, init) => mcp.fetch(new Request(url, init)),
      }),
    );
    try {
      await client.callTool({
        name: "skill-learn",
        arguments: SKILL,
        // A 2025 client says so once, which a server without sessions cannot remember.
        ...(revision === "2026-07-28"
          ? { _meta: { "io.modelcontextprotocol/logLevel": "info" } }
          : {}),
      });
      assert.deepEqual(
        heard.map(({ method, params }) => [method, params?.["level"]]),
        [["notifications/message", "info"]],
        "what is worth knowing, and no debug message",
      );
      assert.deepEqual(diagnostics, []);
    } finally {
      await client.close();
    }
  });
}

for (const revision of REVISIONS) {
  Deno.test(`a server over HTTP offers to tell of changes only where it can in ${revision}`, async () => {
    await using temp = openTempKb();
    await using mcp = createMcpHttp(temp.kb, {
      version: "0.0.0",
      onDiagnostic: () => {},
    });
    const client = new Client({ name: "test", version: "0.0.0" }, {
      ...speaking(revision),
    });
    await client.connect(
      new StreamableHTTPClientTransport(new URL("http://127.0.0.1/mcp"), {
        fetch: (url, init) => mcp.fetch(new Request(url, init)),
      }),
    );
    try {
      const { tools, resources, prompts, logging, completions } =
        client.getServerCapabilities() ?? {};
      const can = revision === "2026-07-28";
      assert.deepEqual(
        { tools, resources, prompts, logging, completions },
        {
          tools: { listChanged: can },
          resources: { subscribe: can, listChanged: can },
          prompts: { listChanged: can },
          logging: {},
          completions: {},
        },
      );
      if (!can) {
        await assert.rejects(
          client.subscribeResource({ uri: "kbdb://document/a" }),
          /does not support|Method not found/,
        );
      }
    } finally {
      await client.close();
    }
  });
}

Deno.test("calls that have the same id at the same time get each its own answer", async () => {
  await using temp = openTempKb();
  await using mcp = createMcpHttp(temp.kb, {
    version: "0.0.0",
    tools: "kb",
    onDiagnostic: () => {},
  });
  const ids = Array.from(
    { length: 16 },
    (_, n) => Number(temp.kb.addNote(`note number ${n}`).documentId),
  );
  const answers = await Promise.all(ids.map(async (document_id) => {
    const response = await mcp.fetch(
      new Request("http://127.0.0.1/mcp", {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          "MCP-Protocol-Version": "2025-11-25",
        },
        body: JSON.stringify({
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "kb_get", arguments: { document_id } },
        }),
      }),
      { owner: `agent-${document_id % 2}` },
    );
    return await response.text();
  }));
  for (const [n, answer] of answers.entries()) {
    assert.match(answer, new RegExp(`note number ${n}\\b`));
    assert.equal(
      answer.match(/note number \d+/g)?.every((text) =>
        text === `note number ${n}`
      ),
      true,
    );
  }
});
