import assert from "node:assert/strict";
import type { Client, Notification } from "@modelcontextprotocol/client";
import { openKb } from "../../lib/kb/mod.ts";
import { LOG_LEVELS } from "../../lib/mcp/logging.ts";
import { defineTool } from "../../lib/mcp/tool.ts";
import { KBDB_TOOLS } from "../../lib/mcp/tools/mod.ts";
import { z } from "zod";
import { fakeEmbedder } from "../helpers/fake_embedder.ts";
import { openTempKb } from "../helpers/temp_kb.ts";
import {
  callJson,
  callTool,
  connectMcp,
  REVISIONS,
  until,
} from "../helpers/mcp.ts";

/** Collects the notifications of a client. */
function collect(into: Notification[]): (client: Client) => void {
  return (client) => {
    client.fallbackNotificationHandler = (notification) => {
      into.push(notification);
      return Promise.resolve();
    };
  };
}

/** A tool that logs at every level. */
const shout = defineTool({
  name: "shout",
  title: "Shout",
  description: "Logs at every level",
  readOnly: true,
  destructive: false,
  idempotent: true,
  input: z.strictObject({}),
  run(_, { log }) {
    for (const level of LOG_LEVELS) log(level, `at ${level}`);
    return { json: {} };
  },
});

for (const [index, level] of LOG_LEVELS.entries()) {
  Deno.test(`messages below ${level} are not sent after logging/setLevel ${level}`, async () => {
    await using temp = openTempKb();
    const heard: Notification[] = [];
    await using mcp = await connectMcp(temp.kb, "2025-11-25", {
      extras: { tools: [shout] },
      prepare: collect(heard),
    });
    await callTool(mcp.client, "shout");
    assert.deepEqual(heard, [], "nothing before a level is set");
    await mcp.client.setLoggingLevel(level);
    await callTool(mcp.client, "shout");
    await until(() => heard.length >= LOG_LEVELS.length - index);
    const own = heard.map(({ params }) => params)
      .filter((params) => String(params?.["data"]).startsWith("at "));
    assert.deepEqual(
      own,
      LOG_LEVELS.slice(index).map((one) => ({
        level: one,
        logger: "kbdb",
        data: `at ${one}`,
      })),
    );
  });
}

Deno.test("a 2026-07-28 request says itself which messages it wants", async () => {
  await using temp = openTempKb();
  const heard: Notification[] = [];
  await using mcp = await connectMcp(temp.kb, "2026-07-28", {
    extras: { tools: [shout] },
    prepare: collect(heard),
  });
  await callTool(mcp.client, "shout");
  await mcp.client.callTool({
    name: "shout",
    arguments: {},
    _meta: { "io.modelcontextprotocol/logLevel": "critical" },
  });
  await until(() => heard.length >= 3);
  assert.deepEqual(
    heard.map(({ params }) => params?.["level"]),
    ["critical", "alert", "emergency"],
  );
});

Deno.test("learn logs what it indexed", async () => {
  await using temp = openTempKb();
  const heard: Notification[] = [];
  await using mcp = await connectMcp(temp.kb, "2025-11-25", {
    prepare: collect(heard),
  });
  await mcp.client.setLoggingLevel("info");
  const { kbid } = await callJson(mcp.client, "learn", { content: "A fact" });
  await until(() => heard.length > 0);
  assert.equal(heard[0]?.method, "notifications/message");
  assert.deepEqual(heard[0]?.params, {
    level: "info",
    logger: "kbdb",
    data: `Indexed 2 terms for section ${kbid}`,
  });
});

Deno.test("vectors that cannot be made are logged, not thrown", async () => {
  await using temp = openTempKb({
    embedder: fakeEmbedder({
      onEmbed: () => {
        throw new Error("no memory left");
      },
    }),
  });
  const heard: Notification[] = [];
  await using mcp = await connectMcp(temp.kb, "2025-11-25", {
    prepare: collect(heard),
  });
  await mcp.client.setLoggingLevel("error");
  await callJson(mcp.client, "learn", { content: "A fact" });
  await until(() => heard.length > 0);
  assert.equal(heard[0]?.params?.["level"], "error");
  assert.match(String(heard[0]?.params?.["data"]), /no memory left/);
  assert.match(mcp.diagnostics.join("\n"), /no memory left/);
});

