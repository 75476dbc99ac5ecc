import assert from "node:assert/strict";
import { type Client, ProtocolError } from "@modelcontextprotocol/client";
import fc from "fast-check";
import type { Kb } from "../../lib/kb/mod.ts";
import { KBDB_TOOLS } from "../../lib/mcp/tools/mod.ts";
import {
  callTool,
  connectMcp,
  type Revision,
  REVISIONS,
  type TestClient,
  type ToolResult,
} from "../helpers/mcp.ts";
import {
  type Arguments,
  fittingObject,
  oddText,
  unfitting,
  type ValueSchema,
} from "../helpers/schema_values.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

/** A failure names the seed and the path to it; both go here to run it again. */
const RUN = {
  seed: 20_260_728,
  timeout: 10_000,
} as const;
/** Arguments tried on a tool that takes some, and on one that takes none. */
const RUNS = 40;
const RUNS_WITHOUT = 5;

/** Fills a base and gives the ids and names in it. */
function fill(kb: Kb): string[] {
  const one = kb.learn("The ferry leaves at noon, see [[two]]", {
    docid: "ferry",
    title: "Ferry",
    tags: ["boats"],
    collection: "travel",
  });
  const two = kb.learn("A lone fact", { title: "two" });
  const { skill } = kb.learnSkill({
    name: "greet",
    description: "Greets",
    body: "Say hello to {{name}}",
  });
  const agent = kb.createAgent({
    name: "host",
    description: "Welcomes",
    persona: "You are kind",
    skills: [skill.kbid],
  });
  return [
    one.kbid,
    two.kbid,
    skill.kbid,
    agent.docid,
    "ferry",
    "greet",
    "host",
    "boats",
    "travel",
  ];
}

/** Runs a test against a server on a base with something in it. */
async function withServer(
  revision: Revision,
  tool: string,
  test: (
    mcp: TestClient,
    schema: ValueSchema,
    text: fc.Arbitrary<string>,
  ) => Promise<void>,
): Promise<void> {
  await using temp = openTempKb();
  const text = oddText(fill(temp.kb));
  await using mcp = await connectMcp(temp.kb, revision);
  const { tools } = await mcp.client.listTools();
  const listed = tools.find(({ name }) => name === tool) ?? assert.fail(tool);
  await test(mcp, listed.inputSchema as ValueSchema, text);
  assert.ok(!(await callTool(mcp.client, "status")).isError);
  assert.deepEqual(mcp.diagnostics, []);
}

function encodeText(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function hasParameters({ properties = {} }: ValueSchema): boolean {
  return Object.keys(properties).length > 0;
}

/** Calls a tool, which may refuse but must not fail. */
async function probe(
  client: Client,
  tool: string,
  args: Arguments,
): Promise<ToolResult> {
  const result = await callTool(client, tool, args);
  assert.notEqual(result.text, "");
  assert.doesNotMatch(result.text, /internal error/);
  return result;
}

/** Asks for something that need not be there; only a fault of kbdb is none of the client's. */
async function mayRefuse(asking: Promise<unknown>): Promise<void> {
  try {
    await asking;
  } catch (error) {
    assert.ok(error instanceof ProtocolError, String(error));
    assert.ok([-32602, -32002].includes(error.code), error.message);
  }
}

for (const revision of REVISIONS) {
  Deno.test(`resources, prompts and completions answer any text in ${revision}`, async () => {
    await withServer(revision, "status", async ({ client }, _, text) => {
      const uri = fc.oneof(
        text,
        text.map((id) => `kbdb://section/${id}`),
        text.map((id) => `kbdb://document/${encodeText(id)}`),
      );
      await fc.assert(
        fc.asyncProperty(uri, text, text, async (uri, name, value) => {
          const argument = { name: "kbid", value };
          await mayRefuse(client.readResource({ uri }));
          await mayRefuse(
            client.getPrompt({ name, arguments: { name, value } }),
          );
          await mayRefuse(
            client.getPrompt({ name: `agent:${name}`, arguments: {} }),
          );
          await mayRefuse(
            client.complete({ ref: { type: "ref/resource", uri }, argument }),
          );
          await mayRefuse(
            client.complete({ ref: { type: "ref/prompt", name }, argument }),
          );
        }),
        { ...RUN, numRuns: RUNS },
      );
    });
  });

  for (const { name } of KBDB_TOOLS) {
    Deno.test(`${name} answers whatever fits its schema in ${revision}`, async () => {
      await withServer(revision, name, async ({ client }, schema, text) => {
        await fc.assert(
          fc.asyncProperty(fittingObject(schema, text), async (args) => {
            await probe(client, name, args);
          }),
          {
            ...RUN,
            numRuns: hasParameters(schema) ? RUNS : RUNS_WITHOUT,
          },
        );
      });
    });

    Deno.test(`${name} refuses what does not fit its schema in ${revision}`, async () => {
      await withServer(revision, name, async ({ client }, schema, text) => {
        await fc.assert(
          fc.asyncProperty(unfitting(schema, text), async (args) => {
            const result = await probe(client, name, args);
            assert.ok(result.isError, result.text);
            const names = [name, ...Object.keys(schema.properties ?? {})];
            assert.ok(
              names.some((one) => result.text.includes(one)),
              result.text,
            );
          }),
          { ...RUN, numRuns: RUNS },
        );
      });
    });
  }
}
