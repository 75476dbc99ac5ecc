import assert from "node:assert/strict";
import type { Client } from "@modelcontextprotocol/client";
import { openTempKb } from "../helpers/temp_kb.ts";
import { callJson, callTool, connectMcp, REVISIONS } from "../helpers/mcp.ts";

const SKILL = {
  name: "summarize",
  description: "Summarize a document",
  arguments: [{ name: "docid", required: true }],
};

/** Answers requests to write a text, and notes them. */
function answering(text: string, prompts: string[]): (client: Client) => void {
  return (client) =>
    client.setRequestHandler("sampling/createMessage", ({ params }) => {
      const [message] = params.messages;
      const content = [message?.content ?? []].flat()[0];
      prompts.push(content?.type === "text" ? content.text : "");
      assert.ok(params.maxTokens > 0);
      return {
        role: "assistant",
        model: "test",
        content: { type: "text", text },
      };
    });
}

for (const revision of REVISIONS) {
  Deno.test(`skill-learn without body has the client's model write one in ${revision}`, async () => {
    await using temp = openTempKb();
    const prompts: string[] = [];
    await using mcp = await connectMcp(temp.kb, revision, {
      client: { capabilities: { sampling: {} } },
      prepare: answering("Summarize {{docid}}.", prompts),
    });
    const skill = await callJson(mcp.client, "skill-learn", SKILL);
    assert.equal(prompts.length, 1);
    assert.match(
      prompts[0] ?? "",
      /summarize.*Summarize a document.*\{\{docid\}\}/s,
    );
    assert.equal(
      temp.kb.getSkill({ kbid: skill.kbid }).body,
      "Summarize {{docid}}.",
    );
  });

  Deno.test(`skill-learn without body is refused if the client cannot sample, or samples nothing, in ${revision}`, async () => {
    await using temp = openTempKb();
    const refusal = { text: "skill body must not be empty", isError: true };
    await using plain = await connectMcp(temp.kb, revision);
    const first = await callTool(plain.client, "skill-learn", SKILL);
    assert.deepEqual({ text: first.text, isError: first.isError }, refusal);
    await using empty = await connectMcp(temp.kb, revision, {
      client: { capabilities: { sampling: {} } },
      prepare: answering("  ", []),
    });
    const second = await callTool(empty.client, "skill-learn", SKILL);
    assert.deepEqual({ text: second.text, isError: second.isError }, refusal);
    assert.deepEqual(temp.kb.listSkills(), []);
  });
}
