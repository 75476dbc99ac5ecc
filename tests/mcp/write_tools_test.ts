import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { openTempKb } from "../helpers/temp_kb.ts";
import {
  callJson,
  callTool,
  connectMcp,
  REVISIONS,
  until,
} from "../helpers/mcp.ts";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

for (const revision of REVISIONS) {
  Deno.test(`learn, unlearn, gc, check and rebuild answer as specified in ${revision}`, async () => {
    await using temp = openTempKb();
    await using mcp = await connectMcp(temp.kb, revision);
    const { client } = mcp;
    const { text } = await callTool(client, "learn", {
      content: "Backups run at night.",
      title: "Backups",
      description: "When backups run",
      docid: "ops",
    });
    const learned = JSON.parse(text);
    assert.equal(text, JSON.stringify(learned), "compact");
    assert.equal(learned.type, "text/markdown");
    assert.equal(learned.title, "Backups");
    assert.equal(learned.description, "When backups run");
    assert.equal(learned.attached, false);
    assert.ok(learned.indexed_terms_count > 0);
    assert.equal(typeof learned.elapsed_ms, "number");

    const again = { content: "Backups run at night.", docid: "other" };
    const attached = await callJson(client, "learn", again);
    assert.equal(attached.kbid, learned.kbid);
    assert.equal(attached.attached, true);
    assert.equal(attached.indexed_terms_count, 0);
    assert.equal((await callJson(client, "learn", again)).attached, false);

    const loose = await callJson(client, "learn", { content: "Stands alone." });
    const dry = await callJson(client, "gc", { dry_run: true });
    assert.equal(dry.removed_sections, 1);
    assert.equal(dry.sections[0].kbid, loose.kbid);
    const gc = await callJson(client, "gc");
    assert.deepEqual(Object.keys(gc), [
      "removed_sections",
      "removed_bytes",
      "elapsed_ms",
    ]);
    assert.equal(gc.removed_sections, 1);
    assert.equal(gc.removed_bytes, 13);

    const check = await callJson(client, "check");
    assert.equal(check.ok, true, JSON.stringify(check.errors));
    assert.deepEqual(check.errors, []);
    assert.equal(check.sections_checked, 1);
    assert.equal(check.documents_checked, 2);
    assert.equal(typeof check.references_checked, "number");
    const rebuilt = await callJson(client, "rebuild");
    assert.equal(rebuilt.sections_reindexed, 1);
    assert.ok(rebuilt.terms_indexed > 0);

    const removal = await callTool(client, "unlearn", { kbid: learned.kbid });
    assert.match(removal.text, /^\{"removed":true,"elapsed_ms":[\d.]+\}$/);
    const none = await callJson(client, "unlearn", { kbid: learned.kbid });
    assert.equal(none.removed, false);
  });

  Deno.test(`skills and agents are kept, listed and removed as specified in ${revision}`, async () => {
    await using temp = openTempKb();
    await using mcp = await connectMcp(temp.kb, revision);
    const { client } = mcp;
    const { text } = await callTool(client, "skill-learn", {
      name: "summarize-document",
      description: "Summarize a document",
      arguments: [{ name: "docid", description: "Which one", required: true }],
      body: "Summarize {{docid}} in {{max_points}} points.",
    });
    const skill = JSON.parse(text);
    assert.equal(text, JSON.stringify(skill), "compact");
    assert.equal(skill.name, "summarize-document");
    assert.deepEqual(
      skill.arguments.map((one: { name: string }) => one.name),
      ["docid", "max_points"],
    );
    const list = await callTool(client, "skill-list");
    assert.equal(
      list.text,
      JSON.stringify(
        [{
          kbid: skill.kbid,
          name: "summarize-document",
          description: "Summarize a document",
          argumentCount: 2,
        }],
        null,
        2,
      ),
    );
    const byName = await callJson(client, "skill-get", {
      name: "summarize-document",
    });
    const byKbid = await callJson(client, "skill-get", {
      kbid: skill.kbid,
      name: "no-such",
    });
    assert.deepEqual(byName, byKbid);
    assert.equal(byName.body, "Summarize {{docid}} in {{max_points}} points.");

    const created = await callTool(client, "agent-create", {
      name: "reviewer",
      description: "Reviews",
      persona: "You review code.",
      skills: [skill.kbid],
    });
    const agent = JSON.parse(created.text);
    assert.equal(created.text, JSON.stringify(agent), "compact");
    assert.match(agent.docid, /^agent-/);
    assert.deepEqual(agent.skills, [skill.kbid]);
    assert.deepEqual(await callJson(client, "agent-list"), [{
      docid: agent.docid,
      name: "reviewer",
      description: "Reviews",
      skillCount: 1,
    }]);

    const deleted = await callTool(client, "skill-delete", {
      kbid: skill.kbid,
    });
    assert.equal(deleted.text, `{"kbid":"${skill.kbid}","removed":true}`);
    assert.deepEqual(
      await callJson(client, "agent-get", { docid: agent.docid }),
      {
        docid: agent.docid,
        name: "reviewer",
        description: "Reviews",
        persona: "You review code.",
        skills: [{ kbid: skill.kbid, name: null, position: 0 }],
      },
    );
    const gone = await callTool(client, "agent-delete", { docid: agent.docid });
    assert.equal(gone.text, `{"docid":"${agent.docid}","removed":true}`);
    assert.deepEqual(await callJson(client, "agent-list"), []);
  });
}

