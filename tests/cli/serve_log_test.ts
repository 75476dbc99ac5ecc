import assert from "node:assert/strict";
import { CliFolder } from "../helpers/run_cli.ts";
import { serveHere } from "../helpers/serve.ts";

/** Asks for a word by REST, by MCP and by the command. */
async function searchAll(folder: CliFolder, url: string): Promise<void> {
  const post = async (path: string, json: unknown) => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2025-11-25",
      },
      body: JSON.stringify(json),
    });
    assert.equal(answer.status, 200);
    await answer.text();
  };
  await post("/api/v1/search", { query: "by rest", fts_only: true });
  await post("/mcp", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: {
      name: "kb_search",
      arguments: { query: "by mcp", fts_only: true },
    },
  });
  const { code, err } = await folder.run(
    ["--url", url, "search", "--fts-only", "by command"],
  );
  assert.equal(code, 0, err);
}

for (const isAsked of [true, false]) {
  Deno.test(`kbdb serve logs ${isAsked ? "each query with" : "no query without"} --log-queries`, async () => {
    using folder = new CliFolder();
    await using served = await serveHere(folder, [
      "--db",
      "base",
      "--port",
      "0",
      ...(isAsked ? ["--log-queries"] : []),
    ]);
    await searchAll(folder, served.url);
    const queries = served.said().split("\n")
      .filter((line) => line.startsWith("{"))
      .flatMap((line) => JSON.parse(line).query ?? []);
    assert.deepEqual(
      queries,
      isAsked ? ["by rest", "by mcp", "by command"] : [],
    );
    if (!isAsked) assert.ok(!served.said().includes("by "), served.said());
  });
}