for (const revision of REVISIONS) {
  Deno.test(`a subscriber hears of changes by this and another process in ${revision}`, async () => {
    await using temp = openTempKb();
    const { kbid } = temp.kb.learn("One", { docid: "doc", title: "T" });
    const other = temp.kb.learn("Two", { docid: "other" });
    await using elsewhere = openKb({
      dir: temp.dir,
      embedder: fakeEmbedder(),
    });
    const heard: Notification[] = [];
    await using mcp = await connectMcp(temp.kb, revision, {
      prepare: collect(heard),
    });
    const uris = [`kbdb://section/${kbid}`, "kbdb://document/doc"];
    if (revision === "2025-11-25") {
      for (const uri of uris) await mcp.client.subscribeResource({ uri });
    } else {
      await mcp.client.listen({
        resourceSubscriptions: uris,
        resourcesListChanged: true,
        promptsListChanged: true,
      });
    }
    const told = () =>
      heard.map(({ method, params }) =>
        `${method.replace("notifications/", "")} ${params?.["uri"] ?? ""}`
          .trim()
      );
    await new Promise((resolve) => setTimeout(resolve, 60));
    elsewhere.unlearn(other.kbid);
    await until(() => told().includes("resources/list_changed"));
    assert.ok(!told().some((one) => one.startsWith("resources/updated")));
    heard.length = 0;
    await callJson(mcp.client, "learn", { content: "Three", docid: "doc" });
    await until(() => told().length > 0);
    assert.ok(told().includes("resources/updated kbdb://document/doc"));
    heard.length = 0;
    elsewhere.unlearn(kbid);
    await until(() =>
      uris.every((uri) => told().includes(`resources/updated ${uri}`))
    );
    heard.length = 0;
    elsewhere.learnSkill({ name: "a", description: "b", body: "c" });
    await until(() => told().includes("prompts/list_changed"));
  });
}

for (const revision of REVISIONS) {
  Deno.test(`a subscriber hears of a change right after it subscribed in ${revision}`, async () => {
    await using temp = openTempKb();
    temp.kb.learn("One", { docid: "doc" });
    await using elsewhere = openKb({
      dir: temp.dir,
      embedder: fakeEmbedder(),
    });
    const heard: Notification[] = [];
    await using mcp = await connectMcp(temp.kb, revision, {
      pollMs: 200,
      prepare: collect(heard),
    });
    const uri = "kbdb://document/doc";
    if (revision === "2025-11-25") await mcp.client.subscribeResource({ uri });
    else {
      await mcp.client.listen({ resourcesListChanged: true });
      await mcp.client.listen({ resourceSubscriptions: [uri] });
    }
    elsewhere.learn("Two", { docid: "doc" });
    await until(() => heard.some(({ params }) => params?.["uri"] === uri));
  });
}

Deno.test("after resources/unsubscribe nothing is told", async () => {
  await using temp = openTempKb();
  temp.kb.learn("One", { docid: "doc" });
  const heard: Notification[] = [];
  await using mcp = await connectMcp(temp.kb, "2025-11-25", {
    prepare: collect(heard),
  });
  const uri = "kbdb://document/doc";
  await mcp.client.subscribeResource({ uri });
  await mcp.client.unsubscribeResource({ uri });
  await callJson(mcp.client, "learn", { content: "Two", docid: "doc" });
  await new Promise((resolve) => setTimeout(resolve, 80));
  const updated = heard.filter(({ method }) => method.endsWith("/updated"));
  assert.deepEqual(updated, []);
});

for (const revision of REVISIONS) {
  Deno.test(`long work tells how far it is to a client that asks in ${revision}`, async () => {
    await using temp = openTempKb();
    for (let i = 0; i < 20; i++) temp.kb.learn(`Text ${i}`, { docid: "d" });
    await using mcp = await connectMcp(temp.kb, revision);
    for (
      const [name, args] of [
        ["rebuild", {}],
        ["gc", {}],
        ["learn", { content: "word ".repeat(20_000) }],
      ] as const
    ) {
      const seen: number[] = [];
      await mcp.client.callTool({ name, arguments: args }, {
        onprogress: ({ progress, total }) => {
          assert.ok(total !== undefined && progress <= total, name);
          seen.push(progress);
        },
      });
      assert.ok(seen.length >= 2, `${name}: ${seen}`);
      assert.deepEqual([...new Set(seen)].sort((a, b) => a - b), seen, name);
    }
  });

  Deno.test(`a call the client takes back is stopped and not answered in ${revision}`, async () => {
    await using temp = openTempKb();
    let isAborted = false;
    const slow = defineTool({
      name: "slow",
      title: "Slow",
      description: "Waits to be stopped",
      readOnly: true,
      destructive: false,
      idempotent: true,
      input: z.strictObject({}),
      async run(_, { signal }) {
        await new Promise((resolve) =>
          signal.addEventListener("abort", resolve)
        );
        isAborted = true;
        return { json: { answer: "came too late" } };
      },
    });
    await using mcp = await connectMcp(temp.kb, revision, {
      extras: { tools: [...KBDB_TOOLS, slow] },
    });
    const stopping = new AbortController();
    const call = mcp.client.callTool({ name: "slow", arguments: {} }, {
      signal: stopping.signal,
    });
    setTimeout(() => stopping.abort("not wanted"), 20);
    await assert.rejects(call, /not wanted/);
    await until(() => isAborted);
    await callJson(mcp.client, "status");
    assert.ok(!mcp.lines.some((line) => line.includes("came too late")));
  });
}