Deno.test("learn refuses an image without title, bad base64 and labels without docid, and says what to do", async () => {
  await using temp = openTempKb();
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  for (
    const [args, rule] of [
      [{ content: PNG, type: "image/png" }, /title/],
      [{ content: "not base64!", type: "image/png", title: "x" }, /base64/],
      [{ content: "x", type: "video/mp4" }, /text\/\*.*image\/\*/s],
      [{ content: "  \n " }, /blank|empty/],
      [{ content: "x", tags: ["a"] }, /docid/],
      [{ content: "x", collection: "memory" }, /docid/],
    ] as const
  ) {
    const { text, isError } = await callTool(mcp.client, "learn", args);
    assert.ok(isError, text);
    assert.match(text, rule);
  }
});

Deno.test("learn stores an image as it is, and reports no terms for it", async () => {
  await using temp = openTempKb();
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const learned = await callJson(mcp.client, "learn", {
    content: PNG,
    type: "image/png",
    title: "Dot",
  });
  assert.equal(learned.indexed_terms_count, 0);
  const { content } = temp.kb.getSection(learned.kbid);
  assert.ok(content instanceof Uint8Array);
  assert.equal(Buffer.from(content).toString("base64"), PNG);
});

Deno.test("what was learned is soon found by meaning, and a failing model is told, not thrown", async () => {
  await using temp = openTempKb();
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  await callJson(mcp.client, "learn", {
    content: "The boiler is in the attic",
  });
  await until(() => temp.kb.status().vectors.pendingChunks === 0);
  const { degraded } = await callJson(mcp.client, "search", {
    query: "boiler",
  });
  assert.deepEqual(degraded, []);
});

Deno.test("vectors an earlier process left over are made at the start", async () => {
  await using temp = openTempKb();
  temp.kb.learn("The boiler is in the attic", {});
  await using _mcp = await connectMcp(temp.kb, "2025-11-25", {
    isWarmedUp: true,
  });
  await until(() => temp.kb.status().vectors.pendingChunks === 0);
});

Deno.test("skill-get and skill-learn name what is missing", async () => {
  await using temp = openTempKb();
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const get = await callTool(mcp.client, "skill-get");
  assert.deepEqual([get.text, get.isError], ["Provide name or kbid", true]);
  for (const body of ["", " \n", undefined]) {
    const { text, isError } = await callTool(mcp.client, "skill-learn", {
      name: "a",
      description: "b",
      ...(body === undefined ? {} : { body }),
    });
    assert.deepEqual([text, isError], ["skill body must not be empty", true]);
  }
});

Deno.test("skills may share a name; the one stored last is got by it", async () => {
  await using temp = openTempKb();
  await using mcp = await connectMcp(temp.kb, "2025-11-25");
  const kbids: string[] = [];
  for (const body of ["one", "two"]) {
    const { kbid } = await callJson(mcp.client, "skill-learn", {
      name: "same",
      description: "d",
      body,
    });
    kbids.push(kbid);
  }
  assert.equal(new Set(kbids).size, 2);
  const { kbid } = await callJson(mcp.client, "skill-get", { name: "same" });
  assert.equal(kbid, kbids[1]);
});
