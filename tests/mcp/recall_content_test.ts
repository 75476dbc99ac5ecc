import assert from "node:assert/strict";
import { LIMITS, toKbid } from "../../lib/core/mod.ts";
import { callJson, callTool, connectMcp, REVISIONS } from "../helpers/mcp.ts";
import { openTempKb } from "../helpers/temp_kb.ts";

for (const revision of REVISIONS) {
  Deno.test(`recall answers the shape of each depth in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb } = temp;
    const target = kb.learn("# Pump\n\nThe relay clicks.", { docid: "pump" });
    const beside = kb.learn("# Valve\n\nIt leaks.", { docid: "pump" });
    const source = kb.learn(
      `See [the pump](kbdb://section/${target.kbid}) for more.`,
    );
    await using mcp = await connectMcp(kb, revision);
    const flat = {
      kbid: target.kbid,
      heading: "Pump",
      type: "text/markdown",
      content: "# Pump\n\nThe relay clicks.",
      docids: ["pump"],
    };
    assert.deepEqual(
      await callJson(mcp.client, "recall", { kbid: target.kbid }),
      flat,
    );
    const one = await callJson(mcp.client, "recall", {
      kbid: target.kbid,
      depth: 1,
    });
    assert.deepEqual(one["documents"], [{
      docid: "pump",
      title: "Pump",
      sections: [
        { kbid: target.kbid, heading: "Pump", type: "text/markdown" },
        { kbid: beside.kbid, heading: "Valve", type: "text/markdown" },
      ],
    }]);
    assert.deepEqual(one["back_references"], [{
      kbid: source.kbid,
      heading: null,
      type: "text/markdown",
      marker_type: "link",
      context_snippet:
        `See [the pump](kbdb://section/${target.kbid}) for more.`,
      direction: "back",
    }]);
    assert.equal("siblings" in one, false);
    const three = await callJson(mcp.client, "recall", {
      kbid: source.kbid,
      depth: 9,
    });
    const references = three["references"] as Record<string, unknown>[];
    assert.equal(references[0]?.["content"], flat.content);
    const batch = await callJson(mcp.client, "recall", {
      kbids: [beside.kbid],
      kbid: target.kbid,
    }) as unknown as { kbid: string }[];
    assert.deepEqual(batch.map(({ kbid }) => kbid), [beside.kbid, target.kbid]);
  });

  Deno.test(`content composes sections and documents in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kb } = temp;
    kb.learn("# Pump\n\nThe relay clicks.", { docid: "pump" });
    const alone = kb.learn("const a = 1;", {
      type: "text/typescript",
      title: "a.ts",
    });
    await using mcp = await connectMcp(kb, revision);
    const answer = await callJson(mcp.client, "content", {
      ids: ["pump", alone.kbid],
    });
    const data = String(answer["data"]);
    assert.equal(answer["type"], "text/markdown");
    assert.equal(answer["total"], data.length);
    assert.match(data, /^# Pump\n\nThe relay clicks\./);
    assert.match(data, /```typescript\nconst a = 1;\n```/);
  });
}

Deno.test("recall and content name what is not there and what is missing", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const { kbid } = kb.learn("text");
  await using mcp = await connectMcp(kb, "2025-11-25");
  const unknown = toKbid("nothing");
  const cases: [string, Record<string, unknown>, RegExp][] = [
    ["recall", {}, /Provide kbid or kbids/],
    ["recall", { kbid: unknown }, new RegExp(`Section not found: ${unknown}`)],
    ["content", { ids: [] }, /ids/],
    ["content", { ids: [unknown] }, /not found/],
  ];
  for (const [name, args, says] of cases) {
    const { isError, text } = await callTool(mcp.client, name, args);
    assert.equal(isError, true);
    assert.match(text, says);
  }
  const partly = await callTool(mcp.client, "recall", {
    kbids: [kbid, unknown],
  });
  assert.notEqual(partly.isError, true);
  assert.match(partly.notes.join(), /Section not found/);
  const composed = await callJson(mcp.client, "content", {
    ids: [kbid, unknown],
  });
  assert.deepEqual(composed["unknown_ids"], [unknown]);
});

Deno.test("recall and content stay within an answer's room and go on at an offset", async () => {
  await using temp = openTempKb();
  const { kb } = temp;
  const text = Array.from({ length: 6000 }, (_, n) => `word${n} 🚀`).join(" ");
  const { kbid } = kb.learn(text);
  await using mcp = await connectMcp(kb, "2026-07-28");
  for (
    const [name, args] of [["recall", { kbid }], ["content", {
      ids: [kbid],
    }]] as const
  ) {
    const { text } = await callTool(mcp.client, name, args);
    assert.ok(text.length < LIMITS.answerChars * 1.3);
  }
  let read = "";
  let offset: number | undefined = 0;
  while (offset !== undefined) {
    const part: Record<string, unknown> = await callJson(
      mcp.client,
      "content",
      {
        ids: [kbid],
        offset,
      },
    );
    read += String(part["data"]);
    offset = part["next_offset"] as number | undefined;
  }
  assert.equal(read.trim(), text);
});
