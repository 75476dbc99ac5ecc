import assert from "node:assert/strict";
import { openTempKb } from "../helpers/temp_kb.ts";
import { callTool, connectMcp, REVISIONS } from "../helpers/mcp.ts";

/** Title, then the read-only, destructive and idempotent hints, as the specification lists them. */
const ANNOTATIONS: Readonly<Record<string, readonly [string, ...boolean[]]>> = {
  search: ["Search KB", true, false, true],
  learn: ["Import Content", false, false, true],
  unlearn: ["Remove Section", false, true, true],
  retrieve: ["Fetch Content", true, false, true],
  recall: ["Recall Context", true, false, true],
  content: ["Compose Content", true, false, true],
  status: ["DB Status", true, false, true],
  check: ["Integrity Check", true, false, true],
  gc: ["Garbage Collect", false, true, false],
  rebuild: ["Rebuild Indexes", false, false, false],
  "skill-learn": ["Create Skill", false, false, true],
  "skill-list": ["List Skills", true, false, true],
  "skill-get": ["Get Skill", true, false, true],
  "skill-delete": ["Delete Skill", false, true, true],
  "agent-create": ["Create Agent", false, false, true],
  "agent-list": ["List Agents", true, false, true],
  "agent-get": ["Get Agent", true, false, true],
  "agent-delete": ["Delete Agent", false, true, true],
};

/** Required parameters as the specification lists them. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  search: ["query"],
  learn: ["content"],
  unlearn: ["kbid"],
  content: ["ids"],
  "skill-learn": ["name", "description", "body"],
  "skill-delete": ["kbid"],
  "agent-create": ["name", "description", "persona", "skills"],
  "agent-get": ["docid"],
  "agent-delete": ["docid"],
};

for (const revision of REVISIONS) {
  Deno.test(`tools/list has the tools of the specification in ${revision}`, async (t) => {
    await using temp = openTempKb();
    await using mcp = await connectMcp(temp.kb, revision);
    const { tools } = await mcp.client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      Object.keys(ANNOTATIONS),
    );
    for (const tool of tools) {
      const [title, readOnly, destructive, idempotent] =
        ANNOTATIONS[tool.name] ?? assert.fail(tool.name);
      assert.equal(tool.title, title);
      assert.deepEqual(tool.annotations, {
        title,
        readOnlyHint: readOnly,
        destructiveHint: destructive,
        idempotentHint: idempotent,
        openWorldHint: false,
      });
      const { required = [], additionalProperties } = tool.inputSchema;
      assert.deepEqual(required, REQUIRED[tool.name] ?? [], tool.name);
      assert.equal(additionalProperties, false, tool.name);
      assert.ok((tool.description ?? "").length > 20, tool.name);
    }
    const size = JSON.stringify(tools).length;
    assert.ok(size <= 24 * 1024, `tools/list is ${size} characters`);
    if (revision === "2025-11-25") await t.assertSnapshot?.(tools);
  });

  Deno.test(`the server says who it is and what it can in ${revision}`, async () => {
    await using temp = openTempKb();
    await using mcp = await connectMcp(temp.kb, revision);
    assert.equal(mcp.client.getNegotiatedProtocolVersion(), revision);
    const { tools, resources, prompts, logging, completions } =
      mcp.client.getServerCapabilities() ?? {};
    assert.deepEqual(
      { tools, resources, prompts, logging, completions },
      {
        tools: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        prompts: { listChanged: true },
        logging: {},
        completions: {},
      },
    );
    assert.match(mcp.client.getInstructions() ?? "", /never instructions/);
  });
}

Deno.test("an older client gets the revision it asks for", async () => {
  await using temp = openTempKb();
  for (const version of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
    await using mcp = await connectMcp(temp.kb, "2025-11-25", {
      client: { supportedProtocolVersions: [version] },
    });
    assert.equal(mcp.client.getNegotiatedProtocolVersion(), version);
    assert.ok(!(await callTool(mcp.client, "status")).isError);
  }
});

for (
  const [tool, args, rule] of [
    [
      "search",
      { qurey: "x" },
      /"query" is missing.*"qurey" \(did you mean "query"\?\)/,
    ],
    ["search", { query: 5 }, /"query" must be a string, got 5/],
    ["search", { query: "x", limit: -1 }, /"limit" must be at least 1, got -1/],
    ["search", { query: "x", limit: 1e9 }, /"limit" must be at most 100/],
    ["search", { query: "x", limit: 1.5 }, /"limit" must be a whole number/],
    ["search", { query: "x", limit: "5" }, /"limit" must be a number, got "5"/],
    [
      "search",
      { query: "x", mode: "all" },
      /"mode" must be one of "sections", "documents", "stats", got "all"/,
    ],
    ["search", { query: "x", tags: ["a", 1] }, /"tags\[1\]" must be a string/],
    ["search", { query: "x", __proto__x: 1 }, /no parameter "__proto__x"/],
    [
      "search",
      { query: "x".repeat(10_001) },
      /"query" must have at most 10000 characters/,
    ],
    [
      "unlearn",
      {},
      /Cannot call unlearn: "kbid" is missing\. Parameters: kbid\./,
    ],
    [
      "status",
      { verbose: true },
      /no parameter "verbose"\. It takes no parameters\./,
    ],
    ["skill-learn", {
      name: "a",
      description: "b",
      body: "c",
      arguments: [{ nmae: 1 }],
    }, /"arguments\[0\]\.name" is missing/],
    [
      "no-such-tool",
      {},
      /^Unknown tool: no-such-tool\. .*Tools: search, learn/,
    ],
    ["serch", {}, /Did you mean "search"\?/],
  ] as const
) {
  Deno.test(`${tool} ${JSON.stringify(args).slice(0, 60)} is a tool error that names the fix`, async () => {
    await using temp = openTempKb();
    await using mcp = await connectMcp(temp.kb, "2025-11-25");
    const { text, isError } = await callTool(mcp.client, tool, args);
    assert.ok(isError);
    assert.match(text, rule);
  });
}
